import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { publicApp, redirectUri } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import type { Credentials } from '../users/people.js';

export interface Launch {
  client?: { clientId: string };
  /** A secret, which is sent by HTTP Basic. */
  secret?: string;
  /** Other credentials for the token endpoint ({@link ./client-kinds.js}). */
  prove?: () => Promise<{ form?: Record<string, string>; headers?: Record<string, string> }>;
  scope?: string;
  /** Parameters that replace or extend the authorization request; undefined leaves one out. */
  parameters?: Record<string, string | undefined>;
}

export interface Tokens {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
  scope: string;
  expires_in: number;
  token_type: string;
  patient?: string;
  [member: string]: unknown;
}

/** An app and its user, from the authorization request to the tokens, over HTTP. */
export class SmartApp {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(12).toString('base64url');
  private readonly clientId: string;

  constructor(
    private readonly portal: Pick<TestPortal, 'issuer' | 'fhirBase'>,
    private readonly launch: Launch = {},
    readonly browser = new Agent(portal.issuer),
  ) {
    this.clientId = launch.client?.clientId ?? publicApp.clientId;
  }

  /** The query of the authorization request. */
  query(): string {
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      scope: this.launch.scope ?? 'openid fhirUser launch/patient patient/*.rs offline_access',
      state: this.state,
      aud: this.portal.fhirBase,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...this.launch.parameters,
    };
    const present = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return new URLSearchParams(present).toString();
  }

  get authorizationPath(): string {
    return `/connect/authorize?${this.query()}`;
  }

  authorize(): Promise<Answer> {
    return this.browser.get(this.authorizationPath);
  }

  /** The returnUrl of the page that the authorization request led to. */
  async begin(): Promise<string> {
    return returnUrlOf(await this.authorize());
  }

  signIn({ email, password }: Credentials, returnUrl?: string): Promise<Answer> {
    return this.browser.post('/api/session/login', { username: email, password, returnUrl, rememberLogin: false });
  }

  /** Signs out by the app's request, as the script of the portal's page does; returns the address of the redirect. */
  async signOutByApp(address: string): Promise<string | undefined> {
    const page = await this.browser.get(address);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    return (await this.browser.postForm(action, { xsrf: field('xsrf'), logout: field('logout') })).location;
  }

  /** Follows redirects within the portal until a page or the app is reached. */
  async follow(path: string): Promise<string> {
    let at = path;
    for (let hop = 0; hop < 10; hop += 1) {
      const answer = await this.browser.get(at);
      if (answer.location === undefined) return new URL(at, this.portal.issuer).href;
      at = answer.location;
      if (!at.startsWith(`${this.portal.issuer}/connect/`)) return at;
    }
    throw new Error(`redirected for ever, last to ${at}`);
  }

  /**
   * Signs in and grants all offered scopes (or `scopes`); returns the address of the app with the response.
   * `request` replaces this app's own authorization request.
   */
  async complete(person: Credentials, scopes?: string[], request?: URL): Promise<URL> {
    const first = request ? await this.browser.get(request.href) : await this.authorize();
    let at = first.location ?? '';
    if (at.startsWith(`${this.portal.issuer}/connect/`)) at = await this.follow(at);
    if (this.isAt(at, '/login')) {
      const returnUrl = new URL(at).searchParams.get('returnUrl') ?? '';
      const signedIn = await this.signIn(person, returnUrl);
      if (signedIn.status !== 200) throw new Error(`sign-in answered ${signedIn.status}: ${signedIn.text}`);
      at = await this.follow(returnUrl);
    }
    if (this.isAt(at, '/user/consent')) {
      const returnUrl = new URL(at).searchParams.get('returnUrl') ?? '';
      await this.consent(returnUrl, scopes ?? (await this.offeredScopes(returnUrl)));
      at = await this.follow(returnUrl);
    }
    return new URL(at);
  }

  private isAt(address: string, page: string): boolean {
    return address.split('?', 1)[0] === this.portal.issuer + page;
  }

  async offeredScopes(returnUrl: string): Promise<string[]> {
    const answer = await this.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`);
    const { identityScopes, apiScopes } = answer.json<{
      identityScopes: { value: string }[];
      apiScopes: { value: string }[];
    }>();
    return [...identityScopes, ...apiScopes].map(({ value }) => value);
  }

  consent(returnUrl: string, scopesConsented: string[], rememberConsent = false): Promise<Answer> {
    return this.browser.post('/api/consent', { returnUrl, rememberConsent, scopesConsented });
  }

  /** Consents to everything on the consent page at `address`. Returns the claims of the id_token. */
  async idTokenAt(address: string): Promise<Record<string, unknown>> {
    const { pathname, searchParams } = new URL(address);
    expect(pathname).toBe('/user/consent');
    const returnUrl = searchParams.get('returnUrl') ?? '';
    await this.consent(returnUrl, await this.offeredScopes(returnUrl));
    const landed = new URL(await this.follow(returnUrl));
    const { id_token = '' } = (await this.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    return decodeJwt(id_token);
  }

  exchange(
    code: string,
    parameters: Record<string, string> = {},
    agent = new Agent(this.portal.issuer),
  ): Promise<Answer> {
    return this.token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: this.verifier,
        ...parameters,
      },
      agent,
    );
  }

  refresh(
    refreshToken: string,
    parameters: Record<string, string> = {},
    agent = new Agent(this.portal.issuer),
  ): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...parameters }, agent);
  }

  token(form: Record<string, string>, agent?: Agent): Promise<Answer> {
    return this.post('/connect/token', form, agent);
  }

  revoke(token: string): Promise<Answer> {
    return this.post('/connect/revocation', { token });
  }

  private async post(
    path: string,
    form: Record<string, string>,
    agent = new Agent(this.portal.issuer),
  ): Promise<Answer> {
    const { secret, prove } = this.launch;
    if (prove) {
      const { form: own, headers = {} } = await prove();
      return agent.postForm(path, { ...own, ...form }, { headers });
    }
    if (secret === undefined) return agent.postForm(path, { client_id: this.clientId, ...form });
    return agent.postForm(path, form, { headers: basicAuthorization(this.clientId, secret) });
  }

  async tokens(person: Credentials, scopes?: string[]): Promise<Tokens> {
    const landed = await this.complete(person, scopes);
    const answer = await this.exchange(landed.searchParams.get('code') ?? '');
    if (answer.status !== 200) throw new Error(`${landed} then ${answer.status}: ${answer.text}`);
    return answer.json<Tokens>();
  }
}

export function basicAuthorization(clientId: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` };
}

export function returnUrlOf(answer: Answer): string {
  const returnUrl = new URL(answer.location ?? 'none:').searchParams.get('returnUrl');
  if (returnUrl === null)
    throw new Error(`no page but ${answer.status} ${answer.location} ${answer.text.slice(0, 200)}`);
  return returnUrl;
}
