import type { DisclaimerList } from '../../../src/contract/disclaimers.js';
import type { ClientKind } from '../clients/client-kinds.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import { type Credentials, people } from '../users/people.js';
import { SmartApp } from './smart-app.js';

export interface FlowOptions {
  browser?: Agent;
  person?: Credentials;
  /** The kind of the client, which authenticates at the token endpoint. */
  kind?: ClientKind;
  scope?: string;
  /** Parameters of the request, in addition to the app's own. */
  parameters?: Record<string, string>;
}

/** An app's request in a browser, and the page that it has reached. */
export class Flow {
  returnUrl = '';

  private constructor(
    readonly app: SmartApp,
    private readonly issuer: string,
    public page: URL,
  ) {
    this.arriveAt(page);
  }

  /** Starts the request, and signs in if it leads to the sign-in page. */
  static async begin(
    portal: Pick<TestPortal, 'issuer' | 'fhirBase'>,
    client: { clientId: string },
    { browser = new Agent(portal.issuer), person = people.patient, kind, scope, parameters = {} }: FlowOptions = {},
  ): Promise<Flow> {
    const launch = { client, parameters, ...(scope === undefined ? {} : { scope }) };
    const app = kind ? kind.app(portal, client, launch, browser) : new SmartApp(portal, launch, browser);
    const flow = new Flow(app, portal.issuer, new URL((await app.authorize()).location ?? ''));
    if (flow.page.pathname !== '/login') return flow;
    const signedIn = await app.signIn(person, flow.returnUrl);
    if (signedIn.status !== 200) throw new Error(`sign-in answered ${signedIn.status}: ${signedIn.text}`);
    return flow.followToNextPage();
  }

  async followToNextPage(): Promise<this> {
    this.arriveAt(new URL(await this.app.follow(this.returnUrl)));
    return this;
  }

  private arriveAt(page: URL): void {
    this.page = page;
    this.returnUrl = page.searchParams.get('returnUrl') ?? '';
  }

  /** The path of the page, or `app` when the app has its response. */
  get path(): string {
    return this.page.origin === this.issuer ? this.page.pathname : 'app';
  }

  call(path: string, send: { method?: string; body?: unknown } = {}, browser = this.app.browser): Promise<Answer> {
    return browser.send(`${path}?${new URLSearchParams({ returnUrl: this.returnUrl })}`, send);
  }

  async disclaimers() {
    const answer = await this.call('/api/disclaimer');
    if (answer.status !== 200) throw new Error(`the disclaimers answered ${answer.status}: ${answer.text}`);
    return answer.json<DisclaimerList>().disclaimers;
  }

  async disclaimerIds(): Promise<string[]> {
    return (await this.disclaimers()).map(({ id }) => id);
  }

  agree(disclaimerIds: unknown, more: object = {}): Promise<Answer> {
    return this.call('/api/disclaimer', { method: 'POST', body: { disclaimerIds, ...more } });
  }

  async agreeToAll(): Promise<this> {
    const answer = await this.agree(await this.disclaimerIds());
    if (answer.status !== 204) throw new Error(`agreeing answered ${answer.status}: ${answer.text}`);
    return this.followToNextPage();
  }

  async progress() {
    return (await this.call('/api/authorization')).json<{ clientName: string; step: number; total: number }>();
  }

  /** Cancels the request. */
  cancel(): Promise<Answer> {
    return this.call('/api/authorization', { method: 'DELETE' });
  }
}
