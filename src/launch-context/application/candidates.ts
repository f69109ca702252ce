import { Injectable } from '@nestjs/common';
import type { LaunchContextRow } from '../../contract/launch-context.js';
import { FhirServerFailure, isJson } from '../../fhir-server/application/fhir-server.js';
import { FhirServers, type WatchedServer } from '../../fhir-server/application/fhir-servers.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { isSearchable, searchConditions } from '../domain/search-conditions.js';
import { Columns, type PatientIdentity } from './columns.js';
import type { ContextType, Served } from './context-types.js';
import { openedLink, sealedLink } from './page-links.js';
import { type PractitionerPanel, practitionerPanel, type Viewer } from './practitioner-panels.js';
import { entriesOf, hasNext, localReference, nextOf, type Resource, readLimits } from './server-bundles.js';

const pageSize = 50;
/** An EHR waits for its answer before it opens the app. */
const announcedLimits = { maxBytes: 2 * 1024 * 1024, timeoutMs: 3_000 };
const sortedBy: Readonly<Record<string, string>> = { Patient: 'family', Encounter: '-date' };

/** Parameters of a request for a page of candidates. */
export interface PageRequest {
  interactionId: string;
  /** Id of the patient whose resources are asked for. */
  patient: string | undefined;
  searchTerm: string;
  /** `next` of the page before. */
  page: string | undefined;
  /** `Practitioner/…`, for a user who is one; a patient is shown only their own record by other means. */
  viewer: Viewer | undefined;
}

export interface Page {
  data: LaunchContextRow[];
  /** Sealed link to the next page. */
  next: string | undefined;
  /** True if there is a next page that cannot be opened: its address is not known to be the server's. */
  isCut: boolean;
}

const nothing: Page = { data: [], next: undefined, isCut: false };

/** The resources that can be chosen, from the FHIR server of the tenant that the app asked for. */
@Injectable()
export class Candidates {
  private readonly columns: Columns;
  private readonly configured: string[];
  private readonly panel: Config['fhir']['panel'];

  constructor(
    private readonly servers: FhirServers,
    private readonly secrets: Secrets,
    { fhir }: Config,
  ) {
    this.columns = new Columns(fhir.launchContext);
    this.configured = fhir.launchContext.map(({ type }) => type);
    this.panel = fhir.panel;
  }

  forTenant(tenant: string | undefined): ServerCandidates {
    const watched = this.servers.forTenant(tenant);
    const panel = practitionerPanel(this.panel, watched.server);
    return new ServerCandidates(watched, this.secrets, this.columns, this.configured, panel);
  }
}

export class ServerCandidates implements Served {
  private readonly server: WatchedServer['server'];
  private readonly status: WatchedServer['status'];

  constructor(
    { server, status }: WatchedServer,
    private readonly secrets: Secrets,
    private readonly columns: Columns,
    private readonly configured: string[],
    private readonly panel: PractitionerPanel | undefined,
  ) {
    this.server = server;
    this.status = status;
  }

  get types(): string[] {
    return ['Patient', 'Encounter', ...this.configured, ...(this.status.resourceTypes() ?? [])];
  }

  isOfPatient(type: string): boolean {
    return type === 'Encounter' || this.status.searchParametersOf(type).includes('patient');
  }

  isSearchable(type: string): boolean {
    return isSearchable(this.status.searchParametersOf(type));
  }

  columnsOf(type: string): string[] {
    return this.columns.names(type);
  }

  /** Searched and paged by the server. Throws `unavailable` when it does not answer as it should. */
  async page(kind: ContextType, request: PageRequest): Promise<Page> {
    const { type, ofPatient } = kind;
    const { interactionId, patient, viewer } = request;
    const search = { interactionId, type, patient };
    const further = request.page === undefined ? undefined : openedLink(this.secrets, request.page, search);
    const panel = type === 'Patient' ? this.panel : undefined;
    // Without a patient these cannot be attributed to one.
    if (this.panel && ofPatient && patient === undefined) return nothing;
    if (panel && viewer === undefined) return nothing;
    const address = further ?? (await this.firstPage(kind, request));
    if (address === undefined) return nothing;
    const bundle = await this.server.readJson(address, readLimits);
    const isOffered = (one: Resource) => !ofPatient || patient === undefined || this.belongsTo(one, patient);
    const early = further === undefined ? await this.inProgress(type, address, bundle) : [];
    const listed = [...early, ...entriesOf(bundle, type)].filter(isOffered);
    const found = type === 'Encounter' ? inReadingOrder(listed) : listed;
    const open = panel && viewer !== undefined ? await panel.keep(found, viewer) : found;
    const link = nextOf(bundle);
    const next = link === undefined ? undefined : this.server.names?.targetOf(link, address);
    return {
      data: open.map((resource) => ({ id: `${type}/${resource.id}`, properties: this.columns.row(type, resource) })),
      next: next === undefined ? undefined : sealedLink(this.secrets, next, search),
      isCut: hasNext(bundle) && next === undefined,
    };
  }

  /** The visits in progress, which come first: those of later pages, too. A list of one page has them all. */
  private async inProgress(type: string, address: string, bundle: unknown): Promise<Resource[]> {
    const canSearch = type === 'Encounter' && this.status.searchParametersOf(type).includes('status');
    if (!canSearch || !hasNext(bundle)) return [];
    return entriesOf(await this.server.readJson(`${address}&status=in-progress`, readLimits), type);
  }

  /** True if practitioners are offered some patients only. */
  get areLimited(): boolean {
    return this.panel !== undefined;
  }

  /**
   * True if a practitioner is offered this patient. Throws `FhirServerFailure` when the server does not answer that.
   */
  async isInPanel(patient: string, viewer: Viewer): Promise<boolean> {
    if (!this.panel) return true;
    return (await this.panel.keep(await this.patients(patient), viewer)).length > 0;
  }

  /** Undefined when the server has no such patient. Throws `FhirServerFailure` when the server does not answer that. */
  async identify(patient: string): Promise<PatientIdentity | undefined> {
    const [found] = await this.patients(patient);
    return found && this.columns.identify(found);
  }

  /**
   * The resource, or undefined if the server says that there is none. Throws `FhirServerFailure` when it says neither.
   */
  async read(type: string, id: string): Promise<Resource | undefined> {
    const { maxBytes, timeoutMs } = announcedLimits;
    const answer = await this.server.askForJson(`/${type}/${id}`, performance.now() + timeoutMs);
    const { status } = answer;
    if (status !== 200 || !isJson(answer)) {
      answer.discard();
      if (status === 404 || status === 410) return undefined;
      throw new FhirServerFailure('garbage', new Error(`a read of ${type} was answered ${status} without FHIR JSON`));
    }
    const resource = JSON.parse(await answer.text(maxBytes)) as Resource | null;
    if (resource?.resourceType === type && resource.id === id) return resource;
    throw new FhirServerFailure('garbage', new Error(`a read of ${type} was answered with something else`));
  }

  /** True if the subject of a visit is another resource of this server than the patient. */
  isOfOther({ subject }: Resource, patient: string): boolean {
    const { reference } = (subject ?? {}) as { reference?: unknown };
    const local = typeof reference === 'string' ? localReference(reference, this.server.names) : undefined;
    return local !== undefined && local !== `Patient/${patient}`;
  }

  /** The patient with this id, if there is one: a server that ignores the condition must not name another one. */
  private async patients(patient: string): Promise<Resource[]> {
    const bundle = await this.server.readJson(`/Patient?${new URLSearchParams({ _id: patient })}`, readLimits);
    return entriesOf(bundle, 'Patient').filter(({ id }) => id === patient);
  }

  /**
   * A server that ignores a search condition must not make another patient's visits selectable. A visit is of its
   * subject, and of no other patient whom it mentions, such as the mother of a newborn.
   */
  private belongsTo(resource: Resource, patient: string): boolean {
    const { resourceType, subject } = resource;
    const searched = JSON.stringify(resourceType === 'Encounter' ? (subject ?? null) : resource);
    const references = [...searched.matchAll(/"reference":"([^"\\]*)"/g)].map(([, reference = '']) => reference);
    return references.some((reference) => localReference(reference, this.server.names) === `Patient/${patient}`);
  }

  private async firstPage({ type, ofPatient }: ContextType, request: PageRequest): Promise<string | undefined> {
    const { patient, searchTerm, viewer } = request;
    const known = this.status.searchParametersOf(type);
    const panel = type === 'Patient' ? this.panel : undefined;
    const searched = searchConditions(searchTerm, known);
    const within = panel && viewer !== undefined ? await panel.conditions(viewer) : [];
    if (!searched || !within) return undefined;
    const sort = sortedBy[type];
    const query = new URLSearchParams([
      ['_count', String(pageSize)],
      ...(ofPatient && patient !== undefined ? [['patient', patient]] : []),
      ...[...searched, ...within].map(([name, value]) => [name, value]),
      ...(sort !== undefined && known.includes(sort.replace('-', '')) ? [['_sort', sort]] : []),
    ] as [string, string][]);
    return `/${type}?${query}`;
  }
}

/** Visits in progress first, then the newest; each once. A server may not sort them, and pages of it are joined. */
function inReadingOrder(visits: Resource[]): Resource[] {
  const startOf = (visit: Resource) => Date.parse(String(periodOf(visit)?.start)) || 0;
  const unique = [...new Map(visits.map((visit) => [visit.id, visit])).values()];
  const rank = ({ status }: Resource) => (status === 'in-progress' ? 0 : 1);
  return unique.toSorted((one, other) => rank(one) - rank(other) || startOf(other) - startOf(one));
}

/** R5 calls it `actualPeriod`. */
function periodOf({ period, actualPeriod }: Resource): { start?: unknown } | null | undefined {
  return (period ?? actualPeriod) as { start?: unknown } | null | undefined;
}
