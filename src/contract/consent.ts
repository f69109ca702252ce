import { ArrayMaxSize, IsArray, IsBoolean, IsString, MaxLength } from 'class-validator';

/** A scope under 'Personal information'. */
export class IdentityScope {
  /** The technical scope, byte for byte as it was requested. */
  value: string;
  displayName: string;
  description: string;
  required: boolean;
}

/** A narrower scope that can be granted instead of its parent: a category of it, or a kind that a wildcard stands for. */
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
  /** The time at which it ends by itself (ISO 8601 in UTC); null when it does not. */
  until: string | null;
  /** Seconds without use after which offline access ends; null when the app does not ask for it. */
  offlineSeconds: number | null;
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
  /** The scopes that the user's earlier decision left out: at first they are not ticked. */
  leftOutBefore: string[];
  lasting: ConsentLasting;
  legalCompanyName: string | null;
  contactUsUrl: string | null;
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
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
}
