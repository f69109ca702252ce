import { nearest } from '../../../contract/rules/nearest.js';
import { addressOfEndpoint, meantEndpoint } from '../../../oidc/domain/engine-paths.js';
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

const longestPath = 100;

/** The names that the CapabilityStatement has at other servers. */
const asMetadata = ['metadata', 'conformance', 'capabilities', 'capability'];

/** True for an address like that of the CapabilityStatement, which no type has. */
function isLikeMetadata(path: string): boolean {
  const name = path.replace(/^\/|\/$|[-_]/g, '');
  return (
    asMetadata.includes(name.toLowerCase()) || (/^[a-z]+$/.test(name) && nearest(name, ['metadata']) !== undefined)
  );
}

/** The documents of the FHIR base that need no token. */
export class OpenDocuments {
  private readonly smart: GatewayAnswer;
  private readonly brands: ReturnType<typeof brandBundle>;
  private readonly issuer: string;
  private readonly fhirBase: string;

  constructor(
    private readonly metadata: Metadata,
    config: Config,
    base: FhirBase,
  ) {
    this.issuer = config.server.issuer;
    this.fhirBase = base.url;
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
    if (!isKnown) {
      this.refuseOther(path);
      return undefined;
    }
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

  /**
   * Documents and endpoints of the authorization server are looked for at the FHIR base, too. Such an address names no
   * resource, which a type begins, so a token would not help.
   */
  private refuseOther(path: string): void {
    if (isLikeMetadata(path)) {
      const right = `${this.fhirBase}/metadata`;
      const refusal = new Refusal(404, 'not-found', `There is nothing at this address. The metadata is at ${right}.`);
      throw refusal.because({ code: 'gateway-document-elsewhere', detail: { document: path.slice(1), right } });
    }
    if (/^\/[A-Z]/.test(path)) return;
    const isDocument = path.startsWith('/.well-known/');
    const meant = meantEndpoint(path);
    if (meant === 'FHIR base') return;
    const right = meant && addressOfEndpoint(meant, { issuer: this.issuer, fhirBase: this.fhirBase });
    if (right === undefined) {
      if (isDocument) throw new Refusal(404, 'not-found', 'There is no such document.');
      return;
    }
    const what = isDocument ? 'This document' : `The ${meant}`;
    const refusal = new Refusal(404, 'not-found', `${what} is at ${right}: this address is the FHIR base.`);
    const sent = path.slice(1, longestPath);
    throw refusal.because(
      isDocument
        ? { code: 'gateway-document-elsewhere', detail: { document: sent, right } }
        : { code: 'gateway-endpoint-elsewhere', detail: { sent, endpoint: meant ?? '', right } },
    );
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
