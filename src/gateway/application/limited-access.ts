import { type Allowance, isOpen } from '../domain/allowance.js';
import type { FhirRequest } from '../domain/fhir-request.js';
import { notFound, Refusal } from '../domain/refusal.js';
import { preference } from '../domain/request-headers.js';
import { trims } from '../domain/search-parameters.js';
import type { GatewayAnswer, GatewayRequest } from './gateway-request.js';
import { LimitedSearch } from './limited-search.js';
import type { Passage } from './passage.js';
import { readResource, readText } from './resource-body.js';
import { fhirJson, garbage, type ServerExchange } from './server-exchange.js';
import { maxBodyBytes, pathOf } from './unlimited-access.js';

interface Current {
  resource: unknown;
  text: string;
  headers: Record<string, string>;
}

/**
 * Requests whose scopes open only some resources of the type: one patient's, or those of certain categories.
 *
 * - Nothing of an answer is passed on before it was checked, resource by resource.
 * - What exists but is not open gets the same answer as what does not exist. For the same reason the server is never asked
 *   to check a precondition of the app (`If-None-Match`, `If-Match`) on a resource that was not checked.
 * - Before a change the resource is read and checked, and the change is bound to the version that was checked.
 */
export class LimitedAccess {
  private readonly many: LimitedSearch;

  constructor(private readonly exchange: ServerExchange) {
    this.many = new LimitedSearch(exchange);
  }

  async answer(passage: Passage): Promise<GatewayAnswer> {
    const { fhir, request, allowances } = passage;
    if (trims(fhir.parameters)) {
      throw new Refusal(403, 'not-supported', "With this token '_elements' and '_summary' are not supported.");
    }
    switch (fhir.interaction) {
      case 'read':
      case 'vread':
        return this.read(fhir, request, allowances);
      case 'search':
        return this.many.search(passage);
      case 'history-instance':
      case 'history-type':
        return this.many.history(passage);
      case 'operation':
        return this.many.everything(passage);
      case 'create':
        return this.create(fhir, request, allowances);
      case 'update':
        return this.update(fhir, request, allowances);
      case 'delete':
        return this.delete(fhir, request, allowances);
      case 'patch':
        // What a patch makes of a resource is known only once it has been applied.
        throw new Refusal(403, 'not-supported', 'With this token patches are not supported: send the whole resource.');
    }
  }

  private async read(
    fhir: FhirRequest,
    request: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<GatewayAnswer> {
    const { text, headers } = await this.current(fhir, request, allowances);
    const known = request.headers['if-none-match'];
    if (known !== undefined && headers.etag !== undefined && names(known, headers.etag)) {
      return { status: 304, headers };
    }
    return { status: 200, headers: { ...headers, 'Content-Type': fhirJson }, body: this.exchange.forApp(text) };
  }

  private async create(
    fhir: FhirRequest,
    request: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<GatewayAnswer> {
    const body = await this.bodyWithin(fhir, request, allowances);
    return this.write({ method: 'POST', path: pathOf(fhir), body }, request, {});
  }

  private async update(
    fhir: FhirRequest,
    request: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<GatewayAnswer> {
    const current = await this.current({ ...fhir, parameters: [] }, request, allowances);
    const ofCurrent = allowances.filter((allowance) => isOpen(current.resource, [allowance], this.exchange.base));
    const body = await this.bodyWithin(fhir, request, ofCurrent);
    return this.write({ method: 'PUT', path: pathOf(fhir), body }, request, checkedVersion(current, request));
  }

  private async delete(
    fhir: FhirRequest,
    request: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<GatewayAnswer> {
    const current = await this.current({ ...fhir, parameters: [] }, request, allowances);
    return this.write({ method: 'DELETE', path: pathOf(fhir) }, request, checkedVersion(current, request));
  }

  /** The resource as it is on the server, if it is open. */
  private async current(
    fhir: FhirRequest,
    { signal }: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<Current> {
    const { answer, text } = await this.exchange
      .sendAndRead({ method: 'GET', path: pathOf(fhir), signal })
      .catch((error: unknown) => {
        // Any refusal of the server may depend on the resource (gone, invalid id, locked).
        if (error instanceof Refusal && error.status < 500) throw notFound();
        throw error;
      });
    let resource: { resourceType?: unknown; id?: unknown } | null;
    try {
      resource = JSON.parse(text);
    } catch {
      throw garbage('a read was answered with broken JSON');
    }
    const isIt = resource?.resourceType === fhir.type && resource.id === fhir.id;
    if (!isIt || !isOpen(resource, allowances, this.exchange.base)) throw notFound();
    return { resource, text, headers: this.exchange.headersOf(answer) };
  }

  private async bodyWithin(
    fhir: FhirRequest,
    request: GatewayRequest,
    allowances: readonly Allowance[],
  ): Promise<string> {
    const body = this.exchange.forServer(await readText(request, maxBodyBytes));
    if (isOpen(readResource(body, fhir), allowances, this.exchange.base)) return body;
    throw new Refusal(403, 'forbidden', 'The access token allows only resources about its own patient.');
  }

  private async write(
    sent: { method: 'POST' | 'PUT' | 'DELETE'; path: string; body?: string },
    { headers, signal }: GatewayRequest,
    version: Record<string, string>,
  ): Promise<GatewayAnswer> {
    const type: Record<string, string> = sent.body === undefined ? {} : { 'content-type': 'application/fhir+json' };
    const wish = preference('update', headers);
    return this.exchange.pass(await this.exchange.send({ ...sent, headers: { ...type, ...wish, ...version }, signal }));
  }
}

/** Binds a change to the version that was checked, which is also the one the app means, if it names one (FHIR R4 §3.1.0.5). */
function checkedVersion({ resource, headers }: Current, request: GatewayRequest): Record<string, string> {
  const { versionId } = (resource as { meta?: { versionId?: unknown } }).meta ?? {};
  const version = headers.etag ?? (typeof versionId === 'string' ? `W/"${versionId}"` : undefined);
  if (version === undefined) {
    throw new Refusal(
      403,
      'not-supported',
      'The FHIR server keeps no versions, so this token cannot change resources.',
    );
  }
  const meant = request.headers['if-match'];
  if (meant !== undefined && !names(meant, version)) {
    throw new Refusal(412, 'conflict', 'The resource was changed in the meantime. Please read it again.');
  }
  return { 'if-match': version };
}

/** Versions are compared weakly (RFC 9110 §8.8.3.2). */
function names(tags: string, version: string): boolean {
  return tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(version));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
