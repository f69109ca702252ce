import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { Config, type IdentityProvider } from '../../../platform/config/config.js';
import { Outbound, type OutboundAnswer, OutboundError } from '../../../platform/http/outbound.js';

const maxBytes = 256 * 1024;
/** Longest wait for a provider, at each end of a sign-in (security K-11). */
export const patienceMs = 5_000;
const keysTimeoutMs = 2_500;
const freshMs = 10 * 60_000;
/** A key that is not in the set may be new, so the provider is asked again at once, but not more often. */
const looksAMinute = 5;
/** A provider that is down is not asked by every request. */
const restMs = 2_000;
/** Asymmetric algorithms only: a shared or missing key would let the user make the id_token (security K-03). */
export const idTokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

const webAddress = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol));
/** OpenID Connect Discovery §3, as far as it is used. */
const metadataSchema = z.object({
  issuer: webAddress,
  authorization_endpoint: webAddress,
  token_endpoint: webAddress,
  jwks_uri: webAddress,
  userinfo_endpoint: webAddress.optional(),
  end_session_endpoint: webAddress.optional(),
  /** RFC 9207 §3 */
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type ProviderMetadata = z.infer<typeof metadataSchema>;

/** The provider's answer does not match a request of ours, or has no trustworthy content. */
export class UnusableAnswer extends Error {}

/** A provider that has been asked what it offers. */
export interface ConnectedProvider {
  settings: IdentityProvider;
  metadata: ProviderMetadata;
  keys: JWTVerifyGetKey;
  /** Requests to it. */
  outbound: Outbound;
}

/**
 * The OpenID providers of the configuration. What one publishes of itself, and its keys, is believed for ten minutes;
 * for a key that is not known it is asked again at once. Their own hosts may be private ones, since the deployer named
 * them; what their documents name may not.
 */
@Injectable()
export class IdentityProviders implements OnModuleDestroy {
  private readonly known = new Map<string, { provider: ConnectedProvider; until: number }>();
  private readonly pending = new Map<string, Promise<ConnectedProvider>>();
  private readonly failures = new Map<string, { error: unknown; until: number }>();
  private readonly outbound: Outbound;

  constructor(private readonly config: Config) {
    const own = config.identityProviders.map(({ authority }) => new URL(authority).hostname.replace(/^\[|\]$/g, ''));
    this.outbound = new Outbound([...config.outbound.allowedPrivateHosts, ...own]);
  }

  async onModuleDestroy(): Promise<void> {
    await this.outbound.close();
  }

  settingsOf(scheme: string): IdentityProvider | undefined {
    return this.config.identityProviders.find((provider) => provider.scheme === scheme);
  }

  /** Throws {@link OutboundError} when the provider does not say what it has to. */
  async connect(settings: IdentityProvider): Promise<ConnectedProvider> {
    const { scheme } = settings;
    const known = this.known.get(scheme);
    if (known && known.until > Date.now()) return known.provider;
    const failure = this.failures.get(scheme);
    if (failure && failure.until > Date.now()) throw failure.error;
    let pending = this.pending.get(scheme);
    if (!pending) {
      pending = this.discover(settings).finally(() => this.pending.delete(scheme));
      this.pending.set(scheme, pending);
    }
    return pending;
  }

  private async discover(settings: IdentityProvider): Promise<ConnectedProvider> {
    const { scheme } = settings;
    try {
      const metadata = await this.readMetadata(settings);
      const keys = this.known.get(scheme)?.provider;
      const provider = {
        settings,
        metadata,
        keys: keys?.metadata.jwks_uri === metadata.jwks_uri ? keys.keys : this.keysAt(metadata.jwks_uri),
        outbound: this.outbound,
      };
      this.known.set(scheme, { provider, until: Date.now() + freshMs });
      this.failures.delete(scheme);
      return provider;
    } catch (error) {
      this.failures.set(scheme, { error, until: Date.now() + restMs });
      throw error;
    }
  }

  private async readMetadata({ authority }: IdentityProvider): Promise<ProviderMetadata> {
    const base = authority.replace(/\/$/, '');
    const address = `${base}/.well-known/openid-configuration`;
    const asked = this.outbound.send(address, {
      headers: { accept: 'application/json' },
      timeoutMs: patienceMs,
      maxBytes,
    });
    const answer = await answeredBy('discovery document', asked);
    if (answer.status !== 200) throw new OutboundError(`the discovery document had the status ${answer.status}`);
    const parsed = metadataSchema.safeParse(parseJson(answer.body.toString('utf8')));
    if (!parsed.success) {
      const wrong = parsed.error.issues.map(({ path }) => path.join('.') || 'all of it');
      throw new OutboundError(`the discovery document cannot be used: ${wrong.join(', ')}`);
    }
    const { data: metadata } = parsed;
    // The issuer in the metadata decides which id_tokens are the provider's own (RFC 9207 §2.4, OpenID Connect
    // Discovery §4.3).
    if (metadata.issuer.replace(/\/$/, '') !== base)
      throw new OutboundError('the discovery document names another issuer');
    const plain = Object.values(metadata).some((value) => typeof value === 'string' && value.startsWith('http:'));
    if (plain && base.startsWith('https:'))
      throw new OutboundError('the discovery document names addresses without TLS');
    return metadata;
  }

  private keysAt(address: string): JWTVerifyGetKey {
    const published = createRemoteJWKSet(new URL(address), {
      timeoutDuration: keysTimeoutMs,
      cacheMaxAge: freshMs,
      // The default would not reload the keys for a while after any load.
      cooldownDuration: freshMs,
      [customFetch]: async (url) => {
        const request = { headers: { accept: 'application/json' }, timeoutMs: keysTimeoutMs, maxBytes };
        const { status, body } = await answeredBy('key set', this.outbound.send(url, request));
        if (status !== 200) throw new UnusableAnswer(`the key set had the status ${status}`);
        return new Response(new Uint8Array(body), { status });
      },
    });
    let looks: number[] = [];
    return async (header, token) => {
      try {
        return await published(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        looks = looks.filter((at) => at > Date.now() - 60_000);
        if (!published.reloading) {
          if (looks.length >= looksAMinute) throw error;
          looks.push(Date.now());
        }
        await published.reload();
        return published(header, token);
      }
    };
  }
}

/**
 * The answer of a part of a provider. Throws {@link OutboundError}, which names the part, without one, and for a
 * failure of the provider (5xx).
 */
export async function answeredBy(part: string, answer: Promise<OutboundAnswer>): Promise<OutboundAnswer> {
  const { status, ...rest } = await answer.catch((cause: Error) => {
    throw new OutboundError(`the ${part} could not be read: ${cause.message}`, { cause });
  });
  if (status >= 500) throw new OutboundError(`the ${part} had the status ${status}`);
  return { status, ...rest };
}

/** Undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
