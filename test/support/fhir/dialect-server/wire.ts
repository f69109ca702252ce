import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Dialect } from '../dialects.js';

/** A request as the stub reads it. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
  bytes: Buffer;
}

/** An answer of the stub before its dialect. */
export interface PlainAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A resource. */
  resource?: object;
  /** Content that is no resource. */
  content?: { type: string; bytes: Buffer };
}

const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
const mark = Buffer.from('\uFEFF');

/** Sends an answer in the ways of a dialect. */
export async function send(
  response: ServerResponse,
  { status, headers, resource, content }: PlainAnswer,
  dialect: Dialect,
  mediaType: string,
): Promise<void> {
  if (dialect.delayMs > 0) await sleep(dialect.delayMs);
  const type = content?.type ?? mediaType;
  const text = resource === undefined ? undefined : Buffer.from(JSON.stringify(resource));
  const marked = text && dialect.hasMark ? Buffer.concat([mark, text]) : text;
  const plain = content?.bytes ?? marked;
  if (plain === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const body = dialect.codings.reduce<Buffer>((bytes, coding) => codings[coding](bytes), plain);
  const coding = dialect.codings.length === 0 ? {} : { 'Content-Encoding': dialect.codings.join(', ') };
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': body.length, ...coding, ...headers }).end(body);
}

/** A refusal, as the dialect words it. */
export function refusalIn(dialect: Dialect, status: number, code: string, words: string): PlainAnswer {
  switch (dialect.errors) {
    case 'outcome': {
      const issue = [{ severity: 'error', code, diagnostics: words }];
      return { status, resource: { resourceType: 'OperationOutcome', issue } };
    }
    case 'json':
      return {
        status,
        content: {
          type: 'application/json',
          bytes: Buffer.from(JSON.stringify({ error: { code: status, message: words } })),
        },
      };
    case 'html':
      return {
        status,
        content: { type: 'text/html', bytes: Buffer.from(`<html><body><h1>${status}</h1>${words}</body></html>`) },
      };
    case 'empty':
      return { status };
  }
}
