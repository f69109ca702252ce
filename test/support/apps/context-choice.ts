import type { LaunchContextRequest } from '../../../src/contract/launch-context.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import type { Credentials } from '../users/people.js';
import { type Launch, SmartApp, type Tokens } from './smart-app.js';

/** The launch-context page's calls, for a signed-in user who has to choose. */
export class ContextChoice {
  static async reach(
    portal: TestPortal,
    launch: Launch,
    person: Credentials,
    browser = new Agent(portal.issuer),
  ): Promise<ContextChoice> {
    const app = new SmartApp(portal, launch, browser);
    let at = (await app.authorize()).location ?? '';
    if (new URL(at).pathname === '/login') {
      const returnUrl = new URL(at).searchParams.get('returnUrl') ?? '';
      const signedIn = await app.signIn(person, returnUrl);
      if (signedIn.status !== 200) throw new Error(`sign-in answered ${signedIn.status}: ${signedIn.text}`);
      at = await app.follow(returnUrl);
    }
    return new ContextChoice(app, new URL(at));
  }

  readonly returnUrl: string;

  private constructor(
    readonly app: SmartApp,
    readonly page: URL,
  ) {
    this.returnUrl = page.searchParams.get('returnUrl') ?? '';
  }

  request(query: Record<string, string> = {}): Promise<Answer> {
    const search = new URLSearchParams({ returnUrl: this.returnUrl, ...query });
    return this.app.browser.get(`/api/launch-context?${search}`);
  }

  async contextTypes(query?: Record<string, string>) {
    return (await this.request(query)).json<LaunchContextRequest>().resourceData;
  }

  choose(ids: unknown): Promise<Answer> {
    return this.app.browser.post(`/api/launch-context?returnUrl=${encodeURIComponent(this.returnUrl)}`, ids);
  }

  async tokens(): Promise<Tokens> {
    const landed = new URL(await this.app.follow(this.returnUrl));
    return (await this.app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
  }

  async nextPage(): Promise<URL> {
    return new URL(await this.app.follow(this.returnUrl));
  }
}
