import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { OptionalOrEmpty } from '../list-query.js';

/** The ways to try a client: opened by a user, launched by an EHR, or as a back-end service. */
export const trialKinds = ['standalone', 'ehr', 'service'] as const;
export type TrialKind = (typeof trialKinds)[number];

/** Scopes of one trial. */
const mostTrialScopes = 200;

/** `POST /api/admin/client/:id/trial`. */
export class TrialRequest {
  @IsIn([...trialKinds])
  kind: TrialKind;

  @IsArray()
  @ArrayMaxSize(mostTrialScopes)
  @IsString({ each: true })
  @Matches(/^[!#-[\]-~]{1,2000}$/, { each: true })
  scopes: string[];

  /** Id of a test patient. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(/^[A-Za-z0-9.-]{1,64}$/)
  patient?: string;

  /** Id of the tenant whose FHIR base is asked for; without it the first one that the client may use. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  @Matches(/^[a-z0-9-]*$/)
  tenant?: string;
}

/** `POST /api/admin/launch-trial/:id/answer`: the answer to the authorization request, as it arrived at the page. */
export class TrialReturn {
  @IsOptional()
  @IsString()
  @MaxLength(500)
  @Matches(/^[\x21-\x7e]+$/)
  code?: string;

  @IsOptional()
  @IsString()
  @MaxLength(100)
  @Matches(/^[\x20-\x7e]+$/)
  error?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2000)
  @Matches(/^[\x20-\x7e]*$/)
  errorDescription?: string;
}

/** A FHIR base that the client may use. */
export interface TrialBase {
  /** Null for the one without a tenant. */
  tenant: string | null;
  /** Name of the tenant. */
  name: string | null;
  /** Without a name while the FHIR server does not answer. */
  patients: { id: string; name: string | null }[];
}

/** `GET /api/admin/client/:id/trial`. */
export interface TrialOptions {
  clientId: string;
  clientName: string;
  /** The reason why the client cannot be tried now. */
  obstacle: 'disabled' | 'no-type' | null;
  kinds: TrialKind[];
  /**
   * The scopes that the client may have, in the widest form; those of an EHR launch and of an app that is opened by
   * itself differ.
   */
  scopes: Record<TrialKind, string[]>;
  bases: TrialBase[];
}

export interface StartedTrial {
  id: string;
  /** Address at which the browser continues; null for a service, whose trial has ended. */
  authorize: string | null;
}

/** `none`: no request was made, for a reason. */
export type TrialRead =
  | { target: string; status: number; resourceType: string | null; count: number | null }
  | { none: 'no-token' | 'no-patient' | 'no-scope' | 'no-gateway' | 'management' };

/** The parts of a launch that a trial cannot show, since the portal takes the place of the app. */
export type TrialLimit = 'client-authentication' | 'request-object' | 'second-factor' | 'sign-in' | 'refresh-token';

/** A token without what makes it usable: of a JWT, its signature; of another, all of it. */
export interface ShownToken {
  format: 'jwt' | 'opaque';
  header: Record<string, unknown> | null;
  claims: Record<string, unknown> | null;
}

export interface TrialResult {
  outcome: 'completed' | 'refused';
  /** The error as the app gets it. */
  error: { code: string; description: string } | null;
  granted: string[];
  /** Members of the token response; tokens are withheld. */
  response: Record<string, unknown>;
  accessToken: ShownToken | null;
  idToken: ShownToken | null;
  read: TrialRead;
  limits: TrialLimit[];
}

/** `GET /api/admin/launch-trial/:id`. */
export interface TrialView {
  id: string;
  /** `interrupted`: its tokens were asked for, and the node was lost; `expired`: it was not continued. */
  state: 'waiting' | 'running' | 'ended' | 'interrupted' | 'expired';
  /** Id of the client's record. */
  clientRecordId: string;
  clientId: string;
  clientName: string;
  kind: TrialKind;
  patient: string | null;
  /** ISO 8601. */
  startedAt: string;
  /** The reference of the launch. */
  reference: string;
  scopes: string[];
  /** Parameters of the request, by their names. */
  request: Record<string, string>;
  result: TrialResult | null;
}
