import type { Readable } from 'node:stream';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import type { Cancellation } from './cancellation.js';

export type FailureReason = 'not-configured' | 'unreachable' | 'timeout' | 'aborted' | 'too-large' | 'garbage';

/**
 * The FHIR server gave no usable answer. In the portal's own calls it is a 503; the gateway distinguishes the reasons.
 * The error of the network or the parser is the cause, for the operator.
 */
export class FhirServerFailure extends Problem {
  constructor(
    readonly reason: FailureReason,
    cause?: unknown,
    /** True if the request may have reached the server, which may have carried it out. */
    readonly wasSent = false,
  ) {
    super('unavailable', message('fhir-server-unavailable'), { cause });
    this.name = 'FhirServerFailure';
  }
}

/** The address of a FHIR server, and the portal's credentials there. */
export interface FhirServerAddress {
  baseUrl?: string | undefined;
  credentials:
    | { type: 'none' }
    | { type: 'basic'; username: string; password: string }
    | { type: 'bearer'; token: string }
    | {
        type: 'jwt';
        /** PEM. */
        privateKey: string;
        keyId?: string | undefined;
        issuer: string;
        /** The base URL, when it is left out. */
        audience?: string | undefined;
        scope: string;
      };
}

export interface FhirServerRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * The path after the base URL, such as `/Patient/1`, or an absolute URL at the origin of the server; must already be
   * encoded.
   */
  path: string;
  headers: Record<string, string>;
  body?: string;
  cancellation?: Cancellation;
  /** A time of `performance.now()` by which the whole answer must have been read. */
  deadline?: number;
  /** True if an answer whose Content-Type is gzip is a packed file that is to be read unpacked. */
  unpacks?: boolean;
}

export interface FhirServerAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /**
   * The body as it arrives, without content codings and, of JSON, without a byte order mark. It must be read to its
   * end, here or below, or discarded, or its connection is never free again.
   */
  readonly body: Readable;
  /** The whole body as UTF-8, never more than so many bytes of it in memory. */
  text(maxBytes: number): Promise<string>;
  /** The same, as it is. */
  bytes(maxBytes: number): Promise<Buffer>;
  /** The whole body if it is small and there soon; undefined otherwise, for a caller that then reads {@link body}. */
  smallBody(): Buffer | undefined | Promise<Buffer | undefined>;
  /** Ends an answer that is not read. */
  discard(): void;
}

export interface AnswerHeaders {
  /** Names in lower case. */
  get(name: string): string | undefined;
}

/**
 * The connection to the FHIR server, with the portal's own credentials. Follows no redirect and fails only by {@link
 * FhirServerFailure}.
 */
export abstract class FhirServerConnection {
  /** The base URL without a slash at its end; undefined when no server is configured. */
  abstract readonly baseUrl: string | undefined;
  abstract send(request: FhirServerRequest): Promise<FhirServerAnswer>;
  abstract close(): Promise<void>;
}

/** Creates the connections to FHIR servers; they connect on first use. */
export abstract class FhirServerConnections {
  abstract connectionTo(server: FhirServerAddress, timeoutMs: number): FhirServerConnection;
  /** For a store of files, without credentials; private addresses are refused unless the configuration permits them. */
  abstract connectionToStore(origin: string, timeoutMs: number): FhirServerConnection;
}

const json = /^\s*(?:application|text)\/(?:fhir\+json|json\+fhir|json)\s*(?:[;,]|$)/i;

/**
 * True if the answer's Content-Type is JSON, also by its name of DSTU 2; HTML error pages of proxies have another one.
 */
export function isJson({ headers }: Pick<FhirServerAnswer, 'headers'>): boolean {
  return json.test(headers.get('content-type') ?? '');
}
