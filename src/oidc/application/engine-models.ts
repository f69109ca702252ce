import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings, ClientType } from '../../contract/clients.js';
import type { PublicJwk } from '../../contract/rules/jwk.js';
import type { UserType } from '../../contract/session.js';
import type { ChosenResource, Launch } from './launch.js';

/** What we keep on the engine's models beyond its own members. */
export interface GrantExtras {
  launch?: Launch;
  /** The session it ends with; absent when the app may stay beyond it (`offline_access`). */
  sessionUid?: string | undefined;
}
export interface SessionExtras {
  userType?: UserType;
  remembered?: boolean;
  /** When the second factor was proven; seconds since 1970. */
  secondFactorAt?: number | undefined;
  /** Scheme of the provider at which the person signed in; absent when it was here. */
  identityProvider?: string | undefined;
  /** For signing out there as well: its id_token, sealed by whoever reads it. */
  logoutHint?: string | undefined;
  /** Names the sign-in: whoever signs in again in the same session has another one. */
  signIn?: string;
}
export interface InteractionExtras {
  /** SHA-256 of the browser binding cookie. */
  browser?: string;
}

/** What the launch-context step adds to an interaction's result. */
export interface ContextResult {
  launchContext?: { accountId: string; chosen: ChosenResource[] };
}

/** How many pages the person has been through in this authorization. */
export interface PassedResult {
  passedPages?: number;
}

/** What the clients room says of a client, carried on the engine's Client. */
export interface ClientExtras {
  gatehouse: {
    name: string;
    type: ClientType;
    settings: ClientSettings;
    hasSharedSecret: boolean;
    /** Public keys that were given by value, and where it publishes more. */
    keys: readonly PublicJwk[];
    jwksUrls: readonly string[];
  };
}

type ModelClass = { IN_PAYLOAD: string[] };

/** Must run before a model is first used: the engine reads the list of members once. */
export function extendModels(provider: Provider): void {
  extend(provider.Grant as unknown as ModelClass, 'launch', 'sessionUid');
  extend(
    provider.Session as unknown as ModelClass,
    'userType',
    'remembered',
    'secondFactorAt',
    'identityProvider',
    'logoutHint',
    'signIn',
  );
  extend(provider.Interaction as unknown as ModelClass, 'browser');
}

function extend(model: ModelClass, ...members: string[]): void {
  const own = model.IN_PAYLOAD;
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => [...own, ...members] });
}

/**
 * The request that the engine is working on. There is none in middleware around the engine, neither before nor after its
 * `next()`, and none in calls from other rooms: what is right only with a request must fail there instead of guess.
 */
export function engineRequest(): KoaContextWithOIDC {
  const { ctx } = Provider;
  if (!ctx) throw new Error('called outside of a request to the engine');
  return ctx;
}

/** The client of a request as we registered it. */
export function gatehouseClient(client: unknown): ClientExtras['gatehouse'] {
  const extras = (client as Partial<ClientExtras> | undefined)?.gatehouse;
  if (!extras) throw new errors.InvalidClient('client is invalid', 'no registration');
  return extras;
}
