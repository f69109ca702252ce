import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Problem, problemKinds } from '../errors.js';
import { log } from '../logging/log.js';
import { requestContext } from '../scope.js';
import { basePathOf, withoutBase } from './base-path.js';
import type { ClientAddress } from './client-address.js';
import { errorDocument } from './client-document.js';

/** Answers a request or hands it on; the first handler whose `takes` says yes gets it. */
export interface Handler {
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Says in its own form what the front door does not let through; where it has none, the portal's is used. */
  refuse?(status: number, sentence: string, request: IncomingMessage, response: ServerResponse): void;
}

const longestUrl = 16 * 1024;
const securityHeaders = { 'X-Content-Type-Options': 'nosniff' } as const;
/** What browsers hold documents to: JSON, kept from being taken for anything else, is none, and apps pay for each header. */
const documentHeaders = Object.entries({
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
});

/**
 * What must hold for every answer, whoever gives it: a correlation id, security headers, a Host that is ours (the engine
 * builds URLs and accepts assertion audiences from it), a URL of bounded length without NUL that is a path and nothing else.
 */
export function frontDoor(issuer: string, addresses: ClientAddress, handlers: Handler[]): RequestListener {
  const { host, protocol } = new URL(issuer);
  const base = basePathOf(issuer);
  const strictTransport = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };
  const always = Object.entries({ ...securityHeaders, ...(protocol === 'https:' && strictTransport) });
  return (request, response) => {
    const correlationId = randomUUID();
    requestContext.run({ correlationId, issuer, address: addresses.forRequest(request) }, () => {
      setLast(response, always, correlationId, base);
      const url = base === '' ? (request.url ?? '/') : enter(request, base);
      if (url === undefined) return refuse(nothingHere(), request, response, '', undefined);
      const path = url.split('?', 1)[0] ?? '/';
      // Answers to calls are about somebody: neither a proxy nor the Back button may show them again (security T-05, E-14).
      if (path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
      const refusal = refusalOf(request, path, host);
      const handler = handlers.find((one) => one.takes(path));
      if (refusal) return refuse(refusal, request, response, path, handler);
      if (log.isLevelEnabled('debug')) logWhenDone(request, response, path);
      handler?.handle(request, response);
    });
  };
}

function logWhenDone({ method }: IncomingMessage, response: ServerResponse, path: string): void {
  const started = performance.now();
  response.once('close', () => {
    const ms = Math.round(performance.now() - started);
    log.debug({ method, path, status: response.statusCode, ms }, 'request');
  });
}

/** Headers of every answer, set when its head is written: until then nobody has to go through them. */
function setLast(response: ServerResponse, headers: [string, string][], correlationId: string, base: string): void {
  const { writeHead } = response;
  response.writeHead = (...head: unknown[]) => {
    if (base !== '') putBaseOnRedirect(response, head, base);
    response.setHeader('X-Correlation-Id', correlationId);
    for (const [name, value] of headers) response.setHeader(name, value);
    if (!isJson(response)) for (const [name, value] of documentHeaders) response.setHeader(name, value);
    return writeHead.apply(response, head as Parameters<typeof writeHead>);
  };
}

/** Discovery where an issuer has a path: RFC 8414 §3 puts its own part between host and path, also for OpenID's document (§5). */
const openidConfiguration = '/.well-known/openid-configuration';
const insertedDiscovery = ['/.well-known/oauth-authorization-server', openidConfiguration];
/** What is asked for by those who run the portal, and know the node and not the proxy. */
const ofOperators = /^\/(health\/|metrics$)/;

/**
 * From here on the request is as if the portal had the host to itself; what is not below the base path is not the portal's.
 * The engine tells from `originalUrl` where it is mounted, as below Express.
 */
function enter(request: IncomingMessage, base: string): string | undefined {
  const { url = '/' } = request;
  const [path = ''] = url.split('?', 1);
  const isDiscovery = insertedDiscovery.some((place) => path === place + base);
  const inside = isDiscovery ? openidConfiguration : ofOperators.test(path) ? url : withoutBase(url, base);
  if (inside === undefined) return undefined;
  request.url = inside;
  Object.assign(request, { originalUrl: base + inside });
  return inside;
}

/** A redirect to a path is one within the portal: none leads to another part of the host. */
function putBaseOnRedirect(response: ServerResponse, head: unknown[], base: string): void {
  const named = head.find((part): part is Record<string, unknown> => typeof part === 'object' && part !== null);
  const isPath = (value: unknown): value is string => typeof value === 'string' && /^\/(?!\/)/.test(value);
  const location = response.getHeader('Location');
  if (isPath(location)) response.setHeader('Location', base + location);
  if (named && isPath(named.Location)) named.Location = base + named.Location;
}

function nothingHere(): Problem {
  return new Problem('not-found', 'There is nothing at this address.');
}

/** Where the type comes only with the head, it counts as a document. */
function isJson(response: ServerResponse): boolean {
  const type = response.getHeader('Content-Type');
  return typeof type === 'string' && /^application\/(fhir\+)?json\b/.test(type);
}

function refusalOf(request: IncomingMessage, path: string, host: string): Problem | undefined {
  const url = request.url ?? '/';
  // RFC 9112 §3.2, RFC 9110 §5.3: with two of them, a proxy in front may have gone by the other one.
  if (!path.startsWith('/') || hasTwice(request, 'host') || hasTwice(request, 'authorization')) return notProcessed();
  if (!ofOperators.test(path) && request.headers.host?.toLowerCase() !== host) {
    return new Problem('misdirected', 'This portal is reached under another address.');
  }
  if (url.length > longestUrl) return new Problem('too-large', 'The address is too long.');
  return /%00/.test(url) || !isWellFormed(url) ? notProcessed() : undefined;
}

function notProcessed(): Problem {
  return new Problem('invalid', 'The request cannot be processed. Please try again.');
}

/** Names and values take turns. */
function hasTwice({ rawHeaders }: IncomingMessage, name: string): boolean {
  let isThere = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? '';
    if (header.length !== name.length || header.toLowerCase() !== name) continue;
    if (isThere) return true;
    isThere = true;
  }
  return false;
}

/** Percent-encoded text that decodes to UTF-8; lone surrogates and broken sequences would end in a database error. */
function isWellFormed(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
    return true;
  } catch {
    return false;
  }
}

function refuse(
  problem: Problem,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  handler: Handler | undefined,
): void {
  const status = problem.kind === 'too-large' ? 431 : problemKinds[problem.kind].status;
  if (handler?.refuse) {
    handler.refuse(status, problem.message, request, response);
    return;
  }
  response.setHeader('Cache-Control', 'no-store');
  const wantsPage = path.startsWith('/connect/') && request.headers.accept?.includes('text/html');
  if (wantsPage && problem.kind === 'invalid') {
    const { html, headers } = errorDocument(400);
    response.writeHead(400, headers).end(html);
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(problem.body()));
}
