import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { randomId } from '../../../platform/crypto/secrets.js';
import { enginePaths } from '../../domain/engine-paths.js';

/**
 * The parameters of an authorization request here: RFC 6749, 7636, 8707, 9101, 9126, 9396 and 9449, OpenID Connect
 * Core, SMART.
 */
export const authorizationParameters: ReadonlySet<string> = new Set([
  'acr_values',
  'aud',
  'authorization_details',
  'claims',
  'claims_locales',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'display',
  'dpop_jkt',
  'id_token_hint',
  'launch',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'ui_locales',
]);

/** The parameters of a sign-out request (OpenID Connect RP-Initiated Logout §2). */
const signOutParameters: ReadonlySet<string> = new Set([
  'client_id',
  'id_token_hint',
  'logout_hint',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
]);

/** Endpoints that a browser may call by POST as well as by GET, with the parameters of their requests. */
const parametersOf = {
  [enginePaths.authorization]: authorizationParameters,
  [enginePaths.end_session]: signOutParameters,
} as const;

/** Parameters that only token requests have. */
const ofTokenRequests = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'assertion', 'device_code'];
/** One of these makes a request an authorization request, whatever else it has. */
const ofAuthorizations = ['response_type', 'request', 'request_uri'];

/**
 * Names of the parameters by which a request is recognised as one for tokens, sent to the wrong endpoint; empty for any
 * other request.
 */
export function tokenParametersIn(names: Iterable<string>): string[] {
  const present = new Set(names);
  return ofAuthorizations.some((name) => present.has(name)) ? [] : ofTokenRequests.filter((name) => present.has(name));
}

/** A longer one would not pass proxies, which bound the head of an answer to 4 kB in their default configuration. */
const longestInAddress = 2 * 1024;
const lifetimeSeconds = 600;
const model = 'PostedRequest';
const endpoints = Object.keys(parametersOf) as (keyof typeof parametersOf)[];
const referenceAt = (path: string) => `${path}?posted=`;

/** A form that was posted to an endpoint for browsers. */
export class PostedForm {
  /** The names of all its members. */
  readonly names: string[];
  /** Its parameters of such a request, as a query. Everything else is dropped: it may be a credential. */
  readonly query: string;

  constructor(
    readonly path: keyof typeof parametersOf,
    body: string,
  ) {
    const pairs = body.split('&').map((pair) => ({ pair, name: nameOf(pair) }));
    this.names = pairs.map(({ name }) => name);
    const carried = pairs.filter(({ name }) => parametersOf[path].has(name));
    // A browser's form is encoded already; other characters in a body must not end the header or the query.
    this.query = carried.map(({ pair }) => pair.replace(/[^!-~]|#/gu, encodeURIComponent)).join('&');
  }

  get clientId(): string | undefined {
    return new URLSearchParams(this.query).get('client_id') ?? undefined;
  }

  /** False for a long one, and for one with a token, which must not stand in an address. */
  get fitsAddress(): boolean {
    return this.query.length <= longestInAddress && !this.names.includes('id_token_hint');
  }
}

/** Malformed percent encoding is left as it is, and so names no parameter. */
function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Requests by POST become a GET, which carries the browser's cookies. Those that fit no address are kept for ten
 * minutes, and the address has a reference to them: it may be opened again, like the address of any other request.
 */
@Injectable()
export class PostedRequests {
  constructor(private readonly records: OidcRecords) {}

  /** The address of the request by GET. */
  async addressOf({ path, query, fitsAddress }: PostedForm): Promise<string> {
    if (fitsAddress) return query === '' ? path : `${path}?${query}`;
    const id = randomId();
    await this.records.upsert(model, id, { path, query }, lifetimeSeconds);
    return referenceAt(path) + id;
  }

  static isReference({ url }: IncomingMessage): boolean {
    return endpointOf(url) !== undefined;
  }

  /** Gives a request by reference the query that was posted. Returns false if the reference is not known (any more). */
  async restore(request: IncomingMessage & { originalUrl?: string }): Promise<boolean> {
    const { url = '', originalUrl } = request;
    const path = endpointOf(url) ?? enginePaths.authorization;
    const found = await this.records.findById(model, url.slice(referenceAt(path).length));
    // Nodes of the release before keep authorization requests alone, without their path.
    if (!found || (found.payload.path ?? enginePaths.authorization) !== path) return false;
    request.url = `${path}?${String(found.payload.query)}`;
    if (originalUrl !== undefined) request.originalUrl = originalUrl.slice(0, -url.length) + request.url;
    return true;
  }
}

/** The endpoint to which a reference belongs. */
function endpointOf(url = ''): keyof typeof parametersOf | undefined {
  return endpoints.find((path) => url.startsWith(referenceAt(path)));
}
