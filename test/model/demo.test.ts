import { configSchema } from '../../src/platform/config/config.js';
import { DemoGateway } from '../support/fhir/demo-gateway.js';
import { isLong } from '../support/runs.js';
import { decide } from './decision/decide.js';
import type { Asked, Query, Resource, Token } from './decision/world.js';
import { representation } from './generated/relationship.js';
import { ages } from './run/cells.js';
import { type Capabilities, DataServer } from './run/data.js';
import { OneRelationship, sectionsOf } from './run/one-relationship.js';

/** One question of so many is asked: a prime, so that each comes with each age and level. */
const step = isLong ? 3 : 37;

const config = configSchema.parse({
  server: { issuer: 'https://portal.test' },
  fhir: { baseUrl: 'https://fhir.test' },
  locale: { timeZone: 'UTC' },
  ...sectionsOf(representation),
});
const represented = new OneRelationship(config);

let demo: DemoGateway;
let token: string;
let server: DemoData;
let questions: readonly Asked[];

/** What the demo server has, as it answers without a gateway. */
class DemoData extends DataServer {
  constructor(
    resources: readonly Resource[],
    capabilities: Capabilities,
    private readonly records: ReadonlyMap<string, readonly Resource[]>,
    /** The ids that the server finds by a condition: `Type?name=value`. */
    private readonly found: ReadonlyMap<string, readonly string[]>,
  ) {
    const versions = Object.fromEntries(resources.map((one) => [`${one.resourceType}/${one.id}`, [one]]));
    super({ versions, ignores: false }, capabilities);
  }

  override find(type: string, query: Query): readonly Resource[] {
    const conditions = query.filter(([name]) => !['_include', '_summary', '_count'].includes(name));
    return this.ofType(type).filter(({ id = '' }) =>
      conditions.every(([name, value]) => {
        const ids = this.found.get(`${type}?${name}=${value}`);
        if (!ids) throw new Error(`the server was not asked for ${type} by ${name}=${value}`);
        return ids.includes(id);
      }),
    );
  }

  override everything(id: string): readonly Resource[] {
    return this.records.get(id) ?? [];
  }
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(`${demo.serverUrl}${path}`, init);
  return (await answer.json()) as T;
}

interface Bundle {
  total?: number;
  entry?: { resource: Resource }[];
}

const resourcesIn = ({ entry = [] }: Bundle) => entry.map(({ resource }) => resource);

async function put(resource: Resource): Promise<void> {
  const headers = { 'content-type': 'application/fhir+json' };
  await ask(`/${resource.resourceType}/${resource.id}`, { method: 'PUT', headers, body: JSON.stringify(resource) });
}

/**
 * Some resources of each type get a label, of which none is in the demo's data. What names more than a hundred others
 * is not shown where these have to be read first, so the Provenance names some of them.
 */
async function prepare(record: readonly Resource[]): Promise<void> {
  for (const one of record.filter(({ resourceType }) => resourceType === 'Provenance')) {
    await put({ ...one, target: (one.target as unknown[]).slice(0, 40) });
  }
  const types = [...new Set(record.map(({ resourceType }) => resourceType))].filter(
    (type) => type !== 'Patient' && type !== 'Provenance',
  );
  for (const type of types) {
    const own = record.filter(({ resourceType }) => resourceType === type);
    for (const [index, code] of ['MH', 'SEX', 'PSY'].entries()) {
      const one = own[index + 1];
      if (!one) continue;
      const meta = { ...(one.meta as object), security: [{ system: 'urn:labels', code }] };
      await put({ ...one, meta });
    }
  }
}

const conditions = ['patient=Patient/1', 'patient=Patient/2', 'category=laboratory', 'category=vital-signs'];
/** All on one page. */
const long = ['_count', '1000'] as const;

async function readServer(): Promise<DemoData> {
  const statement = await ask<{
    rest: { resource: { type: string; searchParam?: { name: string }[]; operation?: { name: string }[] }[] }[];
  }>('/metadata');
  const types = statement.rest[0]?.resource ?? [];
  const capabilities: Capabilities = {
    types: types.map(({ type }) => type),
    listed: (type) => types.find((one) => one.type === type)?.searchParam?.map(({ name }) => name) ?? [],
    conditional: () => [],
    makesByUpdate: () => false,
    operations: types.flatMap(({ type, operation = [] }) => operation.map(({ name }) => ({ name, type }))),
  };
  const records = new Map<string, Resource[]>();
  for (const id of ['1', '2']) records.set(id, resourcesIn(await ask(`/Patient/${id}/$everything`)));
  // Devices are named, and in no answer to `$everything`.
  const all = [...[...records.values()].flat(), ...resourcesIn(await ask('/Device?_count=1000'))];
  const found = new Map<string, string[]>();
  for (const type of new Set(all.map(({ resourceType }) => resourceType))) {
    const ids = type === 'Patient' ? ['_id=1'] : [];
    for (const condition of [...ids, ...conditions]) {
      const [name = '', value = ''] = condition.split('=');
      const bundle = await ask<Bundle>(`/${type}?${name}=${encodeURIComponent(value)}&_count=1000`);
      found.set(
        `${type}?${condition}`,
        resourcesIn(bundle).map(({ id = '' }) => id),
      );
    }
  }
  return new DemoData(all, capabilities, records, found);
}

/** Each type of the record by a read, a version, its history and searches. */
function questionsAbout(record: readonly Resource[]): Asked[] {
  const types = [...new Set(record.map(({ resourceType }) => resourceType))];
  const inRecord = types.filter((type) =>
    JSON.stringify(record.find((one) => one.resourceType === type)).includes('Patient/1"'),
  );
  const search = (type: string, ...query: (readonly [string, string])[]): Asked => ({
    interaction: 'search',
    type,
    query,
  });
  return [
    ...types.flatMap((type) =>
      record
        .filter(({ resourceType }) => resourceType === type)
        .slice(0, 5)
        .map(({ id = '' }): Asked => ({ interaction: 'read', type, id, query: [] })),
    ),
    ...inRecord.flatMap((type) => [
      search(type, long),
      search(type, ['patient', 'Patient/1'], long),
      search(type, ['patient', 'Patient/2'], long),
      search(type, ['category', 'laboratory'], long),
      search(type, ['category', 'vital-signs'], long),
      search(type, ['_summary', 'count']),
      search(type, ['_include', `${type}:patient:Patient`], long),
    ]),
    { interaction: 'read', type: 'Patient', id: '2', query: [] },
    { interaction: 'operation', operation: 'everything', type: 'Patient', id: '1', query: [] },
    { interaction: 'operation', operation: 'everything', type: 'Patient', id: '2', query: [] },
  ];
}

beforeAll(async () => {
  demo = await DemoGateway.start(undefined, { represented });
  await prepare(resourcesIn(await ask('/Patient/1/$everything')));
  server = await readServer();
  questions = questionsAbout(server.everything('1'));
  const facts = { patient: '1', fhirUser: `${demo.gateway.base}/Patient/2`, accountId: 'account', acr: 'aal2' };
  token = demo.gateway.tokenFor('patient/*.rs', { ...facts, representation: 'relationship' });
});

afterAll(() => demo.close());

const keysOf = (resources: readonly Resource[]) => resources.map((one) => `${one.resourceType}/${one.id}`).sort();

async function answerTo({ interaction, type, id, query, operation }: Asked) {
  const path = [type, id, operation && `$${operation}`].filter((part) => part !== undefined).join('/');
  const text = new URLSearchParams(query as [string, string][]);
  const answer = await demo.read(`/${path}${query.length > 0 ? `?${text}` : ''}`, token);
  const body = (await answer.json()) as Resource & Bundle;
  if (answer.status !== 200) return { status: answer.status };
  if (interaction === 'read') return { shown: keysOf([body]) };
  return { shown: keysOf(resourcesIn(body)), ...(interaction === 'search' && { total: body.total }) };
}

function expectedOf(asked: Asked, acting: Token): object {
  const situation = { token: acting, server, stepUp: [], representation };
  const verdict = decide(asked, { ...situation, operationsWithoutScope: ['everything'] });
  if (typeof verdict !== 'object' || 'sent' in verdict || 'parts' in verdict) throw new Error(`unexpected: ${verdict}`);
  if ('rule' in verdict) return { status: verdict.status };
  return { shown: keysOf(verdict.shown), ...(asked.interaction === 'search' && { total: verdict.total }) };
}

test.each(Object.keys(representation.bases))(
  'Before the demo server a representative on the basis %s gets what the model says, neither more nor less',
  async (basis) => {
    let [turn, shown, refused] = [0, 0, 0];
    for (const [age, { relationship: _own, ...when }] of Object.entries(ages)) {
      for (const level of Object.keys(representation.levels)) {
        const used = { ...when, relationship: { basis, level, status: 'active', agreed: [16] } };
        represented.used = used;
        const acting = { scopes: ['patient/*.rs'], patient: '1', user: 'Patient/2', acr: 'aal2', relationship: used };
        for (const asked of questions) {
          turn += 1;
          if (turn % step !== 0) continue;
          const [expected, found] = [expectedOf(asked, acting), await answerTo(asked)];
          expect([age, level, asked, found]).toEqual([age, level, asked, expected]);
          if ('status' in expected) refused += 1;
          else shown += 1;
        }
      }
    }
    expect([turn > 2_000, shown > 0, refused > 0]).toEqual([true, true, true]);
  },
);
