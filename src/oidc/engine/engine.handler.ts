import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse, stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { currentReference, note } from '../../platform/activity/launch-notes.js';
import { errorDocument } from '../../platform/http/client-document.js';
import { type Handler, longestUrl, textFault } from '../../platform/http/front-door.js';
import { answerOAuthError, answerOAuthFailure } from '../../platform/http/oauth-errors.js';
import { readBody } from '../../platform/http/request-body.js';
import { refusedAtDoor, tooLarge, type UnreadRequest, unreadable } from '../../platform/http/unread-request.js';
import { type Start, StartLimits } from '../../platform/limits/start-limits.js';
import { abandon, isGone } from '../../platform/request/arrivals.js';
import { callerKey } from '../../platform/request/caller-key.js';
import type { RequestKind } from '../../platform/request/scope.js';
import { AccessTokens } from '../domain/access-tokens.js';
import { discoveryPath, enginePaths, mustBeAwaited } from '../domain/engine-paths.js';
import { callbackPath, interactionIdIn, resumePath, shownIn } from './authorization/interaction-binding.js';
import { PostedForm, PostedRequests, tokenParametersIn } from './authorization/posted-requests.js';
import { nameClientOf } from './grants/refresh-token.js';
import { authorizeByToken, bearerTokenOf } from './shared/authorizing-tokens.js';
import { Engine } from './shared/engine.js';
import { bodyType, playAgain } from './shared/request-text.js';
import { hideStructure } from './tokens/jwt-access-tokens.js';
import { endpointName, UnreadRequests } from './unread-requests.js';

const paths = new Set<string>([...Object.values(enginePaths), discoveryPath]);
const kinds: Readonly<Record<string, RequestKind>> = {
  [enginePaths.token]: 'token',
  [enginePaths.userinfo]: 'userinfo',
  [enginePaths.introspection]: 'introspection',
  [enginePaths.revocation]: 'revocation',
  [enginePaths.pushed_authorization_request]: 'par',
  [enginePaths.jwks]: 'keys',
  [discoveryPath]: 'discovery',
};
/** The methods of each endpoint, as an answer names them. Its cross-origin requests are asked for by OPTIONS. */
const methodsOf: Readonly<Record<string, string>> = {
  [enginePaths.authorization]: 'GET, HEAD, POST',
  [enginePaths.end_session]: 'GET, HEAD, POST',
  [enginePaths.token]: 'POST, OPTIONS',
  [enginePaths.introspection]: 'POST, OPTIONS',
  [enginePaths.revocation]: 'POST, OPTIONS',
  [enginePaths.pushed_authorization_request]: 'POST, OPTIONS',
  [enginePaths.userinfo]: 'GET, HEAD, POST, OPTIONS',
  [enginePaths.jwks]: 'GET, HEAD, OPTIONS',
  [discoveryPath]: 'GET, HEAD, OPTIONS',
};
const longestBody = 64 * 1024;

/**
 * Dispatches the engine's paths before Express. Bodies are read here: content that would break the engine or its
 * storage (NUL, excessive size) has to be refused before.
 */
@Injectable()
export class EngineHandler implements Handler {
  constructor(
    private readonly engine: Engine,
    private readonly tokens: AccessTokens,
    private readonly starts: StartLimits,
    private readonly records: OidcRecords,
    private readonly posted: PostedRequests,
    private readonly unread: UnreadRequests,
  ) {}

  isFor(path: string): boolean {
    return (
      paths.has(path) ||
      (path.startsWith(`${enginePaths.authorization}/`) && path !== '/connect/authorize/external') ||
      path.startsWith(`${enginePaths.end_session}/`)
    );
  }

  kindOf(path: string): RequestKind {
    return kinds[path] ?? (path.startsWith(enginePaths.end_session) ? 'end-session' : 'authorize');
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { url = '' } = request;
    const [path = ''] = url.split('?', 1);
    if (path === callbackPath) {
      this.resume(url, request, response);
      return;
    }
    if (/^\/connect\/authorize\/(?![\w-]+$)/.test(path)) {
      this.refuseAddress('something was added to it, or it has no id of a request', request, response);
      return;
    }
    // The engine builds URLs from these headers; the Host was checked, the scheme is the issuer's.
    request.headers['x-forwarded-proto'] = this.engine.scheme;
    // Deleting slows down every later access to the headers.
    if (request.headers['x-forwarded-host'] !== undefined) delete request.headers['x-forwarded-host'];
    const allowed = methodsOf[path];
    if (allowed && !allowed.includes(request.method ?? '')) {
      this.refuseMethod(path, allowed, request, response);
      return;
    }
    const start = startOf(path, request.method);
    if (start === undefined) {
      this.dispatch(path, request, response);
      return;
    }
    this.starts
      .secondsToWait(start, callerKey())
      .then((seconds) => {
        if (seconds === undefined) this.dispatch(path, request, response);
        else return this.refuseStart(start, seconds, request, response);
      })
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  /** Refuses what the front door does not let in: its address is too long, cannot be read, or names another host. */
  refuse(status: number, sentence: string, request: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const unread = refusedAtDoor(status, request, this.engine.host);
    const noteStart = () => {
      const { host = 'no host' } = request.headers;
      if (status === 431) note('request-too-large', { kilobytes: Math.floor(longestUrl / 1024) });
      else if (status === 400) note('request-unreadable', { fault: unread.fault });
      else note('request-other-host', { sent: host, expected: this.engine.host });
    };
    this.unread
      .noteRefused(path, unread, noteStart, request)
      .then(() => {
        // A page for another host could not load its files.
        const canShow = status !== 421 && path !== enginePaths.token;
        if (canShow && request.headers.accept?.includes('text/html')) showError(response, status);
        else answerOAuthError(response, status, 'invalid_request', withReference(sentence));
      })
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  private dispatch(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST') {
      if (PostedRequests.isReference(request)) this.continuePosted(request, response);
      else this.engine.handle(request, response);
      return;
    }
    readBody(request, longestBody)
      .then((bytes) => {
        if (!bytes) return this.refuseBody(path, { request, text: '' }, response, { status: 413, most: longestBody });
        if (mustBeAwaited(path) && isGone(request)) return abandon(response);
        return this.dispatchPost(path, bytes.toString('utf8'), request, response);
      })
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  /**
   * Awaits only when something must be looked up first. A token request that already identifies its client is passed on
   * synchronously.
   */
  private dispatchPost(
    path: string,
    text: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): void | Promise<void> {
    const fault = /%00|\0/.test(text) ? textFault(text) : undefined;
    const sent = { request, text };
    if (fault !== undefined) return this.refuseBody(path, sent, response, { status: 400, fault });
    if (path === enginePaths.authorization) return this.redirectStart(new PostedForm(path, text), sent, response);
    if (path === enginePaths.end_session) return this.redirectSignOut(new PostedForm(path, text), sent, response);
    const pass = (form: string) => {
      playAgain(request, form);
      this.engine.handle(request, response);
    };
    const bearer = path === enginePaths.introspection ? bearerTokenOf(request) : undefined;
    if (bearer !== undefined) {
      return this.tokens.verify(bearer).then((facts) => {
        if (facts) pass(withHiddenToken(authorizeByToken(request, facts, text)));
        else return this.refuseBearer(request, response);
      });
    }
    if (path === enginePaths.introspection || path === enginePaths.revocation) return pass(withHiddenToken(text));
    const isNamed = path !== enginePaths.token || request.headers.authorization !== undefined;
    return isNamed ? pass(text) : nameClientOf(text, this.records).then(pass);
  }

  /** Redirects a posted authorization request (SMART 2.2 `authorize-post`), unless it is one of another kind. */
  private async redirectStart(form: PostedForm, sent: SentRequest, response: ServerResponse): Promise<void> {
    const { request, text } = sent;
    const ofTokens = tokenParametersIn(form.names);
    const type = bodyType(request);
    if (ofTokens.length > 0) {
      const endpoint = this.engine.issuer + enginePaths.token;
      const sentence = `this is a token request, and belongs to ${endpoint}`;
      await this.unread.noteStart(
        () => note('request-for-tokens', { parameters: ofTokens.join(', '), endpoint }),
        request,
        text,
      );
      answerInFormat(request, response, sentence);
    } else if (form.clientId === undefined && type !== undefined) {
      await this.unread.noteStart(() => note('authorization-body-type', { type }), request, text);
      answerInFormat(request, response, `the body has the type ${type}, and only a form is read`);
    } else if (!form.fitsAddress && form.clientId === undefined) {
      // The engine would refuse it, after it has been stored.
      await this.unread.noteStart(() => note('client-missing'), request, text);
      showError(response);
    } else {
      await this.redirectToGet(form, sent, response);
    }
  }

  /** Redirects a posted sign-out request, of which nothing is read unless it is a form. */
  private async redirectSignOut(form: PostedForm, sent: SentRequest, response: ServerResponse): Promise<void> {
    const { request, text } = sent;
    const type = bodyType(request);
    if (type === undefined) return this.redirectToGet(form, sent, response);
    note('endpoint-body-type', { endpoint: 'sign-out', type });
    await this.unread.file(`${form.path} ${type}`, request, text);
    answerInFormat(request, response, `the body has the type ${type}, and only a form is read`);
  }

  /** Redirects a form post to the equivalent GET: the engine's own form post needs SameSite=None cookies. */
  private async redirectToGet(form: PostedForm, sent: SentRequest, response: ServerResponse): Promise<void> {
    const fault = textFault(form.query);
    if (fault !== undefined) return this.refuseBody(form.path, sent, response, { status: 400, fault });
    const start = form.path === enginePaths.end_session ? 'posted-sign-out' : 'posted-authorization';
    const seconds = form.fitsAddress ? undefined : await this.starts.secondsToWait(start, callerKey());
    if (seconds !== undefined) await this.refuseStart(start, seconds, sent.request, response, sent.text);
    else redirect(await this.posted.addressOf(form), response);
  }

  /** Continues a request at the path to which pages send the browser when their step is done. */
  private resume(url: string, request: IncomingMessage, response: ServerResponse): void {
    const id = interactionIdIn(url);
    if (id === undefined) {
      this.refuseAddress('it has no id of a request', request, response);
    } else redirect(resumePath(id, shownIn(url)), response);
  }

  /** Refuses an address that is none of a request. */
  private refuseAddress(fault: string, request: IncomingMessage, response: ServerResponse): void {
    this.unread
      .noteStart(() => note('continued-by-cut-address', { fault }), request)
      .then(() => showError(response))
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  /** Continues a posted request by its reference. */
  private continuePosted(request: IncomingMessage, response: ServerResponse): void {
    this.posted
      .restore(request)
      .then(async (isKept) => {
        if (isKept) this.engine.handle(request, response);
        else {
          const [path = ''] = (request.url ?? '').split('?', 1);
          await this.unread.noteRefused(path, formGone, () => note('request-form-gone'), request);
          showError(response);
        }
      })
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  /**
   * Responds with a page, also to a request whose error could go to its client: the request was not parsed. RFC 9126
   * §2.3 for a pushed one.
   */
  private async refuseStart(
    start: Start,
    seconds: number,
    request: IncomingMessage,
    response: ServerResponse,
    text = '',
  ): Promise<void> {
    if (start.endsWith('authorization')) await this.unread.noteExhausted(seconds, request, text);
    response.setHeader('Retry-After', String(seconds));
    if (start === 'pushed-authorization') {
      answerOAuthError(response, 429, 'temporarily_unavailable', withReference('too many requests, please wait'));
      return;
    }
    const { html, headers } = errorDocument(429, currentReference());
    response.writeHead(429, headers).end(html);
  }

  /** RFC 9110 §15.5.6. */
  private refuseMethod(path: string, allowed: string, request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    const found = url.length > path.length + 1 ? 'Its parameters were in the address, where logs keep them.' : '';
    // Browsers alone send OPTIONS: what a developer is told leaves it out.
    const takes = allowed.replace(', OPTIONS', '');
    note('endpoint-method', { endpoint: endpointName(path), method, allowed: takes, found });
    response.setHeader('Allow', allowed);
    this.unread
      .file(`${path} ${method}`, request)
      .then(() => answerInFormat(request, response, `this endpoint takes ${takes}, and not ${method}`, 405))
      .catch((error: unknown) => answerOAuthFailure(error, response));
  }

  /** Refuses a bearer token (RFC 6750 §3.1). */
  private async refuseBearer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [sentence, error] = ['the access token is not valid', 'invalid_token'];
    await this.unread.noteBearer(request, { error, sentence });
    response.setHeader('WWW-Authenticate', `Bearer error="${error}"`);
    answerOAuthError(response, 401, error, withReference(sentence));
  }

  /** Refuses a body that is too large or cannot be read. */
  private async refuseBody(
    path: string,
    { request, text }: SentRequest,
    response: ServerResponse,
    { status, most, fault = '' }: RefusedBody,
  ): Promise<void> {
    const description = most === undefined ? 'the body cannot be read' : 'the body is too large';
    const unread = most === undefined ? unreadable(`its body ${fault}`) : tooLarge(description);
    const noteStart = () => {
      if (most === undefined) note('request-unreadable', { fault: unread.fault });
      else note('request-too-large', { kilobytes: Math.floor(most / 1024) });
    };
    await this.unread.noteRefused(path, unread, noteStart, request, text);
    if (path === enginePaths.authorization || path === enginePaths.end_session) showError(response, status);
    else {
      answerOAuthError(response, status, 'invalid_request', withReference(description));
    }
  }
}

/** Of a sign-out that was posted. */
const formGone: UnreadRequest = {
  fault: 'the form that was posted is kept for ten minutes, and these are over',
  remedy: 'The user can sign out again.',
  configuration: '',
};

/** A request by POST, with its body. */
interface SentRequest {
  request: IncomingMessage;
  text: string;
}

interface RefusedBody {
  status: 400 | 413;
  /** The limit in bytes that the body exceeds; without it the body cannot be read. */
  most?: number;
  /** Why it cannot be read, in a clause. */
  fault?: string;
}

function withReference(description: string): string {
  const reference = currentReference();
  return reference === undefined ? description : `${description.replace(/\.$/, '')}. Reference: ${reference}`;
}

/**
 * The kind of start that a request counts as. A form post that is redirected returns as the GET, and is not counted
 * twice.
 */
function startOf(path: string, method: string | undefined): Start | undefined {
  if (path === enginePaths.authorization) return method === 'POST' ? undefined : 'authorization';
  if (path === enginePaths.pushed_authorization_request) return method === 'POST' ? 'pushed-authorization' : undefined;
  return path === enginePaths.end_session && method !== 'POST' ? 'sign-out' : undefined;
}

function redirect(address: string, response: ServerResponse): void {
  response.writeHead(303, { Location: address, 'Cache-Control': 'no-store' }).end();
}

/** Refuses a request by a page for a browser, and by an OAuth error for a program. */
function answerInFormat(request: IncomingMessage, response: ServerResponse, sentence: string, status = 400): void {
  if (request.headers.accept?.includes('text/html')) showError(response, status);
  else answerOAuthError(response, status, 'invalid_request', withReference(sentence));
}

function showError(response: ServerResponse, status = 400): void {
  const { html, headers } = errorDocument(400, currentReference());
  response.writeHead(status, headers).end(html);
}

function withHiddenToken(text: string): string {
  const body = parse(text);
  return typeof body.token === 'string' ? stringify({ ...body, token: hideStructure(body.token) }) : text;
}
