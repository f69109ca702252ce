import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { accessTokenSeconds, codeSeconds, parseLifetime } from '../../../contract/rules/lifetime.js';
import type { UserType } from '../../../contract/session.js';
import type { Config } from '../../../platform/config/config.js';
import { type GrantExtras, gatehouseClient, type SessionExtras } from './engine-models.js';
import type { TrialIdMember } from './trial-at-hand.js';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const interactionSeconds = 15 * minute;
/** A trial revokes its grant when it ends; this is for a node that is lost before. */
const trialGrantSeconds = 3 * minute;
/** Access tokens of users who act for patients, where the gateway does not check the relationship at each request. */
const representedSeconds = 5 * minute;

/** Allowed clock skew for client-signed JWTs, in seconds. */
export const clockToleranceSeconds = 15;

/** The current time in seconds since 1970. */
export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Idle lifetime of a session, in seconds. */
function idleSeconds(limits: Config['account']['session'], userType: UserType | undefined): number {
  return (userType === 'Admin' ? limits.adminIdleMinutes : limits.idleMinutes) * minute;
}

/** Minimum interval between two extensions of a session; short enough also for an idle limit of one minute. */
export function extensionPause({ session }: Config['account'], userType: UserType | undefined): number {
  return Math.min(minute, idleSeconds(session, userType) / 4);
}

/** Remaining seconds at which a user is warned; they need 20 to react (WCAG 2.2.1). */
export function warningSeconds({ session }: Config['account'], userType: UserType | undefined): number {
  return Math.min(2 * minute, idleSeconds(session, userType) / 3);
}

/**
 * Remaining lifetime of a session without further use: the idle limit, never past the absolute one. Remembering a
 * sign-in lifts the idle limit, for Patients and Practitioners only.
 */
export function sessionSeconds(
  { session }: Config['account'],
  { userType, remembered, loginTs }: { userType?: UserType; remembered?: boolean; loginTs?: number },
): number {
  const age = nowSeconds() - (loginTs ?? nowSeconds());
  if (remembered && userType !== 'Admin') return Math.max(1, session.rememberedDays * day - age);
  return Math.max(1, Math.min(idleSeconds(session, userType), session.absoluteHours * hour - age));
}

/** Lifetimes of all models: the engine's own defaults would let a Grant end before its refresh token. */
export function lifetimes(config: Config): Configuration['ttl'] {
  return {
    AccessToken: (ctx, token, client) =>
      Math.min(token.resourceServer?.accessTokenTTL ?? accessSeconds(client), mostSecondsOf(ctx, config)),
    ClientCredentials: (_ctx, token, client) => token.resourceServer?.accessTokenTTL ?? accessSeconds(client),
    AuthorizationCode: codeSeconds,
    IdToken: hour,
    Interaction: interactionSeconds,
    RefreshToken: (ctx, _token, client) => refreshSeconds(ctx, client),
    Grant: (ctx, grant) =>
      (grant as TrialIdMember).trialId !== undefined
        ? trialGrantSeconds
        : grantSeconds(
            (grant as { client?: object }).client ?? ctx.oidc.client ?? {},
            Object.values(grant.resources ?? {}).join(' '),
          ),
    Session: (_ctx, session) =>
      sessionSeconds(config.account, { ...(session as SessionExtras), loginTs: session.loginTs }),
  };
}

/** Without the gateway only introspection and refresh tell that a relationship has ended. */
function mostSecondsOf({ oidc }: KoaContextWithOIDC, { gateway }: Config): number {
  const { representation } = (oidc.entities.Grant ?? {}) as GrantExtras;
  return representation && !gateway.enabled ? representedSeconds : Number.POSITIVE_INFINITY;
}

function accessSeconds(client: object): number {
  return accessTokenSeconds(gatehouseClient(client).settings);
}

/** Each refresh restarts the full lifetime, but a consent with a time limit ends at that limit. */
function refreshSeconds(ctx: KoaContextWithOIDC, client: object): number {
  const { settings } = gatehouseClient(client);
  const full = parseLifetime(settings.refreshTokenLifetime) ?? 90 * day;
  const consented = parseLifetime(settings.consentLifetime);
  const granted = ctx.oidc.entities.Grant?.iat ?? nowSeconds();
  if (consented === undefined) return full;
  return Math.max(1, Math.min(full, granted + consented - nowSeconds()));
}

/**
 * Seconds by which a refresh lets its grant outlive the new refresh token, so that the next refreshes need not change
 * it: its end is in an index. None where the user's consent has an end.
 */
export function spareGrantSeconds(client: object | undefined, refreshSeconds: number): number {
  if (!client || parseLifetime(gatehouseClient(client).settings.consentLifetime) !== undefined) return 0;
  return Math.min(day, Math.floor(refreshSeconds / 90));
}

/**
 * A Grant outlives everything issued under it: the code, then the access token with the gateway's grace, then
 * refreshes.
 */
function grantSeconds(client: object, scope: string): number {
  const { settings } = gatehouseClient(client);
  const access = codeSeconds + accessSeconds(client) + 5 * minute;
  const offline = scope.split(' ').includes('offline_access');
  // With the time until the code is redeemed, the first refresh token need not renew the grant.
  const refresh = codeSeconds + (parseLifetime(settings.refreshTokenLifetime) ?? 90 * day);
  const wanted = offline ? Math.max(access, refresh) : access;
  const consented = parseLifetime(settings.consentLifetime);
  return consented === undefined ? wanted : Math.min(wanted, Math.max(1, consented));
}
