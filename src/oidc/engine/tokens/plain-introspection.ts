import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
// @ts-expect-error: the engine has no types for its own steps.
import introspectionSteps from 'oidc-provider/lib/actions/introspection.js';
// @ts-expect-error: the engine has no types for its own request storage.
import requestStorage from 'oidc-provider/lib/helpers/als.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { clientAtHand } from '../clients/client-authentication.js';
import { type PlainRequest, plainRequest } from '../clients/plain-request.js';
import { followsProfile } from '../clients/security-profile.js';
import { ServiceProofs } from '../clients/service-proofs.js';
import { describeRequest } from '../shared/described-request.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { textOf } from '../shared/request-text.js';

type Next = () => Promise<void>;
type Step = (ctx: KoaContextWithOIDC) => Promise<void>;

/**
 * The last step, in which the engine finds and describes the token. Those before it read and authenticate the request.
 */
const describeToken = (introspectionSteps as Step[]).at(-1) as Step;

/**
 * Answers introspection requests of clients that prove themselves in the usual form by the engine's last step alone:
 * the steps before it cost twice as much (decision 0092). All other requests continue to the engine.
 */
@Injectable()
export class PlainIntrospection implements EngineAdaptation {
  constructor(private readonly proofs: ServiceProofs) {}

  install(provider: Provider): void {
    provider.use(((ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
      const request = requestIn(ctx);
      const client = request && clientAtHand(provider, request.clientId);
      if (!client || !canAnswer(client)) return next();
      describeRequest(provider, ctx, { route: 'introspection', client, params: request.params });
      const respond = () => this.respond(ctx);
      const isRight = this.proofs.isRight(ctx, request);
      if (typeof isRight === 'boolean') return isRight ? respond() : next();
      return isRight.then((right) => (right ? respond() : next()));
    }) as never);
  }

  private respond(ctx: KoaContextWithOIDC): Promise<void> {
    // The headers of the engine for a request without an Origin.
    ctx.res.setHeader('Vary', 'Origin');
    ctx.res.setHeader('Access-Control-Allow-Origin', '*');
    ctx.res.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
    return (requestStorage as { run<T>(ctx: unknown, work: () => T): T }).run(ctx, () => describeToken(ctx));
  }
}

function requestIn({ path, method, req }: KoaContextWithOIDC): PlainRequest | undefined {
  if (path !== enginePaths.introspection || method !== 'POST') return undefined;
  const text = textOf(req);
  return text === undefined ? undefined : plainIntrospection(req.headers, text);
}

/** False for a client that gets nothing but encrypted descriptions, or must authenticate as its profile says. */
function canAnswer(client: Client): boolean {
  return client.introspectionEncryptedResponseAlg === undefined && !followsProfile(gatehouseClient(client).settings);
}

/** Callers that ask for anything else may want a signed description (RFC 9701). */
const acceptsJson = [undefined, '*/*', 'application/json'];

/** Reads an introspection request in its usual form, whose answer is JSON; undefined for every other request. */
export function plainIntrospection(headers: IncomingHttpHeaders, text: string): PlainRequest | undefined {
  if (!acceptsJson.includes(headers.accept)) return undefined;
  const request = plainRequest(headers, text, ['token', 'token_type_hint']);
  return request?.params.token === undefined ? undefined : request;
}
