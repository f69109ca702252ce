import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { log } from './platform/logging/log.js';
import { Health } from './portal/application/health.js';
import { Metrics } from './portal/application/metrics.js';

interface Answer {
  status: number;
  type?: string;
  body: string;
}

/**
 * The server of `server.management`, not yet listening: metrics and health for callers on other machines, and nothing
 * else.
 */
export function managementServer(app: INestApplicationContext): Server {
  const health = app.get(Health, { strict: false });
  const metrics = app.get(Metrics, { strict: false });
  const pages = new Map<string, () => Promise<Answer>>([
    ['/metrics', async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() })],
    ['/health/live', async () => json(200, { status: 'live' })],
    [
      '/health/ready',
      async () => {
        const readiness = await health.readiness();
        return json(readiness.status === 'ready' ? 200 : 503, readiness);
      },
    ],
  ]);
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 8 * 1024 },
    (request, response) => {
      pageAnswer(pages, request).then(
        (found) => send(found, request, response),
        (err: unknown) => {
          log.warn({ err }, 'reading the metrics failed');
          send({ status: 503, body: 'not available\n' }, request, response);
        },
      );
    },
  );
  // A caller that opens many connections must not take the file descriptors of the portal.
  server.maxConnections = 64;
  return server;
}

async function pageAnswer(
  pages: Map<string, () => Promise<Answer>>,
  { method, url = '' }: IncomingMessage,
): Promise<Answer> {
  const page = pages.get(url.split('?', 1)[0] ?? '');
  if (!page) return { status: 404, body: 'not found\n' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
  return page();
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

function send(
  { status, type = 'text/plain; charset=utf-8', body }: Answer,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}
