import { decodeJwt, jwtVerify } from 'jose';
import OpenIDConnectStrategy from 'passport-openidconnect';
import { z } from 'zod';
import { OutboundError } from '../../../platform/http/outbound.js';
import {
  answeredBy,
  type ConnectedProvider,
  idTokenAlgorithms,
  parseJson,
  patienceMs,
  UnusableAnswer,
} from './identity-providers.js';

const maxBytes = 256 * 1024;
const tokensSchema = z.object({ access_token: z.string().min(1), id_token: z.string().min(1) });

/** The parameters of an authentication; all of them follow from the `state`. */
export interface Question {
  state: string;
  nonce: string;
  /** RFC 7636 §4.1 */
  verifier: string;
  challenge: string;
  callback: string;
  prompt?: string | undefined;
  loginHint?: string | undefined;
}

/** The result that the provider has proven. */
export interface Proven {
  /** Claims of the id_token, completed by those of the UserInfo response. */
  claims: Record<string, unknown>;
  subject: string;
  idToken: string;
}

type Done = (error: Error | null, ...results: unknown[]) => void;
/** The part of the package's OAuth 2 client that the strategy calls. */
interface TokenClient {
  getOAuthAccessToken(code: string, parameters: object, done: Done): void;
  get(url: string, accessToken: string, done: Done): void;
}

/**
 * Passport's OpenID Connect for one authentication; passport keeps its outcome on the strategy, so each request has its
 * own, which is never registered by name. The package leaves out what is added here: PKCE (RFC 7636), the signature of
 * the id_token, whether the user info is of the same person, a bound in time and size on all answers, and HTTP Basic.
 * That the `state` is ours, this browser's and new, and the `iss` of RFC 9207, are settled before it is asked.
 */
export class ProviderStrategy extends OpenIDConnectStrategy {
  private readonly until = Date.now() + patienceMs;

  constructor(
    private readonly provider: ConnectedProvider,
    private readonly question: Question,
  ) {
    const { settings, metadata } = provider;
    super(
      {
        issuer: metadata.issuer,
        authorizationURL: metadata.authorization_endpoint,
        tokenURL: metadata.token_endpoint,
        userInfoURL: metadata.userinfo_endpoint ?? '',
        skipUserProfile: metadata.userinfo_endpoint === undefined,
        callbackURL: question.callback,
        clientID: settings.clientId,
        clientSecret: settings.clientSecret,
        // The package puts `openid` before it.
        scope: settings.scope.split(/\s+/).filter((scope) => scope !== '' && scope !== 'openid'),
        prompt: question.prompt,
        loginHint: question.loginHint,
        store: {
          store: (_request, _context, _state, _meta, done) => done(null, question.state),
          verify: (_request, _state, done) => done(null, { nonce: question.nonce }, question.state),
        },
      },
      verify,
    );
    const client = this._oauth2 as unknown as TokenClient;
    client.getOAuthAccessToken = (code, _parameters, done) => this.finish(this.exchange(code), done);
    client.get = (url, accessToken, done) => this.finish(this.readUserInfo(url, accessToken), done);
  }

  override authorizationParams(): object {
    const { nonce, challenge } = this.question;
    return { nonce, code_challenge: challenge, code_challenge_method: 'S256' };
  }

  /** A failure in the package's own code beyond the answer must not become an unhandled rejection. */
  private finish(results: Promise<unknown[]>, done: Done): void {
    results
      .then(
        (values) => done(null, ...values),
        (error: Error) => done(error),
      )
      .catch((error: Error) => this.error(error));
  }

  private async exchange(code: string): Promise<unknown[]> {
    const { settings, metadata } = this.provider;
    const { callback, verifier } = this.question;
    const { clientId, clientSecret } = settings;
    const isBasic = settings.clientAuthentication === 'basic';
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...(isBasic ? {} : { client_id: clientId, client_secret: clientSecret }),
    });
    const asked = this.provider.outbound.send(metadata.token_endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(isBasic ? { authorization: basic(clientId, clientSecret) } : {}),
      },
      body: form.toString(),
      timeoutMs: this.timeLeft(),
      maxBytes,
    });
    const answer = await answeredBy('token endpoint', asked);
    const json = parseJson(answer.body.toString('utf8'));
    const tokens = tokensSchema.safeParse(json);
    if (answer.status !== 200 || !tokens.success) {
      const { error } = (json ?? {}) as { error?: unknown };
      const what =
        typeof error === 'string' ? error.slice(0, 50) : json === undefined ? 'without JSON' : 'without tokens';
      throw new UnusableAnswer(`the token endpoint answered ${answer.status} ${what}`);
    }
    const required = {
      issuer: metadata.issuer,
      audience: clientId,
      algorithms: idTokenAlgorithms,
      requiredClaims: ['sub', 'iat', 'exp'],
    };
    await jwtVerify(tokens.data.id_token, this.provider.keys, required).catch((cause: Error) => {
      if (cause instanceof OutboundError || cause instanceof UnusableAnswer) throw cause;
      throw new UnusableAnswer(`the id_token cannot be accepted: ${cause.message}`, { cause });
    });
    return [tokens.data.access_token, undefined, { id_token: tokens.data.id_token }];
  }

  private async readUserInfo(url: string, accessToken: string): Promise<unknown[]> {
    const asked = this.provider.outbound.send(url, {
      headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
      timeoutMs: this.timeLeft(),
      maxBytes,
    });
    const answer = await answeredBy('user info', asked);
    const text = answer.body.toString('utf8');
    const json = parseJson(text);
    if (answer.status !== 200 || typeof json !== 'object' || json === null) {
      throw new UnusableAnswer(`the user info had the status ${answer.status} and no JSON object`);
    }
    return [text];
  }

  /** All requests of one authentication share one timeout. */
  private timeLeft(): number {
    return Math.max(1, this.until - Date.now());
  }
}

// passport-openidconnect chooses the arguments by the number of declared parameters.
function verify(
  _issuer: string,
  userInfo: object,
  _idProfile: object,
  _context: object,
  idToken: string | object,
  _accessToken: string | object,
  _refreshToken: string,
  _answer: unknown,
  done: OpenIDConnectStrategy.VerifyCallback,
): void {
  try {
    done(null, proven(String(idToken), userInfo as { _json?: object } | undefined));
  } catch (error) {
    done(error as Error);
  }
}

function proven(idToken: string, userInfo: { _json?: object } | undefined): Proven {
  const own = decodeJwt(idToken);
  const more: Record<string, unknown> = { ...userInfo?._json };
  // OpenID Connect Core §5.3.2
  if (userInfo && more.sub !== own.sub)
    throw new UnusableAnswer('the sub of the user info is not that of the id_token');
  const { sub: subject } = own;
  // Core §2: 255 ASCII characters; other values could not be stored or distinguished.
  if (typeof subject !== 'string' || !/^[ -~]{1,255}$/.test(subject)) throw new UnusableAnswer('the sub is invalid');
  return { claims: { ...more, ...own }, subject, idToken };
}

/** RFC 6749 §2.3.1: both parts are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}
