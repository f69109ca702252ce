import Provider, { errors } from 'oidc-provider';
import type { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import type { RepresentedTokens } from './represented-tokens.js';

interface Presented {
  consumed?: unknown;
  grantId?: string | undefined;
  clientId?: string;
  accountId?: string;
}

type Find = (value: string, options?: object) => Promise<Presented | undefined>;

/** Seconds after which an app that the user has paused may try again. */
const tryAgainSeconds = 900;

/** RFC 6749 §5.2 has no code for it, and `invalid_grant` would have apps drop a token that works again later. */
export class PausedByUser extends errors.CustomOIDCProviderError {
  constructor() {
    super('temporarily_unavailable', 'the user has paused this app; keep the token and try again later');
  }
}

/**
 * Refuses codes and refresh tokens of an app that the user has paused, before they are used: they stay as they are. One
 * that was used before is treated as without a pause: the answer that was lost is repeated, or a reuse ends the access.
 * Access tokens are refused at userinfo, and can be revoked.
 */
export function installPauses(provider: Provider, paused: PausedApps, represented: RepresentedTokens): void {
  const isPaused = ({ accountId, clientId, grantId }: Presented) =>
    paused.isPaused(accountId, clientId, () => represented.representationOf(grantId));
  for (const model of [provider.AuthorizationCode, provider.RefreshToken] as const) {
    wrap(model, async (found) => {
      const { ctx } = Provider;
      const isUse = ctx?.oidc.route === 'token' && found.clientId === ctx.oidc.client?.clientId && !found.consumed;
      if (!ctx || !isUse || !(await isPaused(found))) return found;
      ctx.set('Retry-After', String(tryAgainSeconds));
      throw new PausedByUser();
    });
  }
  wrap(provider.AccessToken, async (found) => {
    if (Provider.ctx?.oidc.route !== 'userinfo') return found;
    return (await isPaused(found)) ? undefined : found;
  });
}

function wrap(model: object, limit: (found: Presented) => Promise<Presented | undefined>): void {
  const find = (model as { find: Find }).find.bind(model);
  Object.defineProperty(model, 'find', {
    async value(...of: Parameters<Find>) {
      const found = await find(...of);
      return found && limit(found);
    },
  });
}
