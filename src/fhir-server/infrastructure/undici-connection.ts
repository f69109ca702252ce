import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Dispatcher, Pool } from 'undici';
import {
  type FhirServerAddress,
  type FhirServerAnswer,
  FhirServerConnection,
  FhirServerConnections,
  FhirServerFailure,
  type FhirServerRequest,
} from '../domain/connection.js';
import { authorizationFor } from './credentials.js';

/** More at once would only queue inside the FHIR server. */
const connections = 128;
const longestConnectMs = 5_000;

@Injectable()
export class UndiciConnections extends FhirServerConnections {
  to(server: FhirServerAddress, timeoutMs: number): FhirServerConnection {
    return new UndiciConnection(server, timeoutMs);
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
  private readonly basePath: string;
  private readonly authorization: () => Record<string, string>;

  constructor({ baseUrl, credentials }: FhirServerAddress, timeoutMs: number) {
    super();
    this.baseUrl = baseUrl?.replace(/\/+$/, '');
    this.authorization = authorizationFor(credentials, this.baseUrl ?? '');
    if (this.baseUrl === undefined) {
      this.basePath = '';
      return;
    }
    const { origin, pathname } = new URL(this.baseUrl);
    this.basePath = pathname === '/' ? '' : pathname;
    this.pool = new Pool(origin, {
      connections,
      connect: { timeout: Math.min(timeoutMs, longestConnectMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  async send({ method, path, headers, body, signal }: FhirServerRequest): Promise<FhirServerAnswer> {
    if (!this.pool) throw new FhirServerFailure('not-configured');
    const answer = await this.pool
      .request({
        method,
        path: absolute(this.basePath + path),
        headers: { ...headers, ...this.authorization() },
        body: body ?? null,
        signal: signal ?? null,
      })
      .catch((error: unknown) => {
        throw failure(error);
      });
    // A body without a reader may still fail; an unhandled error would end the process.
    answer.body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      headers: flat(answer.headers),
      body: answer.body,
      text: (maxBytes) => readText(answer.body, maxBytes),
    };
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
  }
}

async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new FhirServerFailure('too-large', new Error(`The answer has over ${maxBytes} bytes`));
      chunks.push(chunk);
    }
  } catch (error) {
    throw failure(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(error: unknown): FhirServerFailure {
  if (error instanceof FhirServerFailure) return error;
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  if (name === 'TimeoutError' || /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code ?? '')) {
    return new FhirServerFailure('timeout', error);
  }
  const aborted = name === 'AbortError' || code === 'UND_ERR_ABORTED';
  return new FhirServerFailure(aborted ? 'aborted' : 'unreachable', error);
}

function flat(headers: Dispatcher.ResponseData['headers']): Map<string, string> {
  return new Map(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
