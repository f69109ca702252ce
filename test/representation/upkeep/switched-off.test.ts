/** Representation is switched off, as before a rollback, and on again: nothing is lost, and meanwhile nothing opens. */
import { randomBytes } from 'node:crypto';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { actingIn, jwtApp, opaqueApp, withSecret } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

const clients = [jwtApp, opaqueApp];
const kinds = [
  ['self-contained', {}],
  ['stored', withSecret],
] as const;
let database: Awaited<ReturnType<typeof createDatabase>>;
let ports: number[];
let portal: FamilyPortal;
let relationship = '';
const held = new Map<string, { app: SmartApp; tokens: Tokens }>();
const masterKey = randomBytes(32);
const { acts, begin, tokensFor, introspect } = actingIn(() => portal);

/** Starts the portal again, with the same data, address and keys. */
async function start(config: object = {}): Promise<void> {
  const kept = { connection: database.connection, drop: async () => undefined };
  portal = await startFamilyPortal({ ports, filled: { database: kept, masterKey }, config: { clients, ...config } });
}

beforeAll(async () => {
  [database, ports] = [await createDatabase(), await freePorts(1)];
  await start();
  relationship = await acts('leo');
  for (const [kind, launch] of kinds) held.set(kind, await tokensFor('leo', launch));
  await portal.close();
  await start({ representation: undefined });
});

afterAll(async () => {
  await portal.close();
  await database.drop();
});

const read = async (token: string, patient: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await new Agent(portal.issuer).get(`/fhir/Patient/${patient}`, { headers })).status;
};
const stored = () => portal.query<object>('SELECT id, status, reason, level FROM representation_relationship');
const tokensOf = (kind: string) => held.get(kind) as { app: SmartApp; tokens: Tokens };

describe('While representation is switched off', () => {
  it.each(kinds)('nothing opens the record of the patient with %s tokens', async (kind) => {
    const { app, tokens } = tokensOf(kind);
    expect([401, 403]).toContain(await read(tokens.access_token, 'leo'));
    expect(await introspect(tokens.access_token)).toEqual({ active: false });
    expect((await app.refresh(tokens.refresh_token ?? '')).json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('a user gets tokens for the own record, and is not asked for whom', async () => {
    const { page } = await begin(family.ana);
    expect(page).toBe('/user/consent');
    const agent = await portal.as(family.ana);
    expect((await agent.get('/api/representation')).status).toBe(404);
  });

  it('keeps each relationship as it was', async () => {
    expect(await stored()).toEqual([{ id: relationship, status: 'active', reason: null, level: 'full' }]);
  });
});

describe('When it is switched on again', () => {
  beforeAll(async () => {
    await portal.close();
    await start();
  });

  it.each(kinds)('the app continues with the %s tokens that it had', async (kind) => {
    const { app, tokens } = tokensOf(kind);
    const refreshed = await app.refresh(tokens.refresh_token ?? '');
    expect([refreshed.status, refreshed.json()]).toEqual([200, expect.objectContaining({ patient: 'leo' })]);
    const { access_token: token } = refreshed.json<Tokens>();
    expect([await read(token, 'leo'), await read(token, '1')]).toEqual([200, 404]);
  });

  it('the user finds the card as it was', async () => {
    const { lookedAfter } = (await (await portal.as(family.ana)).get('/api/representation')).json<OwnRelationships>();
    expect(lookedAfter).toMatchObject([{ id: relationship, status: 'active', name: 'Leo Duarte' }]);
  });
});
