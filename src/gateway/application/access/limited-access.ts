import { parse, stringify } from 'lossless-json';
import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import { isPermitted, type Permission } from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import { mediaType, preference } from '../../domain/request-headers.js';
import { trims } from '../../domain/search-parameters.js';
import type { Shown } from '../../domain/separation/separation.js';
import type { AnswerRecord, GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { readResource, readText } from '../server/resource-body.js';
import { fhirJson, type ServerExchange, unusableAnswer } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { LimitedCondition } from './limited-condition.js';
import { LimitedSearch } from './limited-search.js';
import { patchedResource } from './patched-resource.js';
import { type Resource, SeparatedAnswer } from './separated-answer.js';
import { asWritten, maxBodyBytes } from './unlimited-access.js';

interface Current {
  resource: Resource;
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
  private readonly conditions: LimitedCondition;

  constructor(private readonly exchange: ServerExchange) {
    this.many = new LimitedSearch(exchange);
    this.conditions = new LimitedCondition(this.many);
  }

  async handle(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, permissions } = authorized;
    if (trims(fhir.parameters)) {
      throw new Refusal(403, 'not-supported', "With this token '_elements' and '_summary' are not supported.");
    }
    if (fhir.condition) {
      const resolved = await this.conditions.resolve(authorized);
      return 'status' in resolved ? resolved : this.handle(resolved);
    }
    switch (fhir.interaction) {
      case 'read':
      case 'vread':
        return this.read(authorized);
      case 'search':
        return this.many.search(authorized);
      case 'history-instance':
      case 'history-type':
        return this.many.history(authorized);
      case 'operation':
        return this.many.patientEverything(authorized);
      case 'create':
        return this.create(fhir, request, permissions);
      case 'update':
        return this.update(authorized);
      case 'delete':
        return this.delete(authorized);
      case 'patch':
        return this.patch(authorized);
    }
  }

  /**
   * Checks a change that is to be carried out as a part of something else; gives the version that it has to be bound to, and the resource that has it. Reads
   * are refused: what a server answers in the midst of a transaction can be checked only when it is too late.
   */
  async check(
    authorized: AuthorizedRequest,
  ): Promise<{ version: string | undefined; readPermitted: unknown } | undefined> {
    const { fhir, request, permissions } = authorized;
    switch (fhir.condition ? 'conditional' : fhir.interaction) {
      case 'create':
        this.bodyWithin(fhir, await readText(request, maxBodyBytes), permissions);
        return undefined;
      case 'update':
      case 'delete': {
        const current = await this.current(authorized);
        if (fhir.interaction === 'update')
          this.bodyWithin(fhir, await readText(request, maxBodyBytes), this.permissionsFor(current, permissions));
        return { version: checkedVersion(current, request)['if-match'], readPermitted: current.resource };
      }
      default:
        throw new Refusal(
          403,
          'not-supported',
          'With this token a transaction may create, update and delete, nothing else.',
        );
    }
  }

  private async read(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, checkResource } = authorized;
    const current = await this.readStored(fhir, request);
    const shown = await this.shownOf(current, authorized);
    if (shown === 'nothing') throw notFound();
    checkResource?.(current.resource);
    const { text, headers, resource } = current;
    const known = request.headers['if-none-match'];
    if (known !== undefined && headers.etag !== undefined && names(known, headers.etag)) {
      return { status: 304, headers };
    }
    const answer = { status: 200, headers: { ...headers, 'Content-Type': fhirJson } };
    if (shown === 'whole') return { ...answer, body: this.exchange.forApp(text), parsed: resource };
    return { ...answer, body: this.exchange.forApp(partOfText(text, shown)), parsed: shown.partOf(resource) };
  }

  private async shownOf({ resource }: Current, authorized: AuthorizedRequest): Promise<Shown> {
    const answer = new SeparatedAnswer(this.exchange, authorized, () => authorized.permissions);
    await answer.prepare([resource]);
    return answer.shown(resource);
  }

  private async create(
    fhir: FhirRequest,
    request: GatewayRequest,
    permissions: readonly Permission[],
  ): Promise<GatewayAnswer> {
    const { body, resource } = this.bodyWithin(fhir, await readText(request, maxBodyBytes), permissions);
    const sent = { method: 'POST', type: fhir.type, path: pathOf(fhir), body } as const;
    return recorded(await this.write(sent, request, {}), { after: [asWritten(fhir, resource)] });
  }

  private async update(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, permissions } = authorized;
    const current = await this.current(authorized);
    const text = await readText(request, maxBodyBytes);
    const { body, resource } = this.bodyWithin(fhir, text, this.permissionsFor(current, permissions));
    const sent = { method: 'PUT', type: fhir.type, path: pathOf(fhir), body } as const;
    return recorded(await this.write(sent, request, checkedVersion(current, request)), {
      before: [current.resource],
      after: [resource],
    });
  }

  /** The result of a patch is known only once it is applied, so the gateway applies it here. */
  private async patch(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, permissions } = authorized;
    if (mediaType(request.headers) !== 'application/json-patch+json') {
      throw new Refusal(415, 'not-supported', 'With this token only JSON patches are supported.');
    }
    const current = await this.current(authorized);
    const patch = this.exchange.forServer(await readText(request, maxBodyBytes));
    const patched = patchedResource(current.text, patch);
    const { body, resource } = this.bodyWithin(fhir, patched, this.permissionsFor(current, permissions));
    const sent = { method: 'PUT', type: fhir.type, path: pathOf({ ...fhir, parameters: [] }), body } as const;
    return recorded(await this.write(sent, request, checkedVersion(current, request)), {
      before: [current.resource],
      after: [resource],
    });
  }

  /** The permissions that include the resource as it is: a change may not lead out of them. */
  private permissionsFor({ resource }: Current, permissions: readonly Permission[]): Permission[] {
    return permissions.filter((permission) => isPermitted(resource, [permission], this.exchange.names));
  }

  private async delete(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    const current = await this.current(authorized);
    const sent = { method: 'DELETE', type: fhir.type, path: pathOf(fhir) } as const;
    return recorded(await this.write(sent, request, checkedVersion(current, request)), {
      before: [current.resource],
    });
  }

  /** The resource as it is on the server, if it is open and the patient's alone. */
  private async current(authorized: AuthorizedRequest): Promise<Current> {
    const { fhir, request, permissions } = authorized;
    const current = await this.readStored({ ...fhir, parameters: [] }, request);
    const isOwn = isPermitted(current.resource, permissions, this.exchange.names);
    if (!isOwn || (await this.shownOf(current, authorized)) !== 'whole') throw notFound();
    return current;
  }

  private async readStored(fhir: FhirRequest, { cancellation }: GatewayRequest): Promise<Current> {
    const { answer, text } = await this.exchange
      .sendAndRead({ method: 'GET', path: pathOf(fhir), cancellation })
      .catch((error: unknown) => {
        // The server's refusal may depend on the resource (gone, invalid id, locked), so it becomes a 404.
        if (error instanceof Refusal && error.status < 500) throw notFound();
        throw error;
      });
    let resource: Resource | null;
    try {
      resource = JSON.parse(text);
    } catch {
      throw unusableAnswer('a read was answered with broken JSON');
    }
    if (resource?.resourceType !== fhir.type || resource.id !== fhir.id) throw notFound();
    return { resource, text, headers: this.exchange.headersOf(answer) };
  }

  private bodyWithin(
    fhir: FhirRequest,
    text: string,
    permissions: readonly Permission[],
  ): { body: string; resource: unknown } {
    const body = this.exchange.forServer(text);
    const resource = readResource(body, fhir);
    if (isPermitted(resource, permissions, this.exchange.names)) return { body, resource };
    const which = permissions.some(({ categories }) => categories.length > 0)
      ? 'of its patient and categories'
      : 'about its own patient';
    throw new Refusal(403, 'forbidden', `The access token allows only resources ${which}.`);
  }

  private async write(
    { type, ...sent }: { method: 'POST' | 'PUT' | 'DELETE'; type: string; path: string; body?: string },
    { headers, cancellation }: GatewayRequest,
    version: Record<string, string>,
  ): Promise<GatewayAnswer> {
    const written: Record<string, string> = sent.body === undefined ? {} : { 'content-type': 'application/fhir+json' };
    const wish = preference('update', headers);
    const answer = await this.exchange.send({ ...sent, headers: { ...written, ...wish, ...version }, cancellation });
    return this.exchange.passOn(answer, { expected: { types: new Set([type, 'OperationOutcome']), isBundle: false } });
  }
}

function partOfText(text: string, { partOf }: Exclude<Shown, string>): string {
  try {
    return stringify(partOf(parse(text))) ?? '';
  } catch {
    throw unusableAnswer('a read was answered with JSON that is nested too deeply or has a member twice');
  }
}

function recorded(answer: GatewayAnswer, record: AnswerRecord): GatewayAnswer {
  return { ...answer, record };
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
