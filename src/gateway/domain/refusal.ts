import type { DetailOf } from '../../contract/activity/catalogue.js';

/** FHIR `IssueType` codes that the gateway uses. */
export type IssueCode =
  | 'invalid'
  | 'structure'
  | 'not-supported'
  | 'not-found'
  | 'too-long'
  | 'login'
  | 'expired'
  | 'forbidden'
  | 'conflict'
  | 'transient'
  | 'timeout'
  | 'exception';

/** The challenge that tells a client how to authenticate (RFC 6750 §3); the scheme is the one that the request uses. */
export interface Challenge {
  error?:
    | 'invalid_request'
    | 'invalid_token'
    | 'invalid_dpop_proof'
    | 'use_dpop_nonce'
    | 'insufficient_scope'
    | 'insufficient_user_authentication';
  error_description?: string;
  scope?: string;
  /** RFC 9470 §3. */
  acr_values?: string;
  /** Seconds. */
  max_age?: string;
}

/** A challenge whose scheme the token decides, and not the request (RFC 9449 §7.2). */
export interface TokenChallenge extends Challenge {
  isBound?: boolean;
}

type FindingCode =
  | 'gateway-type-unknown'
  | 'gateway-operation-unknown'
  | 'gateway-body-type'
  | 'gateway-search-parameter'
  | 'gateway-request-form'
  | 'gateway-document-elsewhere'
  | 'gateway-endpoint-elsewhere'
  | 'gateway-kept-private'
  | 'gateway-change-protected'
  | 'gateway-shown-in-part'
  | 'gateway-change-not-in-level'
  | 'gateway-change-outside';

/** The finding of a check, as the record of a launch tells it: method and type are added to the values. */
export type Finding = {
  [Code in FindingCode]: { code: Code; detail: Omit<DetailOf<Code>, 'method' | 'type'> };
}[FindingCode];

/**
 * The reason why a request gets no data: a status and a plain sentence for the app's developer, never a word about the
 * data.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: IssueCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly challenge?: TokenChallenge,
  ) {
    super(message);
    this.name = 'Refusal';
  }

  /** Set where the record of the launch tells more than the sentence. */
  finding: Finding | undefined;

  /** Adds what the check has found. */
  because(finding: Finding): this {
    this.finding = finding;
    return this;
  }

  /** The outcome under which the metrics count the answer. */
  get metricOutcome(): string {
    return this.code;
  }

  /** The body of the answer (FHIR R4 §3.1.0.1.9). */
  outcome(): string {
    return JSON.stringify({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: this.code, diagnostics: this.message }],
    });
  }
}

/** One answer for what does not exist and for what this app must not know to exist. */
export function notFound(): Refusal {
  return new Refusal(404, 'not-found', 'There is no such resource.');
}

/** The answer to an update that may only make what does not exist (`If-None-Match: *`). */
export function existsAlready(): Refusal {
  return new Refusal(412, 'conflict', 'A resource with this id exists already.');
}

/** The server's support decides, and is not known yet. */
export function capabilitiesUnread(): Refusal {
  const text = 'The capabilities of the FHIR server have not been read yet. Please try again later.';
  return new Refusal(503, 'transient', text, { 'Retry-After': '5' });
}
