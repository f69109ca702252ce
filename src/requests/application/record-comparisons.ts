import { Injectable } from '@nestjs/common';
import type { RecordComparison } from '../../contract/requests.js';
import { isSameName } from '../../contract/rules/same-name.js';
import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { log } from '../../platform/logging/log.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { compare, type PatientRecord } from '../domain/comparison.js';
import { askedRelationshipOf, type HospitalRequest } from '../domain/request.js';

const readLimits = { maxBytes: 2 * 1024 * 1024, timeoutMs: 5_000 };
const mostRecords = 20;

/** A comparison, with what an approval takes from the record. */
export interface ComparedRecord {
  comparison: RecordComparison;
  /** Undefined where no record fits. */
  birthDate: string | undefined;
  /** `RelatedPerson/{id}` with the name of the user. */
  relatedPerson: string | undefined;
}

/** Compares what users wrote with the records of the FHIR server, when an administrator opens the request. */
@Injectable()
export class RecordComparisons {
  constructor(
    private readonly servers: FhirServers,
    private readonly relationships: AskedRelationships,
  ) {}

  /** Undefined for a question about a relationship. */
  async forRequest(request: HospitalRequest): Promise<ComparedRecord | undefined> {
    const asked = askedRelationshipOf(request);
    if (!asked) return undefined;
    if (!asked.isCompared) return nothing('not-compared');
    try {
      return await this.compared(request);
    } catch (err) {
      if (!(err instanceof FhirServerFailure)) throw err;
      log.warn({ err, tenant: request.tenant }, 'the record of a request could not be read');
      return nothing('unreachable');
    }
  }

  private async compared(request: HospitalRequest): Promise<ComparedRecord> {
    const { birthDate = '', recordNumber = null } = askedRelationshipOf(request) ?? {};
    const { tenant, patientName, askerName } = request;
    const family = patientName.trim().split(/\s+/).at(-1) ?? '';
    const query: Record<string, string> =
      recordNumber === null
        ? { birthdate: birthDate, name: family }
        : { identifier: recordNumber.replaceAll(/[|,$\\]/g, '') };
    const found = (await this.search(tenant, 'Patient', query)).flatMap((one) => patientOf(one) ?? []);
    const { result, patient, items } = compare({ name: patientName, birthDate, recordNumber }, found);
    if (patient === null) return { ...nothing(result), comparison: { ...nothing(result).comparison, items } };
    const others = await this.search(tenant, 'RelatedPerson', { patient: `Patient/${patient}` });
    const same = others.find((one) => namesOf(one).some((name) => isSameName(name, askerName)));
    const record = found.find(({ id }) => id === patient);
    return {
      birthDate: record?.birthDate,
      relatedPerson: same ? `RelatedPerson/${same.id}` : undefined,
      comparison: {
        ...{ result, patient },
        items: [
          ...items,
          { item: 'representative', result: same ? 'fits' : 'missing', asked: askerName, inRecord: null },
        ],
        acting: await this.relationships.countActing({ tenant, patient }),
        lacksBirthDate: this.relationships.ageOf(record?.birthDate ?? '', tenant) === null,
      },
    };
  }

  private async search(
    tenant: string | undefined,
    type: string,
    query: Record<string, string>,
  ): Promise<Record<string, unknown>[]> {
    const { server } = this.servers.forTenant(tenant);
    const search = new URLSearchParams({ ...query, _count: String(mostRecords) });
    const answer = (await server.readJson(`/${type}?${search}`, readLimits)) as { entry?: { resource?: unknown }[] };
    const entries = Array.isArray(answer?.entry) ? answer.entry : [];
    return entries
      .map(({ resource }) => resource as Record<string, unknown> | undefined)
      .filter((resource): resource is Record<string, unknown> => resource?.resourceType === type);
  }
}

function nothing(result: RecordComparison['result']): ComparedRecord {
  return {
    comparison: { result, patient: null, items: [], acting: 0, lacksBirthDate: false },
    birthDate: undefined,
    relatedPerson: undefined,
  };
}

function patientOf(resource: Record<string, unknown>): PatientRecord | undefined {
  const { id, birthDate, identifier, active } = resource;
  if (typeof id !== 'string' || active === false) return undefined;
  const identifiers = Array.isArray(identifier) ? (identifier as { value?: unknown }[]) : [];
  return {
    id,
    birthDate: typeof birthDate === 'string' ? birthDate : undefined,
    names: namesOf(resource),
    identifiers: identifiers.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  };
}

function namesOf({ name }: Record<string, unknown>): string[] {
  const all = Array.isArray(name) ? (name as { text?: unknown; given?: unknown; family?: unknown }[]) : [];
  return all.flatMap(({ text, given, family }) => {
    const parts = [...(Array.isArray(given) ? given : []), family].filter((one) => typeof one === 'string');
    const [first] = Array.isArray(given) ? given : [];
    const short = [first, family].filter((one) => typeof one === 'string').join(' ');
    return [...(typeof text === 'string' ? [text] : []), parts.join(' '), short].filter((one) => one !== '');
  });
}
