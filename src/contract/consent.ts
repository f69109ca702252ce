import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsString, MaxLength } from 'class-validator';
import type { PatientInContext } from './launch-context.js';

/** A scope under 'Personal information'. */
export class IdentityScope {
  /** The technical scope, byte for byte as it was requested. */
  value: string;
  displayName: string;
  description: string;
  required: boolean;
}

/**
 * A narrower scope that can be granted instead of its parent: a category of it, or a kind that a wildcard stands for.
 */
export class FineGrainedScope {
  value: string;
  displayName: string;
  description: string;
  required: boolean;
  fineGrainedScopes: FineGrainedScope[];
}

/** A scope under 'Application Access to'. */
export class ApiScope extends FineGrainedScope {}

/** Duration of a decision that is made now. */
export class ConsentLasting {
  /** Seconds after which it ends by itself; null when it does not. */
  seconds: number | null;
  /** The time at which it ends by itself (ISO 8601 in UTC); null when it does not. */
  until: string | null;
  /** Seconds without use after which offline access ends; null when the app does not ask for it. */
  offlineSeconds: number | null;
}

/** The scopes on the page that permit sensitive data (`consent.sensitive`). */
export class SensitiveScopes {
  /** The scopes that permit nothing else. */
  whole: string[];
  /** The scopes that permit other data, too. */
  partly: string[];
}

/** The kinds that a representative may grant, by the rule of the level: the same whatever the record has. */
export class ActingConsent {
  /**
   * False if nothing is left of what the app asks for of the record, or the user may not act for the patient any more:
   * nothing can be granted.
   */
  isPermitted: boolean;
  /** A scope for each kind that the app asks for and does not get (`patient/Encounter.rs`). */
  keptPrivate: string[];
  /** The scopes on the page of which a part may be kept private. */
  partlyPrivate: string[];
}

/** `GET /api/consent?returnUrl=…` (`spec §3` Consent request response). */
export class ConsentRequest {
  clientName: string;
  identityScopes: IdentityScope[];
  apiScopes: ApiScope[];
  /** The app's host: shown so that the user can recognise it. */
  redirectHost: string;
  /** True if the user has no earlier decision about this app, or has taken it back. */
  firstTime: boolean;
  /** Time of the earlier decision (ISO 8601 in UTC). */
  decidedAt: string | null;
  /**
   * The scopes that the earlier decision says nothing about, of those that can be ticked by themselves; none without
   * one.
   */
  newScopes: string[];
  /** True if the user is the patient whom `patient/` and `user/` scopes are about. */
  ownRecord: boolean;
  sensitive: SensitiveScopes;
  /** The scopes that the user's earlier decision left out: at first they are not ticked. */
  leftOutBefore: string[];
  lasting: ConsentLasting;
  /** The patient whom the request is about; null when the user is that patient, and when there is none. */
  patient: PatientInContext | null;
  /** Present if the user acts for the patient. */
  acting?: ActingConsent;
  /** Names the launch context that these members are about: the decision returns it. */
  contextVersion: string;
  legalCompanyName: string | null;
  contactUsUrl: string | null;
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
  /** True if an administrator tries the client: nothing is remembered, and the app gets nothing. */
  isTrial: boolean;
}

/** `POST /api/consent`; an empty `scopesConsented` declines (`access_denied`). */
export class ConsentSubmission {
  @IsString()
  @MaxLength(16_384)
  returnUrl: string;

  @IsBoolean()
  rememberConsent: boolean;

  @IsArray()
  @ArrayMaxSize(2500)
  @IsString({ each: true })
  @MaxLength(2000, { each: true })
  scopesConsented: string[];

  /**
   * `contextVersion` of the request that the user has decided about. When the launch context was changed meanwhile, the
   * decision is refused with 409.
   */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  contextVersion?: string;
}
