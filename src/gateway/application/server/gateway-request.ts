import type { Readable } from 'node:stream';
import type { RequestHeaders } from '../../domain/request-headers.js';

/** A request below the FHIR base. */
export interface GatewayRequest {
  method: string;
  /** The part of the address after the FHIR base, as it was sent. */
  target: string;
  headers: RequestHeaders;
  body: AsyncIterable<Buffer>;
  /** Aborted when the client no longer waits for the answer. */
  signal: AbortSignal;
}

export interface GatewayAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Readable;
}
