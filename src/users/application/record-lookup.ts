import { Injectable } from '@nestjs/common';
import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import { FhirServers, type WatchedServer } from '../../fhir-server/application/fhir-servers.js';
import type { IdentityProvider } from '../../platform/config/config.js';

/** Searches that together have to find exactly one record. */
export type RecordSearches = Extract<IdentityProvider['fhirUser'], { lookup: unknown }>['lookup'];

const limits = { maxBytes: 4 * 1024 * 1024, timeoutMs: 5_000 };

/** Finds a user's own record on their tenant's FHIR server by another provider's claims. */
@Injectable()
export class RecordLookup {
  constructor(private readonly servers: FhirServers) {}

  /**
   * All matching records, as `{Type}/{id}`. Every condition of a search has to hold; one whose claim is missing finds
   * nothing. Throws `unavailable` when the server gives no usable answer.
   */
  async findByClaims(
    searches: RecordSearches,
    claim: (name: string) => string | undefined,
    tenant: string | undefined,
  ): Promise<string[]> {
    const watched = this.servers.forTenant(tenant);
    const found = await Promise.all(searches.map((search) => this.search(search, claim, watched)));
    return [...new Set(found.flat())];
  }

  private async search(
    { type, match }: RecordSearches[number],
    claim: (name: string) => string | undefined,
    { server, status }: WatchedServer,
  ): Promise<string[]> {
    const query = new URLSearchParams({ _count: '2' });
    for (const condition of match) {
      const value = claim(condition.claim);
      if (value === undefined) return [];
      assertSearchable(type, condition.parameter, status);
      query.append(condition.parameter, asSearchValue(value, condition.system));
    }
    const bundle = await server.readJson(`/${type}?${query}`, limits);
    const { resourceType: kind, entry, link } = (bundle ?? {}) as Record<string, unknown>;
    if (kind !== 'Bundle') {
      throw new FhirServerFailure('garbage', new Error(`/${type} was answered without a Bundle`));
    }
    const ids = (Array.isArray(entry) ? entry : []).flatMap((item: { resource?: Partial<Resource> } | null) => {
      const { resourceType, id } = item?.resource ?? {};
      return resourceType === type && id !== undefined && /^[A-Za-z0-9.-]{1,64}$/.test(id) ? [`${type}/${id}`] : [];
    });
    // A further page has another match, so the result is ambiguous.
    const isMore = Array.isArray(link) && link.some((item: { relation?: unknown } | null) => item?.relation === 'next');
    return isMore ? [...ids, `${type}/another`] : ids;
  }
}

/** A server ignores an unknown parameter, and so would find any record. */
function assertSearchable(type: string, parameter: string, status: WatchedServer['status']): void {
  const [name = ''] = parameter.split(':', 1);
  if (name === '_id' || status.searchParametersOf(type).includes(name)) return;
  throw new FhirServerFailure('garbage', new Error(`the FHIR server does not search ${type} by ${name}`));
}

interface Resource {
  resourceType: string;
  id: string;
}

/** Escapes a single value: a comma would mean "or", a bar would end a system (FHIR R4 search §3.1.1.3.1.1). */
function asSearchValue(value: string, system: string | undefined): string {
  const escaped = value.replace(/[\\,$|]/g, '\\$&');
  return system === undefined ? escaped : `${system}|${escaped}`;
}
