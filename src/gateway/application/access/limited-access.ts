import { stringify } from 'lossless-json';
import { assertUnprotected, shownInPart } from '../../domain/acting/protected-elements.js';
import { isLinkedByAny } from '../../domain/binary/linked-binaries.js';
import { pathOf } from '../../domain/fhir-request.js';
import { isPermitted, limitingPatient, type Permission } from '../../domain/permission.js';
import { pathOfPlace } from '../../domain/references/addresses.js';
import { changeOutside } from '../../domain/references/named-patient.js';
import { existsAlready, notFound, Refusal } from '../../domain/refusal.js';
import { makesOnly, mediaType, namesVersion, preference, unreadBody } from '../../domain/request-headers.js';
import { trims } from '../../domain/search-parameters.js';
import { namedElementsOf } from '../../domain/separation/named-elements.js';
import type { Shown } from '../../domain/separation/separation.js';
import { asksForCount, checkableParameters } from '../../domain/trimmed-answers.js';
import type { AnswerRecord, GatewayAnswer } from '../server/gateway-request.js';
import { losslessInTurns, losslessParse } from '../server/lossless-parse.js';
import { readResource } from '../server/resource-body.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import { unusableAnswer } from '../server/server-failures.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { ChangeAnswers, changeOf } from './change-answers.js';
import { type Binding, type Current, checkedVersion } from './checked-version.js';
import { FilledPages } from './filled-pages.js';
import { LimitedCondition } from './limited-condition.js';
import { LimitedCount } from './limited-count.js';
import { LimitedSearch } from './limited-search.js';
import { patchedResource } from './patched-resource.js';
import { ReferenceCheck, ReferenceTargets, type WrittenTogether } from './reference-check.js';
import { SeparatedAnswer } from './separated-answer.js';
import { FreeId, StoredResources } from './stored-resources.js';
import { asWritten, withoutId } from './unlimited-access.js';

interface Written {
  body: string;
  resource: unknown;
}

interface CheckedUpdate {
  written: Written;
  before: readonly unknown[];
  binding: Binding;
}

/**
 * Requests whose scopes open only some resources of the type: one patient's, or those of certain categories.
 *
 * - Nothing of an answer is passed on before it was checked, resource by resource.
 * - What exists but is not open gets the same answer as what does not exist. For the same reason the server is never
 *   asked to check a precondition of the app (`If-None-Match`, `If-Match`) on a resource that was not checked.
 * - Before a change the resource is read and checked, and the change is bound to the version that was checked.
 */
export class LimitedAccess {
  private readonly many: LimitedSearch;
  private readonly counts: LimitedCount;
  private readonly pages: FilledPages;
  private readonly conditions: LimitedCondition;
  private readonly references: ReferenceCheck;
  private readonly answers: ChangeAnswers;
  private readonly stored: StoredResources;

  constructor(private readonly exchange: ServerExchange) {
    this.many = new LimitedSearch(exchange);
    this.counts = new LimitedCount(this.many);
    this.pages = new FilledPages(exchange, this.many);
    this.conditions = new LimitedCondition(exchange, this.many);
    this.references = new ReferenceCheck(exchange);
    this.answers = new ChangeAnswers(exchange);
    this.stored = new StoredResources(exchange);
  }

  async handle(asked: AuthorizedRequest): Promise<GatewayAnswer> {
    if (asked.fhir.interaction === 'search' && asksForCount(asked.fhir.parameters)) return this.counts.count(asked);
    const authorized = trims(asked.fhir.parameters) ? checkable(asked) : asked;
    const { fhir } = authorized;
    if (fhir.condition) {
      const resolved = await this.conditions.resolve(authorized);
      return 'status' in resolved ? resolved : this.handle(resolved);
    }
    switch (fhir.interaction) {
      case 'read':
      case 'vread':
        return this.read(authorized);
      case 'search':
        return this.pages.answer(authorized, () => this.counts.total(authorized));
      case 'history-instance':
        // Of a Binary there is none, whatever it is.
        if (fhir.type !== 'Binary') await this.assertCurrentShown(authorized);
        return this.many.history(authorized);
      case 'history-type':
        return this.many.history(authorized);
      case 'operation':
        return this.pages.answer(authorized);
      case 'create':
        return this.create(authorized);
      case 'update':
        return this.update(authorized);
      case 'delete':
        return this.delete(authorized);
      case 'patch':
        return this.patch(authorized);
    }
  }

  /**
   * Checks a change that is to be carried out as a part of something else; gives what it has to be bound to, and the
   * resource as it is. Reads are refused: what a server answers in the midst of a transaction can be checked only when
   * it is too late. `name` is the one by which its other parts refer to what is created.
   */
  async check(
    authorized: AuthorizedRequest,
    targets: ReferenceTargets,
    name: string | undefined,
  ): Promise<{ binding: Binding; before: readonly unknown[] }> {
    const { fhir, request } = authorized;
    switch (fhir.condition ? 'conditional' : fhir.interaction) {
      case 'create':
        await this.written(authorized, await this.exchange.readBody(request), undefined, { targets, name });
        return { binding: {}, before: [] };
      case 'update':
        return this.checkedUpdate(authorized, targets);
      case 'delete': {
        const current = await this.current(authorized);
        return { binding: checkedVersion(current, authorized), before: [current.resource] };
      }
      default:
        throw new Refusal(
          403,
          'not-supported',
          'With this token a transaction may create, update and delete, nothing else.',
        );
    }
  }

  /** Finds the resource of a reference by a search among those that the token permits to search for, as `Type/id`. */
  findOne(authorized: AuthorizedRequest): Promise<string> {
    return this.conditions.findOne(authorized);
  }

  /** Finds the permitted resource that a conditional create is about, as JSON. */
  findExisting(authorized: AuthorizedRequest): Promise<string | undefined> {
    return this.conditions.findExisting(authorized);
  }

  /** For the references of a request, or of all parts of a transaction with these resources. */
  targetsFor(
    { request, token: { limit }, canReadBinary }: Pick<AuthorizedRequest, 'request' | 'token' | 'canReadBinary'>,
    written?: WrittenTogether,
  ): ReferenceTargets {
    return new ReferenceTargets(async (place) => {
      // A resource that the same transaction writes is checked there.
      const made = written?.byAddress.get(pathOfPlace(place));
      if (made !== undefined) return made;
      // An address of content must not lead to more than the token may read already.
      if (place.type === 'Binary') return (await canReadBinary(place)) ? { resourceType: 'Binary' } : undefined;
      const { type, id } = place;
      const read = await this.stored.readIfThere({ interaction: 'read', type, id, parameters: [] }, request);
      const resource = read?.resource;
      if (!limit) return resource;
      // A private resource is answered like a missing one, and its identifier like a wrong one.
      return limit.permits(resource) ? limit.shown(resource) : undefined;
    }, written);
  }

  private async read(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, checkResource } = authorized;
    if (fhir.interaction === 'vread') await this.assertCurrentShown(authorized);
    const current = await this.stored.read(fhir, request);
    const shown = await this.shownOf(current, authorized);
    if (shown === 'nothing') throw notFound();
    checkResource?.(current.resource);
    const { text, headers, resource } = current;
    const known = request.headers['if-none-match'];
    if (known !== undefined && headers.etag !== undefined && namesVersion(known, headers.etag)) {
      return { status: 304, headers };
    }
    const answer = { status: 200, headers: { ...headers, 'Content-Type': fhirJson } };
    if (shown === 'whole') return { ...answer, body: this.exchange.forApp(text), parsed: resource };
    return { ...answer, body: this.exchange.forApp(partOfText(text, shown)), parsed: shown.partOf(resource) };
  }

  /**
   * For who acts for a patient a label counts for the versions before it, too; of a deleted resource there is none to
   * show.
   */
  private async assertCurrentShown(authorized: AuthorizedRequest): Promise<void> {
    const { fhir, request, token } = authorized;
    if (!token.limit) return;
    const { type, id = '' } = fhir;
    const current = await this.stored.read({ interaction: 'read', type, id, parameters: [] }, request);
    if ((await this.shownOf(current, authorized)) === 'nothing') throw notFound();
  }

  private async shownOf({ resource }: Current, authorized: AuthorizedRequest): Promise<Shown> {
    const answer = new SeparatedAnswer(this.exchange, authorized, () => authorized.permissions);
    await answer.prepare([resource]);
    return answer.shown(resource);
  }

  private async create(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    const { body, resource } = await this.written(authorized, await this.exchange.readBody(request));
    const isNamed = (resource as { id?: unknown }).id !== undefined;
    const fresh = isNamed ? (stringify(withoutId(await losslessInTurns(body))) ?? '') : body;
    const sent = { method: 'POST', path: pathOf(fhir), body: fresh } as const;
    return recorded(await this.write(sent, authorized, {}), { after: [asWritten(fhir, resource)] });
  }

  private async update(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { written, before, binding } = await this.checkedUpdate(authorized);
    const sent = { method: 'PUT', path: pathOf(authorized.fhir), body: written.body } as const;
    const answer = await this.write(sent, authorized, binding).catch((error: unknown) => {
      // Another client has taken the id since it was looked up.
      const isTaken = 'if-none-match' in binding && error instanceof Refusal && error.status === 412;
      throw isTaken ? notFound() : error;
    });
    return recorded(answer, { before, after: [written.resource] });
  }

  /**
   * An update, and what it has to be bound to: the version that was checked, or that there is nothing of this id where
   * an update makes that (FHIR R4 §3.1.0.7.1). Then the body is checked before the id, so that its refusal does not
   * tell whether the id is taken.
   */
  private async checkedUpdate(authorized: AuthorizedRequest, targets?: ReferenceTargets): Promise<CheckedUpdate> {
    const { request } = authorized;
    const text = await this.exchange.readBody(request);
    const current = await this.current(authorized).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404 && this.mayMake(authorized)) return error;
      throw error;
    });
    const own = current instanceof Refusal ? undefined : current;
    const written = await this.written(authorized, text, own, targets && { targets });
    if (own && makesOnly('update', request.headers)) throw existsAlready();
    if (own) return { written, before: [own.resource], binding: checkedVersion(own, authorized) };
    if (!(current instanceof FreeId)) throw current;
    return { written, before: [], binding: { 'if-none-match': '*' } };
  }

  /** An update that names a version is of something that exists, and a patient does not make patients. */
  private mayMake({ fhir: { type }, request }: AuthorizedRequest): boolean {
    const isOfExisting = request.headers['if-match'] !== undefined;
    return type !== 'Patient' && !isOfExisting && this.exchange.status.makesByUpdate(type);
  }

  /** The result of a patch is known only once it is applied, so the gateway applies it here. */
  private async patch(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    if (mediaType(request.headers) !== 'application/json-patch+json') {
      const [sent, needed] = [`as ${mediaType(request.headers)}`, 'as application/json-patch+json'];
      throw unreadBody('With this token only JSON patches are supported.', { sent, needed });
    }
    const current = await this.current(authorized);
    const patch = this.exchange.forServer(await this.exchange.readBody(request));
    const patched = await patchedResource(current.text, patch, this.exchange.memory.limits.body);
    const { body, resource } = await this.written(authorized, patched, current);
    const sent = { method: 'PUT', path: pathOf({ ...fhir, parameters: [] }), body } as const;
    return recorded(await this.write(sent, authorized, checkedVersion(current, authorized)), {
      before: [current.resource],
      after: [resource],
    });
  }

  /** The permissions that include the resource as it is: a change may not lead out of them. */
  private permissionsFor({ resource }: Current, permissions: readonly Permission[]): Permission[] {
    return permissions.filter((permission) => isPermitted(resource, [permission], this.exchange.names));
  }

  private async delete(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir } = authorized;
    const current = await this.current(authorized);
    const sent = { method: 'DELETE', path: pathOf(fhir) } as const;
    return recorded(await this.write(sent, authorized, checkedVersion(current, authorized)), {
      before: [current.resource],
    });
  }

  /** The resource as it is on the server, if it is open and the patient's alone. */
  private async current(authorized: AuthorizedRequest): Promise<Current> {
    const { fhir, request, token, permissions, checkResource } = authorized;
    const current = await this.stored.read({ ...fhir, parameters: [] }, request);
    const isOwn = isPermitted(current.resource, permissions, this.exchange.names);
    const shown = await this.shownOf(current, authorized);
    if (isOwn && shown === 'whole') {
      checkResource?.(current.resource);
      return current;
    }
    if (isOwn && typeof shown === 'object' && fhir.type === 'Patient') {
      throw shownInPart(current.resource, shown.partOf(current.resource));
    }
    if (shown === 'nothing' || !namedElementsOf(fhir.type)?.participants) throw notFound();
    // That it is shared is told by its reads, so only a token that may read it gets to know.
    const read = await this.shownOf(current, { ...authorized, permissions: token.permissionsFor(fhir.type, 'r') });
    throw read === 'nothing' ? notFound() : shared();
  }

  /**
   * The resource to write, once it is known to lie within the permissions, and its references within the record. A
   * change may not lead out of the permissions that include the resource as it is.
   */
  private async written(
    authorized: AuthorizedRequest,
    text: string,
    current?: Current,
    { targets = this.targetsFor(authorized), name }: { targets?: ReferenceTargets; name?: string | undefined } = {},
  ): Promise<Written> {
    const { fhir, token, permissions, checkResource } = authorized;
    const { names } = this.exchange;
    const open = current ? this.permissionsFor(current, permissions) : permissions;
    const body = this.exchange.forServer(text);
    const resource = await readResource(body, fhir);
    checkResource?.(resource);
    const judged = isBinaryWithoutContext(resource)
      ? this.asLinked(resource, open, name, targets.written.all)
      : resource;
    this.assertWithin(judged, open);
    const patient = limitingPatient(judged, open, names);
    if (patient !== undefined) {
      if (current) assertUnprotected(current.resource, resource, token.protection);
      const isReadable = current && isPermitted(current.resource, token.permissionsFor(fhir.type, 'r'), names);
      const stored = isReadable ? current.resource : undefined;
      await this.references.assertWithin(resource, { patient, user: token.knownUser }, targets, stored);
    }
    return { body, resource };
  }

  /**
   * A new Binary belongs to the patient whose document links it in the same transaction, as if its security context
   * said so.
   */
  private asLinked(
    binary: object,
    permissions: readonly Permission[],
    name: string | undefined,
    written: readonly unknown[],
  ): object {
    const linking = permissions.find(
      ({ patient }) =>
        name !== undefined && patient !== undefined && isLinkedByAny(name, written, patient, this.exchange.names),
    );
    return linking ? { ...binary, securityContext: { reference: `Patient/${linking.patient}` } } : binary;
  }

  private assertWithin(resource: unknown, permissions: readonly Permission[]): void {
    if (!isPermitted(resource, permissions, this.exchange.names)) throw changeOutside(resource, permissions);
  }

  private async write(
    sent: { method: 'POST' | 'PUT' | 'DELETE'; path: string; body?: string },
    authorized: AuthorizedRequest,
    binding: Binding,
  ): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    const written: Record<string, string> = sent.body === undefined ? {} : { 'content-type': 'application/fhir+json' };
    const headers = { ...written, ...preference('update', request.headers), ...binding };
    const answer = await this.exchange.sendChange({ ...sent, headers, cancellation: request.cancellation });
    const change = changeOf(authorized, this.exchange.names);
    if (change) return this.answers.ofChange(answer, change, request.cancellation);
    return this.exchange.passOnChange(answer, {
      expected: { types: new Set([fhir.type, 'OperationOutcome']), isBundle: false },
      cancellation: request.cancellation,
    });
  }
}

/**
 * The same request, of which each resource can be checked, also those that are included. Labels, codes and attachments
 * may be anywhere, so that a user who acts for a patient is given resources that are whole.
 */
function checkable(authorized: AuthorizedRequest): AuthorizedRequest {
  const { fhir, token } = authorized;
  const included = (fhir.relatedTypes ?? []).filter(({ shown }) => shown).map(({ type }) => type);
  const types = token.limit ? ['*'] : [fhir.type, ...included];
  const parameters = checkableParameters(types, fhir.parameters);
  return { ...authorized, fhir: { ...fhir, parameters } };
}

function shared(): Refusal {
  const text = 'Others than the patient of this token take part in this resource, so this token cannot change it.';
  return new Refusal(403, 'forbidden', text);
}

function isBinaryWithoutContext(resource: unknown): resource is object {
  const { resourceType, securityContext } = resource as { resourceType?: unknown; securityContext?: unknown };
  return resourceType === 'Binary' && securityContext === undefined;
}

function partOfText(text: string, { partOf }: Exclude<Shown, string>): string {
  try {
    return stringify(partOf(losslessParse(text))) ?? '';
  } catch {
    throw unusableAnswer('a read was answered with JSON that is nested too deeply or has a member twice');
  }
}

function recorded(answer: GatewayAnswer, record: AnswerRecord): GatewayAnswer {
  return { ...answer, record };
}
