/** Mistakes that the usual libraries make: the reference in their error leads to the cause. */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { FhirclientApp } from '../support/apps/fhirclient-app.js';
import { launchOfAnswer } from '../support/apps/launch-entries.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { useBrowser } from '../support/browser/browser.js';
import { redirectUri } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { type RequestPortal, startRequestPortal } from '../support/mistakes/request-mistakes.js';

const browser = useBrowser();
let at: RequestPortal;
beforeAll(async () => {
  at = await startRequestPortal();
});
afterAll(() => at.close());

describe('The usual libraries', () => {
  const discover = () =>
    openid.discovery(new URL(at.portal.issuer), 'public-app', undefined, undefined, {
      execute: [openid.allowInsecureRequests],
    });

  it('openid-client: a request without aud is explained', async () => {
    const config = await discover();
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid patient/*.rs',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const answer = await new Agent(at.portal.issuer).get(address.href);
    expect((await launchOfAnswer(at.portal, answer)).decidedBy?.code).toBe('aud-missing');
  });

  it('openid-client: a pushed request without PKCE is explained by its reference', async () => {
    const config = await discover();
    const pushed = openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      aud: at.portal.fhirBase,
    });
    const error = await pushed.then(
      () => undefined,
      (caught: unknown) => caught as openid.ResponseBodyError,
    );
    const reference = /Reference: (\S+)$/.exec(error?.error_description ?? '')?.[1];
    const { decidedBy } = await launchOfAnswer(at.portal, { headers: { 'x-launch-reference': reference ?? '' } });
    expect(decidedBy?.code).toBe('pkce-public');
  });

  it('fhirclient: another redirect URI is explained by the reference on the page', async () => {
    const app = await FhirclientApp.start();
    const page = await browser.open();
    browser.expectFailure('/connect/authorize', 400);
    await app.launch(page, at.portal, 'public-app', 'launch/patient patient/*.rs openid fhirUser');
    const reference = await page.locator('meta[name=gatehouse-reference]').getAttribute('content');
    await app.close();
    const { decidedBy } = await launchOfAnswer(at.portal, { headers: { 'x-launch-reference': reference ?? '' } });
    const detail = { sent: app.redirectUri, nearest: redirectUri };
    expect([decidedBy?.code, decidedBy?.texts.change?.field]).toEqual(['redirect-uri-unregistered', 'redirectUris']);
    expect(decidedBy?.detail).toMatchObject(detail);
  });

  it('oauth4webapi: a pushed request with another redirect URI is explained by its reference', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(at.portal.issuer);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client = { client_id: 'public-app' };
    const parameters = new SmartApp(at.portal, { parameters: { redirect_uri: `${redirectUri}2` } }).query();
    const response = await oauth.pushedAuthorizationRequest(
      server,
      client,
      oauth.None(),
      new URLSearchParams(parameters),
      insecure,
    );
    const { error_description = '' } = (await response.json()) as { error_description?: string };
    const reference = /Reference: (\S+)$/.exec(error_description)?.[1] ?? '';
    const { decidedBy } = await launchOfAnswer(at.portal, { headers: { 'x-launch-reference': reference } });
    expect(decidedBy).toMatchObject({ code: 'redirect-uri-unregistered', detail: { difference: 'the path' } });
  });
});
