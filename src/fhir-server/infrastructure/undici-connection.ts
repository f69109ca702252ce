import { Injectable } from '@nestjs/common';
import { Pool } from 'undici';
import { Outbound } from '../../platform/http/outbound.js';
import {
  type FhirServerAddress,
  type FhirServerAnswer,
  FhirServerConnection,
  FhirServerConnections,
  FhirServerFailure,
  type FhirServerRequest,
} from '../domain/connection.js';
import { AnswerReceiver } from './answer-receiver.js';
import { authorizationFor } from './credentials.js';

/** More at once would only queue inside the FHIR server. */
const connections = 128;
const longestConnectMs = 5_000;

@Injectable()
export class UndiciConnections extends FhirServerConnections {
  constructor(private readonly outbound: Outbound) {
    super();
  }

  connectionTo(server: FhirServerAddress, timeoutMs: number): FhirServerConnection {
    return new UndiciConnection(server, timeoutMs, { timeout: Math.min(timeoutMs, longestConnectMs) });
  }

  connectionToStore(origin: string, timeoutMs: number): FhirServerConnection {
    return new UndiciConnection({ baseUrl: origin, credentials: { type: 'none' } }, timeoutMs, this.outbound.connect);
  }
}

/** A batch goes to the base URL itself, whose path may be empty. */
function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** Keep-alive connections to a configured server, with its credentials. */
class UndiciConnection extends FhirServerConnection {
  readonly baseUrl: string | undefined;
  private readonly pool: Pool | undefined;
  private readonly origin: string = '';
  private readonly basePath: string;
  private readonly authorization: () => Record<string, string>;

  constructor(
    { baseUrl, credentials }: FhirServerAddress,
    timeoutMs: number,
    connect: NonNullable<Pool.Options['connect']>,
  ) {
    super();
    this.baseUrl = baseUrl?.replace(/\/+$/, '');
    this.authorization = authorizationFor(credentials, this.baseUrl ?? '');
    if (this.baseUrl === undefined) {
      this.basePath = '';
      return;
    }
    const { origin, pathname } = new URL(this.baseUrl);
    this.origin = origin;
    this.basePath = pathname === '/' ? '' : pathname;
    this.pool = new Pool(origin, {
      connections,
      connect,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  async send({ method, path, headers, body, ...limits }: FhirServerRequest): Promise<FhirServerAnswer> {
    if (!this.pool) throw new FhirServerFailure('not-configured');
    const reception = new AnswerReceiver(limits);
    this.pool.dispatch(
      {
        method,
        path: this.pathOf(path),
        headers: { 'accept-encoding': 'identity', ...headers, ...this.authorization() },
        body: body ?? null,
      },
      reception,
    );
    return reception.begun;
  }

  /** The path at the origin of the server, for a target below its base or an absolute URL at its origin. */
  private pathOf(target: string): string {
    if (!/^https?:/.test(target)) return absolute(this.basePath + target);
    const { origin, pathname, search } = new URL(target);
    if (origin !== this.origin)
      throw new FhirServerFailure('unreachable', new Error('another origin than the FHIR server'));
    return pathname + search;
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
  }
}
