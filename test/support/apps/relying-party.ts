import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { confidentialApp, redirectUri, sharedSecret } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import { type Credentials, people } from '../users/people.js';
import { basicAuthorization } from './smart-app.js';

export type ResponseMode = 'query' | 'form_post';

/** The end of an authorization request: a page of the portal, the app, or an error page. */
export interface Arrival {
  page?: URL;
  /** The parameters that the app received. */
  answer?: Record<string, string>;
  status?: number;
}

export interface TokenAnswer {
  access_token: string;
  id_token: string;
  refresh_token?: string;
  scope: string;
  token_type: string;
  expires_in: number;
}

/** An OpenID Connect client without SMART, like that of the OpenID Foundation's conformance suite. */
export class RelyingParty {
  readonly state = randomBytes(12).toString('base64url');
  readonly nonce = randomBytes(12).toString('base64url');

  constructor(
    private readonly portal: TestPortal,
    private readonly mode: ResponseMode,
    readonly browser = new Agent(portal.issuer),
    private readonly clientId = confidentialApp.clientId,
  ) {}

  /** The authorization request; undefined leaves a parameter out. */
  request(parameters: Record<string, string | undefined> = {}): Record<string, string> {
    const all = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      scope: 'openid',
      state: this.state,
      nonce: this.nonce,
      // The default mode is not named.
      response_mode: this.mode === 'query' ? undefined : this.mode,
      ...parameters,
    };
    return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  authorize(parameters: Record<string, string | undefined> = {}): Promise<Arrival> {
    return this.visit(`/connect/authorize?${new URLSearchParams(this.request(parameters))}`);
  }

  /** Follows redirects within the engine until a page or the app is reached. */
  async visit(path: string, first?: Answer): Promise<Arrival> {
    let answer = first ?? (await this.browser.get(path, { headers: { accept: 'text/html' } }));
    for (let hop = 0; hop < 10 && answer.location !== undefined; hop += 1) {
      const at = new URL(answer.location);
      if (at.origin + at.pathname === redirectUri) return this.arrived('query', Object.fromEntries(at.searchParams));
      if (!at.href.startsWith(`${this.portal.issuer}/connect/`)) return { page: at };
      answer = await this.browser.get(at.href, { headers: { accept: 'text/html' } });
    }
    if (!answer.text.includes(`action="${redirectUri}"`)) return { status: answer.status };
    const inputs = answer.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    return this.arrived('form_post', Object.fromEntries([...inputs].map(([, name, value]) => [name, value])));
  }

  /** Signs in on the page that the request led to, and continues. */
  async signIn({ page }: Arrival, { email, password }: Credentials = people.patient): Promise<Arrival> {
    if (page?.pathname !== '/login') throw new Error(`not the sign-in page but ${page}`);
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    const answer = await this.browser.post('/api/session/login', { username: email, password, returnUrl });
    if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
    return this.visit(returnUrl);
  }

  /** The whole flow to the tokens, for a user without a session. */
  async tokens(parameters: Record<string, string | undefined> = {}): Promise<TokenAnswer> {
    return this.exchanged(await this.signIn(await this.authorize(parameters)));
  }

  async exchanged({ answer, page, status }: Arrival): Promise<TokenAnswer> {
    const exchange = await this.exchange(answer?.code ?? `none, but ${page ?? status} ${JSON.stringify(answer)}`);
    if (exchange.status !== 200) throw new Error(`${JSON.stringify(answer)} then ${exchange.text}`);
    return exchange.json<TokenAnswer & Record<string, unknown>>();
  }

  exchange(code: string, parameters: Record<string, string> = {}, by: 'basic' | 'post' = 'basic'): Promise<Answer> {
    return this.token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...parameters }, by);
  }

  token(form: Record<string, string>, by: 'basic' | 'post' = 'basic'): Promise<Answer> {
    const secret = { client_id: this.clientId, client_secret: sharedSecret };
    return by === 'post'
      ? new Agent(this.portal.issuer).postForm('/connect/token', { ...form, ...secret })
      : new Agent(this.portal.issuer).postForm('/connect/token', form, {
          headers: basicAuthorization(this.clientId, sharedSecret),
        });
  }

  /** Verifies the id_token (OpenID Connect Core §3.1.3.7). */
  async verified(idToken: string): Promise<{ claims: JWTPayload; header: JWTHeaderParameters }> {
    const { jwks_uri: uri } = (await this.browser.get('/.well-known/openid-configuration')).json<{
      jwks_uri: string;
    }>();
    const keys = createLocalJWKSet((await new Agent(this.portal.issuer).get(uri)).json());
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer: this.portal.issuer,
      audience: this.clientId,
      requiredClaims: ['sub', 'iat', 'exp'],
    });
    return { claims: payload, header: protectedHeader };
  }

  private arrived(mode: ResponseMode, answer: Record<string, string>): Arrival {
    if (mode !== this.mode) throw new Error(`answered by ${mode}`);
    return { answer };
  }
}
