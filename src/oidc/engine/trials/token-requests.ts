import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { portalPath } from '../../../platform/http/base-path.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { Engine } from '../shared/engine.js';
import { playAgain } from '../shared/request-text.js';
import { proveTrial } from '../shared/trial-at-hand.js';
import { DpopNonces } from '../tokens/dpop-nonces.js';

/** The answer of the token endpoint. */
export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

/**
 * Token requests that the portal makes for trials: to the engine's token endpoint, with all of its checks but one. In
 * place of the client's credentials, which the portal does not have, counts that this process has made the request
 * object.
 */
@Injectable()
export class TrialTokenRequests {
  constructor(
    private readonly engine: Engine,
    private readonly config: Config,
    private readonly nonces: DpopNonces,
  ) {}

  get issuer(): string {
    return this.config.server.issuer;
  }

  /** Address of the token endpoint, as a DPoP proof names it. */
  get address(): string {
    return this.issuer + enginePaths.token;
  }

  /** The nonce of a DPoP proof, which the client's profile may demand. */
  get nonce(): string {
    return this.nonces.newest;
  }

  async send(trialId: string, form: Record<string, string>, headers: Record<string, string>): Promise<TokenAnswer> {
    const text = stringify(form);
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'POST', url: enginePaths.token, originalUrl: portalPath(enginePaths.token) });
    Object.assign(request.headers, headers, {
      host: this.engine.host,
      'x-forwarded-proto': this.engine.scheme,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(text)),
      accept: 'application/json',
    });
    playAgain(request, text);
    proveTrial(request, trialId);
    const response = new ServerResponse(request);
    const answer = await new Promise<string>((resolve) => {
      // It has no connection: what would be sent is the answer.
      response.end = ((body?: string | Buffer) => {
        resolve(body?.toString() ?? '');
        return response;
      }) as typeof response.end;
      this.engine.handle(request, response);
    });
    return { status: response.statusCode, body: JSON.parse(answer === '' ? '{}' : answer) };
  }
}
