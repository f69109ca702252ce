import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { errorDocument } from '../../platform/http/client-document.js';
import type { Handler } from '../../platform/http/front-door.js';
import { answerOAuthError, answerOAuthFailure } from '../../platform/http/oauth-errors.js';
import { readBody } from '../../platform/http/request-body.js';
import { MisdirectedRequests } from '../application/misdirected-requests.js';

const longestBody = 64 * 1024;

/** Answers at the addresses that endpoints have in other products. Nothing is read of a request but whose it is. */
@Injectable()
export class MisdirectedHandler implements Handler {
  constructor(private readonly requests: MisdirectedRequests) {}

  isFor(path: string, method: string): boolean {
    return this.requests.areFor(method, path);
  }

  kindOf(): 'page' {
    return 'page';
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    // A page of an app can read the answer, which is the same for everyone.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cache-Control', 'no-store');
    if (request.method === 'OPTIONS') allow(request, response);
    else this.answer(request, response).catch((error: unknown) => answerOAuthFailure(error, response));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method = '', headers } = request;
    const [path = '', query = ''] = url.split('?', 2);
    const body = await readBody(request, longestBody);
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const parameters = { ...parse(query), ...(isForm && body ? parse(body.toString('utf8')) : {}) };
    const { authorization } = headers;
    const carried = { address: url, body: body?.toString('utf8') ?? '' };
    const { error, sentence, reference } = await this.requests.refuse({
      ...{ method, path, authorization, parameters, carried },
    });
    if (headers.accept?.includes('text/html')) {
      const { html, headers: ofPage } = errorDocument(400, reference);
      response.writeHead(404, ofPage).end(html);
    } else answerOAuthError(response, 404, error, `${sentence} Reference: ${reference}`);
  }
}

/** Lets the request of an app's page through: it would be told nothing but that the browser refused it. */
function allow({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  response.setHeader('Vary', 'Access-Control-Request-Headers');
  response.writeHead(204).end();
}
