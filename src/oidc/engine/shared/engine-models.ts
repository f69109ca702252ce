import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { PatientSource } from '../../../contract/audit/access-detail.js';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import type { ClientType } from '../../../contract/clients/clients.js';
import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import type { UserType } from '../../../contract/session.js';
import type { BrowserFamily } from '../../../contract/users/account.js';
import type { ChosenResource, Launch } from '../../domain/launch.js';
import type { Trial } from '../../domain/trial.js';

/** The engine's models that use cases handle; only `engine/` imports the engine itself. */
export type { Interaction, Session } from 'oidc-provider';

/** Members that Gatehouse adds to the engine's models. */
export interface GrantExtras {
  launch?: Launch;
  /**
   * Uid of the session that the grant ends with; absent when the client may keep access beyond it (`offline_access`).
   */
  sessionUid?: string | undefined;
  /** Id of the launch that led to it, for its record of activity. */
  launchId?: string;
  /** True if it has lost scopes: codes and tokens that were issued before permit only what is left. */
  narrowed?: true;
  /** The way in which its patient was found, for the record of accesses. */
  patientSource?: PatientSource | undefined;
  /** Id of the trial that it belongs to: no app has its tokens. */
  trialId?: string;
  /** The relationship by which the user acts for the patient, and the user's resource for this patient. */
  representation?: { id: string; fhirUser?: string | undefined } | undefined;
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
  /**
   * Time of a proof after the sign-in, in seconds since 1970: by a passkey, or at that provider, which has asked again.
   */
  confirmedAt?: number | undefined;
  /** The browser of the sign-in; absent in sessions of earlier versions. */
  family?: BrowserFamily;
  /** Id of the passkey with which the user signed in. */
  passkeyId?: string | undefined;
}
export interface InteractionExtras {
  /** SHA-256 of the browser binding cookie. */
  browser?: string;
  launchId?: string;
  trial?: Trial;
}
/** A pushed request belongs to a launch, too. */
export interface PushedRequestExtras {
  launchId?: string;
  trial?: Trial;
}

/** Data that the launch-context step adds to an interaction's result. */
export interface ContextResult {
  launchContext?: {
    accountId: string;
    chosen: ChosenResource[];
    /**
     * The request's scopes before this choice, for another one; absent in a request of an earlier version, as is
     * `pages`.
     */
    scope?: string;
    /** Number of pages on which the user chose. */
    pages?: number;
  };
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
  extend(
    provider.Grant as unknown as ModelClass,
    ...['launch', 'sessionUid', 'launchId', 'narrowed', 'patientSource', 'trialId', 'representation'],
  );
  extend(provider.AuthorizationCode as unknown as ModelClass, 'trialId');
  extend(
    provider.Session as unknown as ModelClass,
    'userType',
    'remembered',
    'secondFactorAt',
    'identityProvider',
    'logoutHint',
    'signIn',
    'confirmedAt',
    'family',
    'passkeyId',
  );
  extend(provider.Interaction as unknown as ModelClass, 'browser', 'launchId', 'trial');
  extend(provider.PushedAuthorizationRequest as unknown as ModelClass, 'launchId', 'trial');
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

/** Marks in the state of a client's sign-out request that the user must confirm it. */
export interface LogoutState {
  unregisteredTarget?: boolean;
}
