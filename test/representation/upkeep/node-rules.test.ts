import type { RelationshipView } from '../../../src/contract/representation.js';
import type { Config } from '../../../src/platform/config/config.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { haveSameRules, publishRules } from '../../../src/representation/infrastructure/node-rules.js';
import type { Agent } from '../../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { until } from '../../support/until.js';

let portal: FamilyPortal;
let admin: Agent;
let database: Database;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  admin = await portal.as(family.admin);
  database = portal.apps[0]?.get(Database, { strict: false }) as Database;
});

afterAll(() => portal.close());

/** Another node with this configuration, as far as it publishes its rules. */
async function aNode(config: Config): Promise<Notifications> {
  const node = new Notifications(portal.connection, database);
  publishRules(node, config);
  await node.onApplicationBootstrap();
  return node;
}

const path = '/api/admin/representation';
const decide = async (patient: string) => {
  const form = { email: family.ana.email, patient, basis: 'parental-responsibility', level: 'full' };
  const known = (await admin.get(`${path}?patient=${patient}&status=proposed`)).json<{
    relationships: RelationshipView[];
  }>();
  const id = known.relationships[0]?.id ?? (await admin.post(path, form)).json<{ id: string }>().id;
  return admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Birth certificate' });
};

describe('Nodes with the same rules', () => {
  it('decide, however their configuration is written', async () => {
    const { representation } = portal.config;
    const turned = Object.fromEntries(Object.entries(representation ?? {}).toReversed());
    const node = await aNode({ ...portal.config, representation: turned } as Config);
    await until(() => haveSameRules(database));
    expect((await decide('leo')).status).toBe(200);
    await node.onModuleDestroy();
  });
});

describe('Nodes with different rules', () => {
  it.each([
    ['another age from which patients see', () => ({ ownAccountFrom: 12 })],
    ['no representation', () => undefined],
  ])(
    'let proposals wait while one has %s, and decide when it has gone',
    async (_, change: () => object | undefined) => {
      const changed = change();
      const representation = changed && { ...portal.config.representation, ...changed };
      const node = await aNode({ ...portal.config, representation } as Config);
      await until(async () => !(await haveSameRules(database)));
      const refused = await decide('mia');
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('have different rules')]);
      await node.onModuleDestroy();
      await until(() => haveSameRules(database));
      const { status } = await decide('mia');
      expect(status).toBe(200);
      const list = (await admin.get(`${path}?patient=mia&status=active`)).json<{ relationships: RelationshipView[] }>();
      await admin.post(`${path}/${list.relationships[0]?.id}/end`, { reason: 'administrator', note: 'Again' });
    },
  );

  it('are noticed by another time zone or other sensitive data', async () => {
    for (const change of [
      { locale: { ...portal.config.locale, timeZone: 'Asia/Tokyo' } },
      { consent: { ...portal.config.consent, sensitive: { categories: [], securityLabels: [] } } },
    ]) {
      const node = await aNode({ ...portal.config, ...change } as Config);
      await until(async () => !(await haveSameRules(database)));
      await node.onModuleDestroy();
      await until(() => haveSameRules(database));
    }
  });
});
