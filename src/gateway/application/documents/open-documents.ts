import type { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import { Refusal } from '../../domain/refusal.js';
import { assertAccepts } from '../../domain/request-headers.js';
import { assertFormat, namesFormat, readParameters } from '../../domain/search-parameters.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { fhirJson } from '../server/server-exchange.js';
import { brandBundle, brandsPath } from './brand-bundle.js';
import type { Metadata } from './metadata.js';
import { smartConfigurationAt } from './smart-configuration.js';

/** The documents of the FHIR base that need no token. */
export class OpenDocuments {
  private readonly smart: GatewayAnswer;
  private readonly brands: ReturnType<typeof brandBundle>;
  private readonly issuer: string;

  constructor(
    private readonly metadata: Metadata,
    config: Config,
    base: FhirBase,
  ) {
    this.issuer = config.server.issuer;
    this.brands = brandBundle(config, base);
    this.smart = {
      status: 200,
      // The `Accept` header does not count: this is not a FHIR resource (`SMART 2.2 §using-well-known`).
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' },
      body: JSON.stringify(smartConfigurationAt(base, config)),
    };
  }

  /** The answer, or undefined when the request is not for one of these documents. */
  async handle({ method, target, headers }: GatewayRequest): Promise<GatewayAnswer | undefined> {
    const [path = '', query = ''] = target.split('?', 2);
    const isBrands = path === brandsPath && this.brands !== undefined;
    const isKnown = path === '/.well-known/smart-configuration' || path === '/metadata' || isBrands;
    // Such an address names no resource, so a token would not help.
    if (!isKnown && path.startsWith('/.well-known/')) throw this.noDocument(path);
    if (!isKnown) return undefined;
    if (method !== 'GET' && method !== 'HEAD') {
      throw new Refusal(405, 'not-supported', 'This method is not supported here.', { Allow: 'GET, HEAD, OPTIONS' });
    }
    if (isBrands) return this.brandsFor(headers['if-none-match']);
    if (path !== '/metadata') return this.smart;
    const parameters = readParameters(query);
    assertFormat(parameters);
    if (!namesFormat(parameters)) assertAccepts(headers);
    return this.capabilities(headers['if-none-match']);
  }

  /** Documents of the authorization server are looked for at the FHIR base, too. */
  private noDocument(path: string): Refusal {
    const isOfServer = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].includes(path);
    const sentence = isOfServer
      ? `This document is at ${this.issuer}/.well-known/openid-configuration: this address is the FHIR base.`
      : 'There is no such document.';
    const refusal = new Refusal(404, 'not-found', sentence);
    if (!isOfServer) return refusal;
    const detail = { document: path.slice(1), right: `${this.issuer}/.well-known/openid-configuration` };
    return refusal.because({ code: 'gateway-document-elsewhere', detail });
  }

  /** The `Accept` header does not count, so that a browser can open the address. */
  private brandsFor(known: string | undefined): GatewayAnswer {
    const { body = '', etag = '' } = this.brands ?? {};
    const headers = { ETag: etag, 'Cache-Control': 'public, max-age=300' };
    if (known?.split(',').some((one) => one.trim() === etag)) return { status: 304, headers };
    return { status: 200, headers: { ...headers, 'Content-Type': fhirJson }, body };
  }

  private async capabilities(known: string | undefined): Promise<GatewayAnswer> {
    const { body, etag } = await this.metadata.document(Date.now());
    const headers = { ETag: etag, 'Cache-Control': 'public, max-age=30' };
    if (known === etag) return { status: 304, headers };
    return { status: 200, headers: { ...headers, 'Content-Type': fhirJson }, body };
  }
}
