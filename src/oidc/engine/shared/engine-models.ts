import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings, ClientType } from '../../../contract/clients.js';
import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import type { UserType } from '../../../contract/session.js';
import type { ChosenResource, Launch } from '../../domain/launch.js';

/** The engine's models that use cases handle; only `engine/` imports the engine itself. */
export type { Interaction, Session } from 'oidc-provider';

/** Members that Gatehouse adds to the engine's models. */
export interface GrantExtras {
  launch?: Launch;
  /** Uid of the session that the grant ends with; absent when the client may keep access beyond it (`offline_access`). */
  sessionUid?: string | undefined;
  /** Id of the launch that led to it, for its record of activity. */
  launchId?: string;
}
export interface SessionExtras {
  userType?: UserType;
  remembered?: boolean;
  /** Time of the second factor; seconds since 1970. */
  secondFactorAt?: number | undefined;
  /** Scheme of the provider at which the user signed in; absent for a sign-in here. */
  identityProvider?: string | undefined;
  /** Data for signing out at that provider: its id_token, sealed by the code that reads it. */
  logoutHint?: string | undefined;
  /** Identifies the sign-in: a new sign-in in the same session has another value. */
  signIn?: string;
  /** Time of a sign-in for which that provider has asked the user again who they are; seconds since 1970. */
  confirmedAt?: number | undefined;
}
export interface InteractionExtras {
  /** SHA-256 of the browser binding cookie. */
  browser?: string;
  launchId?: string;
}
/** A pushed request belongs to a launch, too. */
export interface PushedRequestExtras {
  launchId?: string;
}

/** Data that the launch-context step adds to an interaction's result. */
export interface ContextResult {
  launchContext?: { accountId: string; chosen: ChosenResource[] };
}

/** Number of pages that the user has completed in this authorization. */
export interface PassedResult {
  passedPages?: number;
}

/** Facts of the clients module about a client, carried on the engine's Client. */
export interface ClientExtras {
  gatehouse: {
    name: string;
    type: ClientType;
    settings: ClientSettings;
    hasSharedSecret: boolean;
    /** Public keys by value, and the URLs of further keys. */
    keys: readonly PublicJwk[];
    jwksUrls: readonly string[];
  };
}

type ModelClass = { IN_PAYLOAD: string[] };

/** Must run before a model is first used: the engine reads the list of members once. */
export function extendModels(provider: Provider): void {
  extend(provider.Grant as unknown as ModelClass, 'launch', 'sessionUid', 'launchId');
  extend(
    provider.Session as unknown as ModelClass,
    'userType',
    'remembered',
    'secondFactorAt',
    'identityProvider',
    'logoutHint',
    'signIn',
    'confirmedAt',
  );
  extend(provider.Interaction as unknown as ModelClass, 'browser', 'launchId');
  extend(provider.PushedAuthorizationRequest as unknown as ModelClass, 'launchId');
}

function extend(model: ModelClass, ...members: string[]): void {
  const own = model.IN_PAYLOAD;
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => [...own, ...members] });
}

/**
 * The request that the engine is processing. There is none in middleware around the engine, neither before nor after
 * its `next()`, and none in calls from other modules: code that needs a request must fail there instead of guessing.
 */
export function engineRequest(): KoaContextWithOIDC {
  const { ctx } = Provider;
  if (!ctx) throw new Error('called outside of a request to the engine');
  return ctx;
}

/** The registered client of a request. */
export function gatehouseClient(client: unknown): ClientExtras['gatehouse'] {
  const extras = (client as Partial<ClientExtras> | undefined)?.gatehouse;
  if (!extras) throw new errors.InvalidClient('client is invalid', 'no registration');
  return extras;
}
