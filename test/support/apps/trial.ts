import type { StartedTrial, TrialRequest, TrialView } from '../../../src/contract/clients/launch-trial.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import { people } from '../users/people.js';

/** An administrator's browser in which launches are tried. */
export class TrialBrowser extends Agent {
  static async signedIn(
    portal: TestPortal,
    person: { email: string; password: string } = people.admin,
  ): Promise<TrialBrowser> {
    const browser = new TrialBrowser(portal.issuer);
    const { email: username, password } = person;
    const answer = await browser.post('/api/session/login', { username, password, rememberLogin: false });
    if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
    return browser;
  }

  async recordIdOf(clientId: string): Promise<string> {
    const { clients } = (await this.get(`/api/admin/client?searchTerm=${clientId}`)).json<{
      clients: { id: string; clientId: string }[];
    }>();
    const found = clients.find((one) => one.clientId === clientId);
    if (!found) throw new Error(`no client ${clientId}`);
    return found.id;
  }

  async start(clientId: string, request: TrialRequest): Promise<Answer> {
    return this.post(`/api/admin/client/${await this.recordIdOf(clientId)}/trial`, request);
  }

  /** Starts a trial and opens its authorization request; returns where the browser is then. */
  async begin(clientId: string, request: TrialRequest): Promise<{ id: string; at: URL }> {
    const answer = await this.start(clientId, request);
    if (answer.status !== 201) throw new Error(`the trial was answered with ${answer.status}: ${answer.text}`);
    const { id, authorize } = answer.json<StartedTrial & Record<string, unknown>>();
    return { id, at: await this.follow(authorize ?? '') };
  }

  /** Agrees on the consent page to all that it offers, or to these scopes; returns where the browser is then. */
  async consent(at: URL, scopes?: string[]): Promise<URL> {
    const returnUrl = at.searchParams.get('returnUrl') ?? '';
    const offered = (await this.get(`/api/consent?${new URLSearchParams({ returnUrl })}`)).json<{
      identityScopes: { value: string }[];
      apiScopes: { value: string }[];
      contextVersion: string;
    }>();
    const place = await this.get(`/api/authorization?${new URLSearchParams({ returnUrl })}`);
    if (place.status !== 200) throw new Error(`the place of the request was answered with ${place.status}`);
    const all = [...offered.identityScopes, ...offered.apiScopes].map(({ value }) => value);
    const decision = { returnUrl, rememberConsent: true, scopesConsented: scopes ?? all };
    const answer = await this.post('/api/consent', { ...decision, contextVersion: offered.contextVersion });
    if (answer.status !== 204) throw new Error(`consent was answered with ${answer.status}: ${answer.text}`);
    return this.follow(returnUrl);
  }

  /** Brings the answer that the page of the trial was opened with. */
  answer(id: string, at: URL): Promise<Answer> {
    const [code, error] = [at.searchParams.get('code'), at.searchParams.get('error')];
    const errorDescription = at.searchParams.get('error_description');
    return this.post(`/api/admin/launch-trial/${id}/answer`, {
      ...(code !== null && { code }),
      ...(error !== null && { error }),
      ...(errorDescription !== null && { errorDescription }),
    });
  }

  async view(id: string): Promise<TrialView> {
    const answer = await this.get(`/api/admin/launch-trial/${id}`);
    if (answer.status !== 200) throw new Error(`the trial was answered with ${answer.status}: ${answer.text}`);
    return answer.json<TrialView & Record<string, unknown>>();
  }

  /** A whole try. */
  async tried(clientId: string, request: TrialRequest): Promise<TrialView> {
    const { id, at } = await this.begin(clientId, request);
    const answered = at.pathname.endsWith('/user/consent') ? await this.consent(at) : at;
    const answer = await this.answer(id, answered);
    if (answer.status !== 204) throw new Error(`the answer was answered with ${answer.status}: ${answer.text}`);
    return this.view(id);
  }

  private async follow(path: string): Promise<URL> {
    let at = path;
    for (let hop = 0; hop < 10; hop += 1) {
      const answer = await this.get(at);
      if (answer.location === undefined) return new URL(at, this.issuer);
      at = answer.location;
      if (!new URL(at).pathname.includes('/connect/')) return new URL(at);
    }
    throw new Error(`redirected for ever, last to ${at}`);
  }
}
