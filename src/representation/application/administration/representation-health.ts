import { Injectable } from '@nestjs/common';
import { listOf, member } from '../../../contract/rules/resources/elements.js';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { log } from '../../../platform/logging/log.js';
import { Figures } from '../../../platform/metrics/figures.js';
import { privateKindsOf, unrecognisedIn } from '../../domain/private-kinds.js';
import { openStatuses } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { RepresentationRules } from '../representation-rules.js';

/** The result of a sample of one FHIR server; undefined if the sample could not be read. */
export interface LabelSample {
  /** Id of the tenant; undefined for the base of no tenant. */
  tenant: string | undefined;
  /** Resources that were looked at. */
  resources: number | undefined;
  /** Kinds that levels keep private, and as which none of them could be recognised. */
  unrecognised: string[];
}

/** The state of acting for others, for readiness: the rules of the nodes, and a sample of each FHIR server. */
export interface RepresentationState {
  /** False while connected nodes have different rules. */
  haveSameRules: boolean;
  /** Undefined where nothing names a time zone: days are those of UTC. */
  timeZone: string | undefined;
  samples: LabelSample[];
}

/** Types in which sensitive data are most, as far as the server has them. */
const sampledTypes = [
  ...['Condition', 'Observation', 'Encounter', 'MedicationRequest', 'Procedure', 'DiagnosticReport'],
  ...['DocumentReference', 'ServiceRequest', 'AllergyIntolerance', 'Immunization'],
];
/** States that are few and wait; the active ones may be a million. */
const waitingStatuses = [...openStatuses, 'suspended'] as const;
const waiting = 'gatehouse_representation_waiting';
const sampleSize = 100;
const limits = { maxBytes: 4 * 1024 * 1024, timeoutMs: 4_000 };

/** Findings for operators before accounts act for patients. */
@Injectable()
export class RepresentationHealth {
  constructor(
    private readonly relationships: Relationships,
    private readonly rules: RepresentationRules,
    private readonly servers: FhirServers,
    figures: Figures,
  ) {
    if (!rules.isOn) return;
    const help = 'relationships about which administrators have to decide, by their state, of all nodes';
    figures.addStored([{ name: waiting, help, labels: ['status'], across: 'max' }], async () => {
      const counted = await relationships.count(waitingStatuses);
      return {
        [waiting]: waitingStatuses.map((status) => ({
          labels: { status },
          value: counted.find((one) => one.status === status)?.count ?? 0,
        })),
      };
    });
  }

  /** Undefined where no account can act for a patient. Reads samples of the FHIR servers, as the portal. */
  async examine(): Promise<RepresentationState | undefined> {
    if (!this.rules.isOn) return undefined;
    return {
      haveSameRules: await this.relationships.canBeDecided(),
      timeZone: this.rules.configuredTimeZone,
      samples: await this.samples(),
    };
  }

  private samples(): Promise<LabelSample[]> {
    const kinds = privateKindsOf(this.rules.all);
    if (kinds.length === 0) return Promise.resolve([]);
    return Promise.all(
      this.servers.all().map(async ([tenant, { server, status }]) => {
        const types = new Set([...sampledTypes, ...kinds.flatMap(({ type }) => type ?? [])]);
        const served = status.resourceTypes();
        const known = [...types].filter((type) => served?.includes(type) === true);
        const pages = await Promise.all(
          known.map((type) =>
            server.readJson(`/${type}?_count=${sampleSize}`, limits).catch((err: unknown) => {
              log.warn({ err, type }, 'a sample of the FHIR server could not be read');
              return undefined;
            }),
          ),
        );
        const read = pages.filter((page) => page !== undefined);
        const resources = read.flatMap((page) =>
          listOf(member(page, 'entry')).map((entry) => member(entry, 'resource')),
        );
        const isRead = known.length > 0 && read.length > 0;
        return {
          tenant,
          resources: isRead ? resources.length : undefined,
          unrecognised: isRead ? unrecognisedIn(kinds, resources) : [],
        };
      }),
    );
  }
}
