/** The one search over clients, redirect URIs, users and FHIR ids, over real rows. */
import { randomUUID } from 'node:crypto';
import type { OpenedRows, PaletteMatches } from '../../src/contract/palette.js';
import { publicApp } from '../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

let portal: AdminPortal;

/** 302 clients with a redirect URI each, of which 90 are called Ward; 5,003 users, of whom 12 are called Zoë. */
beforeAll(async () => {
  portal = await startAdminPortal({
    config: { clients: [{ ...publicApp, description: 'Tracks glucose at home', legalCompanyName: 'Fernhill Health' }] },
  });
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'app-' || i,
           CASE WHEN i = 7 THEN 'Sleep Ward Monitor' WHEN i = 9 THEN '100% x_y O''Neill' WHEN i % 4 = 0 THEN 'Ward ' || i ELSE 'App ' || i END,
           client_type, i <> 8, 1,
           settings || jsonb_build_object('description', '', 'legalCompanyName', '', 'redirectUris', jsonb_build_array(
             'https://shared.example/back-' || i % 3, 'https://site' || i || '.example/callback')), now(), now()
      FROM generate_series(1, 301) i JOIN client pattern ON client_id = '${publicApp.clientId}'`);
  await portal.query("INSERT INTO tag VALUES ('0f7c2f0e-5b1c-4a53-9d0c-0000000000a1', 'Cardiology', '#123456')");
  await portal.query(
    "INSERT INTO client_tag_link SELECT id, '0f7c2f0e-5b1c-4a53-9d0c-0000000000a1' FROM client WHERE client_id = 'app-5'",
  );
  await portal.query(`
    INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
    SELECT gen_random_uuid(), 'p' || i || '@hospital.example',
           CASE WHEN i % 400 = 0 THEN 'Zoë Ward' WHEN i = 3 THEN 'مريم الزهراء' ELSE 'Ann ' || i END,
           CASE WHEN i % 5 = 0 THEN 'Practitioner' ELSE 'Patient' END,
           jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value',
             CASE WHEN i % 5 = 0 THEN 'Practitioner/' ELSE 'Patient/' END || 'rec-' || i)),
           true, false, '', now()
      FROM generate_series(1, 5002) i`);
});
afterAll(() => portal.close());

async function found(term: string): Promise<PaletteMatches> {
  const { status, body } = await portal.api.get(`/api/admin/palette?${new URLSearchParams({ term })}`);
  expect([term, status]).toEqual([term, 200]);
  return body as PaletteMatches;
}

const names = ({ clients }: PaletteMatches) => clients.map(({ clientName }) => clientName);
const people = ({ users }: PaletteMatches) => users.map(({ fullName }) => fullName);
const references = ({ records }: PaletteMatches) => records.map(({ reference }) => reference);
const uris = ({ redirectUris }: PaletteMatches) => redirectUris.map(({ uri, client }) => [uri, client.clientId]);

describe('The search of the palette', () => {
  it('finds clients and users that begin with the term before those in which it occurs, and no more than five of a kind', async () => {
    const matches = await found('ward');
    expect(names(matches)).toEqual(['Ward 100', 'Ward 104', 'Ward 108', 'Ward 112', 'Ward 116']);
    expect(people(matches)).toEqual(Array(5).fill('Zoë Ward'));
    expect(names(await found('ward monitor'))).toEqual(['Sleep Ward Monitor']);
    expect(names(await found('sleep'))).toEqual(['Sleep Ward Monitor']);
  });

  it('finds a client by its id, its description, its company and its tag, with what the palette offers for it', async () => {
    expect((await found('app-8')).clients[0]).toEqual({
      id: expect.any(String),
      clientId: 'app-8',
      clientName: 'Ward 8',
      enabled: false,
      hasSharedSecret: false,
    });
    expect(names(await found('glucose'))).toEqual([publicApp.clientName]);
    expect(names(await found('fernhill'))).toEqual([publicApp.clientName]);
    expect(names(await found('cardio'))).toEqual(['App 5']);
  });

  it('finds the client of a redirect URI, by the whole address or a part of it, and does not count it as the name', async () => {
    const whole = await found('https://site77.example/callback');
    expect(uris(whole)).toEqual([['https://site77.example/callback', 'app-77']]);
    expect([whole.clients, whole.users, whole.records]).toEqual([[], [], []]);
    expect(uris(await found('SITE77.'))).toEqual([['https://site77.example/callback', 'app-77']]);
    expect(uris(await found('shared.example'))).toHaveLength(5);
    // The shortest address has least besides the term.
    expect(uris(await found('https://site7'))[0]).toEqual(['https://site7.example/callback', 'app-7']);
  });

  it('finds users by name and address', async () => {
    expect(people(await found('ZOË'))).toHaveLength(5);
    expect((await found('p4321@')).users).toEqual([
      { id: expect.any(String), fullName: 'Ann 4321', email: 'p4321@hospital.example', userType: 'Patient' },
    ]);
    expect(people(await found('4321 ann'))).toEqual(['Ann 4321']);
    expect(people(await found('مريم'))).toEqual(['مريم الزهراء']);
  });

  it('finds users by the FHIR id of their record, the exact one first, with its type or without, and by its address', async () => {
    expect(references(await found('rec-11'))).toEqual([
      ...['Patient/rec-11', 'Patient/rec-111', 'Patient/rec-112', 'Patient/rec-113', 'Patient/rec-114'],
    ]);
    expect(references(await found('Patient/rec-4999'))).toEqual(['Patient/rec-4999']);
    expect(references(await found('https://fhir.example/r4/Practitioner/rec-4995'))).toEqual(['Practitioner/rec-4995']);
    expect((await found('practitioner/REC-4995')).records[0]?.user.fullName).toBe('Ann 4995');
    // A type alone, or a part of it, is no id.
    expect(references(await found('patient'))).toEqual([]);
  });

  it.each(['%', '_', "'", "O'Neill", '"', '\\', "'; DROP TABLE client; --", '(', '*', ',', ' ', '', '‮drawer', '0%'])(
    'I-11 takes %s literally',
    async (term) => {
      const matches = await found(term);
      const wanted = term.trim().toLowerCase();
      const all = JSON.stringify(matches).toLowerCase();
      const hits = Object.values(matches).flat().length;
      if (hits > 0) expect(all).toContain(JSON.stringify(wanted).slice(1, -1));
      expect(names(matches).includes("100% x_y O'Neill")).toBe("100% x_y o'neill".includes(wanted) && wanted !== '');
    },
  );

  it.each([
    ['a NUL', 'a%00b'],
    ['a control character', 'a%07b'],
    ['a line break', 'a%0Ab'],
    ['half of a surrogate pair', '%ED%A0%80'],
    ['501 characters', 'x'.repeat(501)],
    ['10 kB', 'x'.repeat(10_240)],
  ])('refuses %s with a message', async (_what, term) => {
    const { status, body } = await portal.api.get(`/api/admin/palette?term=${term}`);
    expect([status, body.errors?.[0]?.messages.length]).toEqual([400, 1]);
  });

  it('refuses a list of terms, and a call without a term', async () => {
    for (const query of ['term=a&term=b', '', 'term[a]=b']) {
      expect((await portal.api.get(`/api/admin/palette?${query}`)).status).toBe(400);
    }
  });

  it('finds neither administrators nor a client whose deletion can still be undone', async () => {
    expect((await found('admin')).users).toEqual([]);
    const [client] = (await found('app-299')).clients;
    await portal.api.delete(`/api/admin/client/${client?.id}`).expect(204);
    expect(names(await found('app-299'))).toEqual([]);
    expect(uris(await found('site299.'))).toEqual([]);
    expect((await opened({ client: [client?.id ?? ''], user: [] })).clients).toEqual([]);
  });

  it('looks matches of a selective term up by their pieces', async () => {
    await portal.query('ANALYZE account');
    await portal.query('ANALYZE client_listing');
    for (const [table, index] of [
      ['account', 'account_found'],
      ['client_listing', 'client_listing_found'],
    ]) {
      const plan = await portal.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT id FROM ${table} WHERE text_pieces(without_accents(search_text), 1) @> text_pieces('site77', 3)`,
      );
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(index);
    }
    const exact = await portal.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT id FROM account WHERE claims @> ANY (ARRAY['[{"name": "fhirUser", "value": "Patient/rec-11"}]']::jsonb[])`,
    );
    expect(exact.map((row) => row['QUERY PLAN']).join('\n')).toContain('account_claims');
  });
});

async function opened(query: { client: string[]; user: string[] }): Promise<OpenedRows> {
  const lists = new URLSearchParams(
    Object.entries(query).flatMap(([name, ids]) => ids.map((id): [string, string] => [name, id])),
  );
  return (await portal.api.get(`/api/admin/palette/opened?${lists}`).expect(200)).body;
}

describe('The list of records that were opened last', () => {
  it('is in the order of the ids, without records that do not exist', async () => {
    const [first] = (await found('app-10')).clients;
    const [second] = (await found('app-12')).clients;
    const [user] = (await found('p17@')).users;
    const ids = [second?.id ?? '', randomUUID(), first?.id ?? ''];
    expect(await opened({ client: ids, user: [user?.id ?? '', randomUUID()] })).toEqual({
      clients: [second, first],
      users: [user],
    });
    expect(await opened({ client: [], user: [] })).toEqual({ clients: [], users: [] });
  });

  it('is requested by ids only, and by few of them', async () => {
    for (const query of ['client=1', `user=${'x'.repeat(40)}`, Array(6).fill(`client=${randomUUID()}`).join('&')]) {
      expect((await portal.api.get(`/api/admin/palette/opened?${query}`)).status).toBe(400);
    }
  });
});
