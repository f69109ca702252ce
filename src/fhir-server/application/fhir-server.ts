import { addServerTime } from '../../platform/metrics/measured.js';
import { requestContext } from '../../platform/request/scope.js';
import {
  type FhirServerAnswer,
  FhirServerConnection,
  FhirServerFailure,
  type FhirServerRequest,
  isJson,
} from '../domain/connection.js';
import type { ServerNames } from '../domain/server-names.js';

export { Cancellation } from '../domain/cancellation.js';
export { type FhirServerAnswer, FhirServerFailure, type FhirServerRequest, isJson } from '../domain/connection.js';
export type { ServerNames } from '../domain/server-names.js';

/** The media type of FHIR R4, and those that servers know which answer it 406. */
const jsonTypes = ['application/fhir+json', 'application/json', 'application/json+fhir'] as const;

/** A FHIR server behind the portal. */
export class FhirServer {
  constructor(
    private readonly connection: FhirServerConnection,
    /** Undefined when no server is configured. */
    readonly names?: ServerNames,
  ) {}

  /** The base URL without a slash at its end; undefined when no server is configured. */
  get baseUrl(): string | undefined {
    return this.connection.baseUrl;
  }

  /**
   * Sends a request. A read whose connection broke is sent once more: a kept-alive connection may be closed by the
   * server in the very moment it is used. Anything that changes data never is, for it may have been carried out.
   */
  async send(request: FhirServerRequest): Promise<FhirServerAnswer> {
    const started = performance.now();
    try {
      return await this.sendTraced(request);
    } catch (error) {
      const broken = error instanceof FhirServerFailure && error.reason === 'unreachable';
      if (!broken || request.method !== 'GET') throw error;
      return await this.sendTraced(request);
    } finally {
      addServerTime(performance.now() - started);
    }
  }

  /**
   * The server gets the trace of the request, if there is one. Its address is not part of the span: it has ids of
   * patients.
   */
  private async sendTraced(request: FhirServerRequest): Promise<FhirServerAnswer> {
    const { method, headers } = request;
    const span = requestContext.getStore()?.span?.begin(`${method} FHIR server`, {
      'http.request.method': method,
      'server.address': this.baseUrl === undefined ? '' : new URL(this.baseUrl).hostname,
    });
    if (!span) return this.connection.send(request);
    try {
      const answer = await this.connection.send({ ...request, headers: { ...headers, traceparent: span.traceparent } });
      span.end({ attributes: { 'http.response.status_code': answer.status } });
      return answer;
    } catch (error) {
      span.end({ failure: error instanceof FhirServerFailure ? error.reason : 'failed' });
      throw error;
    }
  }

  /** Asks for a JSON document of the server, in the ways of which servers accept one or another. */
  async askForJson(path: string, deadline: number): Promise<FhirServerAnswer> {
    const [first, ...others] = jsonTypes;
    const ask = (accept: string) => this.send({ method: 'GET', path, headers: { accept }, deadline });
    let answer = await ask(first);
    for (const accept of others) {
      if (answer.status !== 406) return answer;
      answer.discard();
      answer = await ask(accept);
    }
    return answer;
  }

  /** A JSON document of the server, within a deadline for all of it. */
  async readJson(path: string, { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number }): Promise<unknown> {
    const answer = await this.askForJson(path, performance.now() + timeoutMs);
    if (answer.status !== 200 || !isJson(answer)) {
      answer.discard();
      throw new FhirServerFailure('garbage', new Error(`${path} was answered ${answer.status} without FHIR JSON`));
    }
    const text = await answer.text(maxBytes);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new FhirServerFailure('garbage', cause);
    }
  }
}
