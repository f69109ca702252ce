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
}

export interface GatewayAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | Readable;
}

export { Cancellation };
