import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Handler } from '../../platform/http/front-door.js';
import { refusedAtDoor } from '../../platform/http/unread-request.js';
import { type GatewayBase, GatewayBases, refusedByFrontDoor } from '../application/gateway-bases.js';
import { Cancellation, type GatewayAnswer, type GatewayRequest } from '../application/server/gateway-request.js';
import { type Coding, codingFor, compressed, compressor } from './compression.js';

/** Apps run in browsers under any origin; their token, not a cookie, is what counts, so every origin is welcome. */
const exposed = [
  'Content-Location',
  'DPoP-Nonce',
  'ETag',
  'Last-Modified',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Correlation-Id',
  'X-Launch-Reference',
  'X-Progress',
];
const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed.join(', ') };
const usualHeaders =
  'Accept, Authorization, Content-Type, DPoP, If-Match, If-Modified-Since, If-None-Exist, If-None-Match, Prefer';
/** Names of headers, in a list of a length that a browser sends. */
const askedHeaders = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}(?: *, *[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}){0,49}$/;

/**
 * Tracing, caches and libraries of a browser add headers of their own, and a call fails if one of them is not named.
 * The gateway reads those of FHIR only, so any can be sent.
 */
function preflight({ headers }: IncomingMessage): Record<string, string> {
  const asked = headers['access-control-request-headers'];
  const more = asked !== undefined && askedHeaders.test(asked) ? `, ${asked}` : '';
  return {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': usualHeaders + more,
    'Access-Control-Max-Age': '600',
    Vary: 'Access-Control-Request-Headers',
  };
}

/** The FHIR bases over HTTP, dispatched before Express. Cookies are neither read nor set. */
@Injectable()
export class Gateway implements Handler {
  constructor(private readonly bases: GatewayBases) {}

  isFor(path: string): boolean {
    return this.bases.findByUrl(path) !== undefined;
  }

  kindOf(): 'gateway' {
    return 'gateway';
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const found = this.bases.findByUrl(request.url ?? '');
    if (!found) throw new Error('the gateway got a request that is not for it');
    this.passToBase(found, request, response)
      .then((respond) => send(respond, this.bases.compresses, request, response))
      .catch(() => response.destroy());
  }

  refuse(status: number, sentence: string, request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: address, headers } = request;
    const unread = refusedAtDoor(status, request, this.bases.host);
    this.bases
      .noteUnread(method, unread, { authorization: headers.authorization, address })
      .then(() => send(refusedByFrontDoor(status, sentence), false, request, response))
      .catch(() => response.destroy());
  }

  private async passToBase(
    { base, target }: { base: GatewayBase; target: string },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<GatewayAnswer> {
    const { method = '' } = request;
    if (method === 'OPTIONS') return { status: 204, headers: preflight(request) };
    const cancellation = new Cancellation();
    response.once('close', () => {
      if (!response.writableFinished) cancellation.cancel();
      cancellation.end();
    });
    return base.handle({
      method,
      target,
      // Only `set-cookie` would be a list.
      headers: request.headers as GatewayRequest['headers'],
      // The connection must outlive a refusal in the middle of the body, to carry the answer.
      body: { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer> },
      cancellation,
    });
  }
}

async function send(answer: GatewayAnswer, compresses: boolean, request: IncomingMessage, response: ServerResponse) {
  const { status, headers, body } = answer;
  const isHead = request.method === 'HEAD';
  const head: OutgoingHttpHeaders = { 'Cache-Control': 'no-store', ...cors, ...headers };
  const accepted = compresses && !isHead ? request.headers['accept-encoding']?.toString() : undefined;
  if (body instanceof Readable) {
    const coding = codingFor(accepted, head);
    response.writeHead(status, coding === undefined ? head : inCoding(head, coding));
    if (isHead) {
      body.destroy();
      response.end();
    } else {
      // The status has gone out already: an answer that breaks off is all that can tell of a failure now.
      pipeline([body, ...(coding === undefined ? [] : [compressor(coding)]), response], () => undefined);
    }
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const coding = codingFor(accepted, head, length);
  const sent = body === undefined || coding === undefined ? body : await compressed(body, coding);
  // Without its length an answer would be sent in chunks, in several pieces.
  if (sent !== undefined) head['Content-Length'] = Buffer.byteLength(sent);
  response.writeHead(status, coding === undefined ? head : inCoding(head, coding)).end(isHead ? undefined : sent);
}

function inCoding(head: OutgoingHttpHeaders, coding: Coding): OutgoingHttpHeaders {
  return { ...head, 'Content-Encoding': coding, Vary: 'Accept-Encoding' };
}
