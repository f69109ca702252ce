import type { BinaryResource } from '../../domain/binary/arriving-binary.js';
import { attachmentUrls, linkingTypes, type Place, placeOf } from '../../domain/binary/linked-binaries.js';
import {
  compartmentCondition,
  isAboutPatient,
  isInPatientCompartment,
  isShared,
} from '../../domain/patient-compartment.js';
import { isPermitted } from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import { printParameters } from '../../domain/search-parameters.js';
import type { AuthorizedRequest, LinkingBinaries } from '../access/authorized-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { unusableAnswer } from '../server/server-failures.js';

/** Resources of one type that are looked at for a link, at most: so many on a page, so many pages. */
const onPage = 100;
const mostPages = 20;

/** The facts that are known of a Binary before any of it is passed on. */
export interface StoredBinary {
  resource: BinaryResource;
  /** Of what was read; undefined if the server tells none. */
  version: string | undefined;
  /** True if that is the current version, which links without a version mean. */
  isCurrent(): Promise<boolean>;
}

/**
 * Decides whether a limited token may read a Binary, at each request from what the server has (decision 0096):
 *
 * - What the security context names decides first. If it belongs to another record, or to none that can be found,
 *   nothing opens the Binary.
 * - If the security context is the token's patient, a scope that permits Binary opens it; if it is another resource of
 *   that record, a scope that permits reading this resource, and for types that do not link documents one that permits
 *   Binary as well.
 * - Otherwise a resource that links the Binary opens it, if the token permits reading that resource.
 */
export class BinaryRights {
  constructor(private readonly exchange: ServerExchange) {}

  /**
   * Returns the id of the patient in whose record the Binary is; undefined if the token is limited by no patient.
   * Throws the refusal of what does not exist.
   */
  async patientOf(binary: StoredBinary, authorized: AuthorizedRequest): Promise<string | undefined> {
    const { permissions, linking = [], token } = authorized;
    const { resource } = binary;
    if (token.limit?.excludes(resource)) throw notFound();
    for (const permission of permissions) {
      if (!isPermitted(resource, [permission], this.exchange.names)) continue;
      await this.assertNotPrivate(binary, permission.patient, authorized);
      return permission.patient;
    }
    const patients = new Set(
      [...permissions, ...linking.flatMap((one) => one.permissions)].map(({ patient }) => patient),
    );
    for (const patient of patients) {
      if (patient !== undefined && (await this.isOpenTo(patient, binary, authorized))) return patient;
    }
    throw notFound();
  }

  private async isOpenTo(patient: string, binary: StoredBinary, authorized: AuthorizedRequest): Promise<boolean> {
    const { resource } = binary;
    const context = resource.securityContext;
    if (context !== undefined && !isAboutPatient(resource, patient, this.exchange.names)) {
      const isOpen = await this.isContextOpen(context, patient, authorized);
      if (isOpen) await this.assertNotPrivate(binary, patient, authorized);
      if (isOpen !== undefined) return isOpen;
    }
    for (const linking of authorized.linking ?? []) {
      if (await this.isLinked(binary, { patient, ...linking }, authorized)) return true;
    }
    return false;
  }

  /** Undefined if the security context leaves it to a link. */
  private async isContextOpen(
    context: unknown,
    patient: string,
    { request, token, permissions, linking = [] }: AuthorizedRequest,
  ): Promise<boolean | undefined> {
    const { reference } = (context ?? {}) as { reference?: unknown };
    const place = typeof reference === 'string' ? placeOf(this.exchange.names.local(reference)) : undefined;
    if (place && isShared(place.type)) return undefined;
    if (!place || place.type === 'Patient' || !isInPatientCompartment(place.type)) return false;
    const named = await this.read(place, request.cancellation);
    if (!isAboutPatient(named, patient, this.exchange.names)) return false;
    const read = token.permissionsFor(place.type, 'r').filter((permission) => permission.patient === patient);
    if (!isPermitted(named, read, this.exchange.names)) return undefined;
    if (linkingTypes.includes(place.type)) {
      linking.find(({ type }) => type === place.type)?.checkResource?.(named);
      return true;
    }
    const isBinaryPermitted = permissions.some((one) => one.patient === patient && one.categories.length === 0);
    return isBinaryPermitted ? true : undefined;
  }

  /**
   * The content of a document that is withheld from a representative is withheld, too, however else it may be opened.
   * No level opens all documents: one may tell of another representative.
   */
  private async assertNotPrivate(
    binary: StoredBinary,
    patient: string | undefined,
    { token: { limit }, request: { cancellation } }: AuthorizedRequest,
  ): Promise<void> {
    if (!limit || patient === undefined) return;
    let isPrivate = false;
    for (const type of linkingTypes) {
      for await (const resource of this.resourcesOf(type, patient, cancellation)) {
        const isOwn = isAboutPatient(resource, patient, this.exchange.names);
        if (!isOwn || !(await this.isLink(resource, binary))) continue;
        if (limit.permits(resource)) return;
        isPrivate = true;
      }
    }
    if (isPrivate) throw notFound();
  }

  private async isLinked(
    binary: StoredBinary,
    { type, permissions, checkResource, patient }: LinkingBinaries & { patient: string },
    { request: { cancellation } }: AuthorizedRequest,
  ): Promise<boolean> {
    const own = permissions.filter((permission) => permission.patient === patient);
    for await (const resource of this.resourcesOf(type, patient, cancellation)) {
      if (!isPermitted(resource, own, this.exchange.names) || !(await this.isLink(resource, binary))) continue;
      checkResource?.(resource);
      return true;
    }
    return false;
  }

  /** True if a resource links this version of the Binary. */
  private async isLink(resource: unknown, binary: StoredBinary): Promise<boolean> {
    const places = attachmentUrls(resource).map((url) => placeOf(this.exchange.names.local(url)));
    const named = places.filter((place) => place?.type === 'Binary' && place.id === binary.resource.id);
    return (
      named.some((place) => place?.version !== undefined && place.version === binary.version) ||
      (named.some((place) => place?.version === undefined) && (await binary.isCurrent()))
    );
  }

  /** The resources of a type in a record, as far as a bounded search finds them. */
  private async *resourcesOf(
    type: string,
    patient: string,
    cancellation: AuthorizedRequest['request']['cancellation'],
  ): AsyncGenerator<unknown> {
    const { status } = this.exchange;
    if (status.resourceTypes()?.includes(type) === false) return;
    const query = printParameters([compartmentCondition(type, patient), ['_count', String(onPage)]]);
    let path: string | undefined = `/${type}?${query}`;
    for (let page = 0; page < mostPages && path !== undefined; page += 1) {
      const headers = { prefer: 'handling=strict' };
      const { text } = await this.exchange.sendAndRead({ method: 'GET', path, headers, cancellation });
      const { entry, link } = bundleOf(text);
      for (const one of entry) if (one?.resource !== undefined) yield one.resource;
      const next: unknown = link.find((one) => one?.relation === 'next')?.url;
      path = typeof next === 'string' ? this.exchange.names.targetOf(next, path) : undefined;
    }
  }

  private async read(
    { type, id }: Place,
    cancellation: AuthorizedRequest['request']['cancellation'],
  ): Promise<unknown> {
    try {
      const { text } = await this.exchange.sendAndRead({ method: 'GET', path: `/${type}/${id}`, cancellation });
      const resource = JSON.parse(text);
      return resource?.resourceType === type && resource.id === id ? resource : undefined;
    } catch (error) {
      if (error instanceof Refusal && error.status >= 500) throw error;
      return undefined;
    }
  }
}

interface Page {
  entry: readonly ({ resource?: unknown } | null)[];
  link: readonly ({ relation?: unknown; url?: unknown } | null)[];
}

function bundleOf(text: string): Page {
  try {
    const { entry = [], link = [] } = JSON.parse(text);
    if (Array.isArray(entry) && Array.isArray(link)) return { entry, link };
  } catch {
    // As below.
  }
  throw unusableAnswer('a search for documents was answered without a Bundle');
}
