import { Injectable } from '@nestjs/common';
import type { LaunchContextRow } from '../../contract/launch-context.js';
import { FhirServers, type WatchedServer } from '../../fhir-server/application/fhir-servers.js';
import { Config } from '../../platform/config/config.js';
import { Columns } from './columns.js';
import type { Kind, Served } from './kinds.js';

/** A page of what there is; searching in more of it follows. */
const pageSize = 50;
const limits = { maxBytes: 8 * 1024 * 1024, timeoutMs: 8_000 };
const sortedBy: Readonly<Record<string, string>> = { Patient: 'family', Encounter: '-date' };

export interface Page {
  data: LaunchContextRow[];
  hasMore: boolean;
}

interface Resource {
  resourceType: string;
  id: string;
}

/** The resources that can be chosen, from the FHIR server of the tenant that the app asked for. */
@Injectable()
export class Candidates {
  private readonly columns: Columns;
  private readonly configured: string[];

  constructor(
    private readonly servers: FhirServers,
    { fhir }: Config,
  ) {
    this.columns = new Columns(fhir.launchContext);
    this.configured = fhir.launchContext.map(({ type }) => type);
  }

  of(tenant: string | undefined): ServerCandidates {
    return new ServerCandidates(this.servers.of(tenant), this.columns, this.configured);
  }
}

export class ServerCandidates implements Served {
  private readonly server: WatchedServer['server'];
  private readonly status: WatchedServer['status'];

  constructor(
    { server, status }: WatchedServer,
    private readonly columns: Columns,
    private readonly configured: string[],
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

  columnsOf(type: string): string[] {
    return this.columns.names(type);
  }

  /** Throws `unavailable` when the server does not answer as it should. */
  async page({ type, ofPatient }: Kind, patient: string | undefined): Promise<Page> {
    const query = new URLSearchParams({ _count: String(pageSize) });
    const limited = ofPatient && patient !== undefined;
    if (limited) query.set('patient', patient);
    const sort = sortedBy[type];
    if (sort !== undefined && this.status.searchParametersOf(type).includes(sort.replace('-', ''))) {
      query.set('_sort', sort);
    }
    const bundle = await this.server.readJson(`/${type}?${query}`, limits);
    const resources = entriesOf(bundle).filter(
      (resource) => resource.resourceType === type && (!limited || belongsTo(resource, patient)),
    );
    return {
      data: resources
        .slice(0, pageSize)
        .map((resource) => ({ id: `${type}/${resource.id}`, properties: this.columns.row(type, resource) })),
      hasMore: resources.length > pageSize || hasNext(bundle),
    };
  }
}

/** A server that ignores the condition of a search must not make somebody else's visits a choice. */
function belongsTo(resource: Resource, patient: string): boolean {
  const reference = `"reference":"([^"]*/)?Patient/${patient.replaceAll('.', '\\.')}(/_history/[^"]*)?"`;
  return new RegExp(reference).test(JSON.stringify(resource));
}

function entriesOf(bundle: unknown): Resource[] {
  const { entry } = (bundle ?? {}) as { entry?: unknown };
  return (Array.isArray(entry) ? entry : [])
    .map((item: { resource?: Resource } | null) => item?.resource)
    .filter((resource) => resource !== undefined && /^[A-Za-z0-9.-]{1,64}$/.test(String(resource?.id))) as Resource[];
}

function hasNext(bundle: unknown): boolean {
  const { link } = (bundle ?? {}) as { link?: unknown };
  return Array.isArray(link) && link.some((item: { relation?: unknown } | null) => item?.relation === 'next');
}
