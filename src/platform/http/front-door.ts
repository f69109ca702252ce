import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { referenceOf } from '../../contract/activity/reference.js';
import { message } from '../../contract/messages/message.js';
import { Problem, type ProblemKind, problemKinds } from '../errors.js';
import { type Languages, wantedLanguages } from '../language/languages.js';
import { log } from '../logging/log.js';
import { nameOutcome } from '../metrics/measured.js';
import type { RequestFigures } from '../metrics/request-figures.js';
import { type Arrivals, abandon, endIsRead, isGone } from '../request/arrivals.js';
import type { RequestKind } from '../request/scope.js';
import { type LaunchNotes, type RequestContext, requestContext } from '../request/scope.js';
import type { Tracing } from '../telemetry/spans.js';
import { basePathOf, withoutBase } from './base-path.js';
import type { ClientAddress } from './client-address.js';
import { errorDocument } from './client-document.js';

/** Handles a request or passes it on; the first handler whose `takes` returns true gets it. */
export interface Handler {
  isFor(path: string, method: string): boolean;
  /** The kind under which the metrics count a request; undefined for one that they do not count. */
  kindOf(path: string): RequestKind | undefined;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Responds in the handler's own format to a request that the front door rejects; without it the portal's format is
   * used.
   */
  refuse?(status: number, sentence: string, request: IncomingMessage, response: ServerResponse): void;
}

/** Kinds of requests to Express. */
export function kindOfPage(path: string): RequestKind | undefined {
  if (path.startsWith('/api/')) return 'api';
  if (ofOperators.test(path)) return undefined;
  return path.startsWith('/assets/') ? 'file' : 'page';
}

export const longestUrl = 16 * 1024;
const securityHeaders = { 'X-Content-Type-Options': 'nosniff' } as const;
/**
 * Headers by which browsers restrict documents. JSON with `nosniff` is not a document, and each header costs clients.
 */
const documentHeaders = Object.entries({
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
});

/** Gets what a request noted about its launch. */
interface LaunchRecord {
  add(notes: LaunchNotes): void;
}

/**
 * Guarantees for every response, from any handler: a correlation id, security headers, a Host of the issuer (the engine
 * builds URLs and accepts assertion audiences from it), and a URL of bounded length without NUL that is a path and
 * nothing else.
 */
export function frontDoor(
  issuer: string,
  browser: {
    addresses: ClientAddress;
    languages: Languages;
    arrivals?: Arrivals;
    activity?: LaunchRecord;
    figures?: RequestFigures;
    tracing?: Tracing | undefined;
    /** True while the node stops: clients shall close their connections. */
    isStopping?: () => boolean;
  },
  handlers: Handler[],
): RequestListener {
  const { addresses, languages, arrivals, activity, figures, tracing, isStopping } = browser;
  const { host, protocol } = new URL(issuer);
  const base = basePathOf(issuer);
  const strictTransport = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };
  const always = { ...securityHeaders, ...(protocol === 'https:' && strictTransport) };
  return (request, response) => {
    const correlationId = randomUUID();
    const address = addresses.forRequest(request);
    const language = () => languages.language(wantedLanguages(request));
    const context: RequestContext = { correlationId, issuer, address, language, arrivals };
    requestContext.run(context, () => {
      setLast(response, always, { context, base, activity, figures, isStopping });
      const { url: asked = '/' } = request;
      const url = base === '' && !authorizationServer.test(asked) ? asked : enter(request, base);
      if (url === undefined) return refuse(unknownAddress(), request, response, '', undefined);
      const path = url.split('?', 1)[0] ?? '/';
      // API responses hold personal data: neither a proxy nor the Back button may show them again (security T-05,
      // E-14).
      if (path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store');
      const refusal = refusalOf(request, path, host);
      const handler = handlers.find((one) => one.isFor(path, request.method ?? 'GET'));
      const kind = handler?.kindOf(path);
      if (kind) context.measured = figures?.measure(kind, request, response);
      if (kind && tracing) context.span = tracing.openSpan(context, request, response);
      if (refusal) return refuse(refusal, request, response, path, handler);
      if (log.isLevelEnabled('debug')) logWhenDone(request, response, path);
      if (!arrivals?.isCatchingUp || endsAccess(kind, path)) handler?.handle(request, response);
      else void handleUnlessGone(request, response, handler);
    });
  };
}

/** Requests that only end access are executed, too, if their sender has not waited: an app that closes does not. */
function endsAccess(kind: RequestKind | undefined, path: string): boolean {
  return kind === 'revocation' || kind === 'end-session' || path === '/logout';
}

/** The sender of a request that has waited may have given up, and have sent it to another node. */
async function handleUnlessGone(
  request: IncomingMessage,
  response: ServerResponse,
  handler: Handler | undefined,
): Promise<void> {
  await endIsRead();
  if (isGone(request)) abandon(response);
  else handler?.handle(request, response);
}

function logWhenDone({ method }: IncomingMessage, response: ServerResponse, path: string): void {
  const started = performance.now();
  response.once('close', () => {
    const ms = Math.round(performance.now() - started);
    log.debug({ method, path, status: response.statusCode, ms }, 'request');
  });
}

interface HandlingContext {
  context: RequestContext;
  base: string;
  activity: LaunchRecord | undefined;
  figures: RequestFigures | undefined;
  isStopping: (() => boolean) | undefined;
}

/**
 * Headers of every response, set when its head is written: code before that need not iterate over them. What the
 * request noted about its launch is complete by then.
 */
function setLast(
  response: ServerResponse,
  headers: Record<string, string>,
  { context, base, activity, figures, isStopping }: HandlingContext,
): void {
  const { writeHead } = response;
  const { correlationId } = context;
  response.writeHead = (...head: unknown[]) => {
    if (context.launch) {
      figures?.addRefusals(context.launch);
      activity?.add(context.launch);
    }
    if (base !== '') putBaseOnRedirect(response, head, base);
    // Also of a request that arrived before: a connection that stayed in use would keep the node, and break at its end.
    if (isStopping?.()) response.shouldKeepAlive = false;
    const [status, own] = head as [number, OutgoingHttpHeaders | undefined];
    // Node writes all headers of a response at once if none was set before; otherwise it copies and checks each one
    // again.
    if (head.length === 2 && isJsonType(own?.['Content-Type']) && response.getHeaderNames().length === 0) {
      const ids = { 'X-Correlation-Id': correlationId, ...launchHeader(context) };
      return writeHead.call(response, status, { ...ids, ...headers, ...own });
    }
    response.setHeader('X-Correlation-Id', correlationId);
    for (const [name, value] of Object.entries(launchHeader(context))) response.setHeader(name, value);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!isJson(response)) for (const [name, value] of documentHeaders) response.setHeader(name, value);
    return writeHead.apply(response, head as Parameters<typeof writeHead>);
  };
}

/** The reference of the launch, on answers to requests that belong to one. */
function launchHeader({ launch }: RequestContext): Record<string, string> {
  return launch?.id === undefined || launch.isHidden ? {} : { 'X-Launch-Reference': referenceOf(launch.id) };
}

/**
 * Discovery of an issuer with a path: RFC 8414 §3 puts the well-known part between host and path, also for OpenID's
 * document (§5).
 */
const openidConfiguration = '/.well-known/openid-configuration';
const insertedDiscovery = ['/.well-known/oauth-authorization-server', openidConfiguration];
/** The document of plain OAuth, by which clients without OpenID Connect find the endpoints. */
const authorizationServer = /^\/\.well-known\/oauth-authorization-server(\?|$)/;
/** Paths for operators, who address the node and not the proxy. */
const ofOperators = /^\/(health\/|metrics$)/;

/**
 * Strips the base path; undefined for a URL outside of it, which is not the portal's. The engine derives its mount path
 * from `originalUrl`, as below Express.
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

/** Adds the base path to a redirect to a path: no redirect leads to another part of the host. */
function putBaseOnRedirect(response: ServerResponse, head: unknown[], base: string): void {
  const named = head.find((part): part is Record<string, unknown> => typeof part === 'object' && part !== null);
  const isPath = (value: unknown): value is string => typeof value === 'string' && /^\/(?!\/)/.test(value);
  const location = response.getHeader('Location');
  if (isPath(location)) response.setHeader('Location', base + location);
  if (named && isPath(named.Location)) named.Location = base + named.Location;
}

function unknownAddress(): Problem {
  return new Problem('not-found', message('address-unknown'));
}

/** A response whose type is set with its head counts as a document if it has other headers. */
function isJson(response: ServerResponse): boolean {
  return isJsonType(response.getHeader('Content-Type'));
}

function isJsonType(type: unknown): boolean {
  return typeof type === 'string' && /^application\/(fhir\+)?json\b/.test(type);
}

function refusalOf(request: IncomingMessage, path: string, host: string): Problem | undefined {
  const url = request.url ?? '/';
  if (headFault(request, path) !== undefined) return invalidRequest();
  if (!ofOperators.test(path) && request.headers.host?.toLowerCase() !== host) {
    return new Problem('misdirected', message('address-of-other-host'));
  }
  if (url.length > longestUrl) return new Problem('too-large', message('address-too-long'));
  return textFault(url) === undefined ? undefined : invalidRequest();
}

/** Why a request with this address and these headers cannot be read, in a clause; undefined if it can. */
export function unreadablePart(request: IncomingMessage): string | undefined {
  const { url = '/' } = request;
  const fault = headFault(request, url);
  const ofAddress = textFault(url);
  return fault ?? (ofAddress === undefined ? undefined : `its address ${ofAddress}`);
}

function headFault(request: IncomingMessage, path: string): string | undefined {
  if (!path.startsWith('/')) return 'its address does not begin with a slash';
  // RFC 9112 §3.2, RFC 9110 §5.3: of two such headers a proxy in front may have used the other one.
  const twice = ['Host', 'Authorization'].find((name) => hasTwice(request, name.toLowerCase()));
  return twice === undefined ? undefined : `it has two ${twice} headers`;
}

/** Why a percent-encoded text cannot be read, in a clause after its name; undefined if it can. */
export function textFault(text: string): string | undefined {
  if (/%00|\0/.test(text)) return 'has a NUL character';
  return isWellFormed(text) ? undefined : 'is not UTF-8 after its percent-decoding';
}

function invalidRequest(): Problem {
  return new Problem('invalid', message('request-invalid'));
}

/** `rawHeaders` alternates names and values. */
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

/**
 * True for percent-encoded text that decodes to UTF-8; lone surrogates and broken sequences would end in a database
 * error.
 */
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
  nameOutcome(problem.kind);
  response.setHeader('Cache-Control', 'no-store');
  const wantsPage = path.startsWith('/connect/') && request.headers.accept?.includes('text/html');
  if (wantsPage && problem.kind === 'invalid') {
    const { html, headers } = errorDocument(400);
    response.writeHead(400, headers).end(html);
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(problem.body()));
}

/** The status of a request that Node could not read, by the code of its error; another one is 400. */
const unreadable: Record<string, readonly [number, string, ProblemKind, string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'too-large',
    'the address and the headers are too long',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'invalid', 'the request did not arrive in time'],
};

/**
 * Answers a request that is not HTTP or too long, and reads what else arrives for a moment: a connection that is closed
 * with unread data is reset, and its client loses the answer (RFC 9112 §9.6).
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse },
): void {
  // Each further piece of the request is another error.
  if (socket.writableEnded) return;
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy(error);
    return;
  }
  const [status, title, kind, reason] = unreadable[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'invalid',
    'this is not an HTTP request',
  ];
  const body = JSON.stringify(Problem.technical(kind, reason).body());
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...securityHeaders,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
  const over = setTimeout(() => socket.destroy(), 2_000).unref();
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(over));
}
