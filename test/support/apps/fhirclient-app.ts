import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { TestPortal } from '../portal/portal.js';
import { type StaticApp, startStaticApp } from './static-app.js';

/** An app that uses the published fhirclient. */
export class FhirclientApp {
  static async start(): Promise<FhirclientApp> {
    const fhirclient = dirname(createRequire(import.meta.url).resolve('fhirclient/package.json'));
    const body =
      '<!doctype html><html lang="en"><title>App</title><h1>App</h1><script src="/fhir-client.js"></script></html>';
    const script = readFileSync(join(fhirclient, 'build/fhir-client.min.js'));
    const origin = await startStaticApp({
      '/launch': { type: 'text/html', body },
      '/app': { type: 'text/html', body },
      '/fhir-client.js': { type: 'text/javascript', body: script },
    });
    return new FhirclientApp(origin);
  }

  readonly redirectUri: string;

  private constructor(private readonly origin: StaticApp) {
    this.redirectUri = `${origin.url}/app`;
  }

  close(): Promise<void> {
    return this.origin.close();
  }

  /** Redirects the user to the portal. */
  async launch(page: Page, portal: TestPortal, clientId: string, scope: string): Promise<void> {
    const { redirectUri } = this;
    const authorization = { clientId, iss: portal.fhirBase, redirectUri, scope, pkceMode: 'required' };
    await page.goto(`${this.origin.url}/launch`);
    // fhirclient leaves the page after its discovery.
    await Promise.all([
      page.waitForURL(`${portal.issuer}/**`),
      page.evaluate(`void FHIR.oauth2.authorize(${JSON.stringify(authorization)})`),
    ]);
  }

  /** Waits for the redirect back to the app; returns the parameters of the response. */
  async answer(page: Page): Promise<URLSearchParams> {
    await page.waitForURL((url) => url.origin + url.pathname === this.redirectUri);
    return new URL(page.url()).searchParams;
  }

  /** Runs code in the app's page after fhirclient has got its tokens, and returns its result. */
  inApp<Result>(page: Page, code: string): Promise<Result> {
    return page.evaluate<Result>(`FHIR.oauth2.ready().then(async (client) => { ${code} })`);
  }
}
