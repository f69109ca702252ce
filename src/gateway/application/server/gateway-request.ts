import type { Readable } from 'node:stream';
import { Cancellation } from '../../../fhir-server/application/fhir-server.js';
import type { RequestHeaders } from '../../domain/request-headers.js';

/** A request below the FHIR base. */
export interface GatewayRequest {
  method: string;
  /** The part of the address after the FHIR base, as it was sent. */
  target: string;
  headers: RequestHeaders;
  body: AsyncIterable<Buffer>;
  /** For when the client no longer waits for the answer. */
  cancellation: Cancellation;
  /** The administrator for whose try the portal itself makes the request. */
  trialOf?: string;
}

/** The answer to an app. A stream as the body is read once, or destroyed. */
export interface GatewayAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | Readable;
  /** True if the body is an OperationOutcome about an answer that cannot be shown, in place of it. */
  isNotice?: true;
  /**
   * Present for a search without a match under a limited token: true if the limits left it without one, as far as the
   * gateway can tell.
   */
  isEmptied?: boolean;
  record?: AnswerRecord;
  /** The body, where it was parsed anyway; it may have the server's addresses. */
  parsed?: unknown;
}

/** The part of the record of the access that is not in the answer itself. */
export interface AnswerRecord {
  /** Resources that the request changed or deleted, as they were. */
  before?: readonly unknown[];
  /** Resources that the request made or changed, as they are now. */
  after?: readonly unknown[];
  /** Resources that tell whose data is in the answer, where the answer does not: the content of a Binary. */
  about?: readonly unknown[];
  /** Identifies the bulk export that the request belongs to. */
  export?: string | undefined;
  /** True for a batch, whose requests are recorded by themselves. */
  isInParts?: boolean;
}

export { Cancellation };
