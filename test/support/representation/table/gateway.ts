import { configSchema } from '../../../../src/platform/config/config.js';
import { RepresentationRules } from '../../../../src/representation/application/representation-rules.js';
import { dayIn } from '../../../../src/representation/domain/ages.js';
import { decide, refusalOf } from '../../../../src/representation/domain/decision.js';
import { factsOf } from '../../../../src/representation/domain/patient-facts.js';
import { type StatedRelationships, startGateway, type TestGateway } from '../../fhir/gateway.js';
import { RecordServer, type Stored } from '../../fhir/record-server.js';
import { aRelationship } from '../relationship.js';
import { kimHerself, tableRecord } from './record.js';
import { tableRules } from './rules.js';
import { noon, type State } from './states.js';

const timeZone = 'Europe/Amsterdam';

export interface TableAnswer {
  status: number;
  body: { resourceType?: string; id?: string; total?: number; entry?: TableEntry[]; link?: TableLink[] };
}

interface TableEntry {
  resource?: Stored;
  response?: { status: string };
}

interface TableLink {
  relation: string;
  url: string;
}

/** The gateway in front of Kim's record: it decides by the rules of relationships, of which none is stored. */
export class TableGateway {
  private state: State | undefined;
  private token = '';

  private constructor(
    private readonly server: RecordServer,
    readonly gateway: TestGateway,
  ) {}

  static async start(ignores: boolean): Promise<TableGateway> {
    const server = await new RecordServer().start();
    server.ignores = ignores;
    const config = configSchema.parse({
      server: { issuer: 'https://portal.example' },
      locale: { timeZone },
      representation: tableRules,
    });
    const rules = new RepresentationRules(config);
    const forRequest: StatedRelationships['forRequest'] = async () => decisionOf(rules, own.state as State);
    const represented = { protection: rules.protection, forRequest };
    const gateway = await startGateway(server.upstream.url, {}, { represented });
    const own = new TableGateway(server, gateway);
    await gateway.loadCapabilities();
    own.token = own.tokenFor('openid fhirUser patient/*.cruds');
    return own;
  }

  /** A token of Ana's, who acts for Kim. */
  tokenFor(scope: string, more: object = {}): string {
    const acting = { accountId: 'ana', patient: 'kim', representation: 'r' };
    return this.gateway.tokenFor(scope, { ...acting, fhirUser: `${this.gateway.base}/RelatedPerson/ana`, ...more });
  }

  /** From now on this holds, and the server has the record as it was. */
  be(state: State): void {
    this.state = state;
    this.server.have(kimHerself(state.patient ?? {}), ...tableRecord.map(([, resource]) => resource));
    this.server.upstream.requests.length = 0;
  }

  async ask(path: string, init: RequestInit = {}, token = this.token): Promise<TableAnswer> {
    const headers = { accept: 'application/fhir+json', ...init.headers };
    const response = await this.gateway.fetch(path, token, { ...init, headers });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  }

  /** What was sent to the FHIR server besides reads, as `PUT /r4/Observation/vit`. */
  get sent(): string[] {
    return this.server.upstream.requests
      .filter(({ method, url }) => method !== 'GET' && !url.endsWith('_search'))
      .map(({ method, url }) => `${method} ${url}`);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    this.server.upstream.close();
  }
}

async function decisionOf(rules: RepresentationRules, state: State): ReturnType<StatedRelationships['forRequest']> {
  const relationship = aRelationship({ id: 'r', patient: 'kim', ...state.relationship });
  const day = dayIn(new Date(state.at ?? noon), timeZone);
  const early = refusalOf(relationship, day);
  if (early) return { permitted: false, cause: early };
  const facts = factsOf(kimHerself(state.patient ?? {}), { tenant: undefined, patient: 'kim' }, new Date());
  const basis = rules.basis(relationship.basis);
  if (!facts || !basis) return { permitted: false, cause: 'not-configured' };
  const ages = rules.ages(relationship.basis, undefined);
  const decision = decide(relationship, { day, ages, facts, survivesDeath: basis.afterDeath === 'continues' });
  if (!decision.permitted) return decision;
  const levels = decision.levels.flatMap((level) => rules.level(relationship.basis, level) ?? []);
  if (levels.length < decision.levels.length) return { permitted: false, cause: 'not-configured' };
  return { permitted: true, levels, basis: relationship.basis, relationship: 'r' };
}

/** `Type/id` of what an answer has, in order, also in the answers of a batch. */
export const placesIn = ({ body }: Pick<TableAnswer, 'body'>): string[] =>
  (body.entry ?? []).flatMap(({ resource }): string[] => placesOf(resource)).sort();

function placesOf(resource: Stored | undefined): string[] {
  if (!resource || resource.resourceType === 'OperationOutcome') return [];
  return resource.resourceType === 'Bundle'
    ? placesIn({ body: resource })
    : [`${resource.resourceType}/${resource.id}`];
}
