import type { UserType } from '../../contract/session.js';
import type { ChosenResource, EhrContext, LaunchSources, Represented } from './launch.js';
import type { Trial } from './trial.js';

/** A launch that an EHR announced, with its user if the EHR named one. */
export interface EhrLaunch {
  context: EhrContext;
  clientId?: string;
  /** `sub` or `fhirUser` (`Practitioner/1`) of the user. */
  user?: string;
  /** Id of the tenant of the launch's patient. */
  tenant?: string;
  /** Id of the trial that it belongs to. */
  trialId?: string;
  /** Names in the announcement that were not read, in one text. */
  unread?: string;
}

/** The user of an authorization, as far as a launch context depends on it. */
export interface LaunchUser {
  id: string;
  userType: UserType;
  /** The user's own record, `{Type}/{id}`. */
  fhirUser: string | undefined;
}

/** A FHIR base, by its tenant. */
export interface LaunchBase {
  tenant: { id: string } | undefined;
}

/** An authorization whose launch context is to be found. */
export interface LaunchRequest {
  /** The `launch` parameter. */
  launch: unknown;
  clientId: string;
  account: LaunchUser;
  /** FHIR base that the client requested. */
  base: LaunchBase;
  chosen: ChosenResource[];
  /** The trial that the authorization belongs to. */
  trial: Trial | undefined;
  /** True for a question by which nothing is refused: the record of the launch gets no cause from it. */
  isQuestion?: boolean;
}

/** The reason why a launch cannot be used. */
export type LaunchFault =
  | { reason: 'unknown' }
  | { reason: 'malformed'; length: number }
  | { reason: 'damaged'; damage: string }
  | { reason: 'used' | 'expired'; secondsAgo: number }
  | { reason: 'foreign'; clientId: string }
  | { reason: 'other-tenant'; tenant: string | undefined };

/** True if a practitioner (`Practitioner/…`) of a tenant may have this context. */
export type LaunchAdmission = (
  context: EhrContext,
  practitioner: string,
  tenant: string | undefined,
) => Promise<boolean>;

/**
 * The `launch` values of EHR launches: 256 random bits, stored hashed, valid for ten minutes and for one code. The
 * value travels through browsers, so it grants nothing by itself: its user has to sign in and needs permission for the
 * launch context.
 */
export abstract class EhrLaunches {
  /** Registers the check of another module that limits for whom a practitioner may launch a client. */
  abstract limitBy(admits: LaunchAdmission): void;

  /** Registers a launch; returns the value of the `launch` parameter. */
  abstract register(launch: EhrLaunch): Promise<string>;

  /** Finds a launch; undefined when it is unknown, expired, used, or for another client or FHIR base. */
  abstract findForClient(id: string, clientId: string, base: LaunchBase): Promise<EhrLaunch | undefined>;

  /** The reason why {@link findForClient} finds no launch; undefined if it finds one. */
  abstract fault(id: string, clientId: string, base: LaunchBase): Promise<LaunchFault | undefined>;

  /** Sources of this authorization's context; undefined when its `launch` value is not for it. */
  abstract sources(request: LaunchRequest): Promise<LaunchSources | undefined>;

  /**
   * The part of the relationship that a grant stores. In the transaction that stores the grant: an end of the
   * relationship comes before or after. Throws `conflict` if it has ended.
   */
  abstract basisOf(acting: Represented): Promise<{ id: string; fhirUser?: string | undefined }>;

  /** Consumes the launch: true for exactly one caller. */
  abstract use(id: string): Promise<boolean>;
}

/** True if the launch is for this user and shows only permitted data: a patient never gets another patient's record. */
export function mayUse({ context, user }: EhrLaunch, { id, userType, fhirUser }: LaunchUser): boolean {
  if (user !== undefined && user !== id && user !== fhirUser) return false;
  if (userType !== 'Patient' && userType !== 'RelatedPerson') return userType === 'Practitioner';
  const { patient, encounter, fhirContext } = context;
  if (patient === undefined) return encounter === undefined && fhirContext === undefined;
  return fhirUser === `Patient/${patient}`;
}
