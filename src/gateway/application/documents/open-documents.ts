import type { Config } from '../../../platform/config/config.js';
import { Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { fhirJson } from '../server/server-exchange.js';
import type { Metadata } from './metadata.js';
import { smartConfiguration } from './smart-configuration.js';

/** The documents of the FHIR base that need no token. */
export class OpenDocuments {
  private readonly smart: GatewayAnswer;

  constructor(
    private readonly metadata: Metadata,
    config: Config,
  ) {
    this.smart = {
      status: 200,
      // The `Accept` header does not count: this is no FHIR resource (`SMART 2.2 §using-well-known`).
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' },
      body: JSON.stringify(smartConfiguration(config)),
    };
  }

  /** The answer, or undefined when the request is not for one of these documents. */
  async handle({ method, target, headers }: GatewayRequest): Promise<GatewayAnswer | undefined> {
    const path = target.split('?', 1)[0];
    if (path !== '/.well-known/smart-configuration' && path !== '/metadata') return undefined;
    if (method !== 'GET' && method !== 'HEAD') {
      throw new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: 'GET, HEAD, OPTIONS' });
    }
    return path === '/metadata' ? this.capabilities(headers['if-none-match']) : this.smart;
  }

  private async capabilities(known: string | undefined): Promise<GatewayAnswer> {
    const { body, etag } = await this.metadata.document(Date.now());
    const headers = { ETag: etag, 'Cache-Control': 'public, max-age=30' };
    if (known === etag) return { status: 304, headers };
    return { status: 200, headers: { ...headers, 'Content-Type': fhirJson }, body };
  }
}
