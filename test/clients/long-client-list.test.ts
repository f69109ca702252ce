import type { ClientList } from '../../src/contract/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const pilot = '0f7c2f0e-5b1c-4a53-9d0c-0000000000a1';
const ward = '0f7c2f0e-5b1c-4a53-9d0c-0000000000a2';
const key = {
  clientId: 'lower(client_id)',
  clientName: 'lower(client_name)',
  clientType: 'client_type',
  enabled: 'enabled',
};
const pattern = {
  clientId: 'pattern',
  clientName: 'Pattern',
  clientType: 'StandaloneApp',
  requireClientSecret: false,
  requirePkce: true,
  redirectUris: ['https://app.example/callback'],
};

let portal: AdminPortal;

/** 1,300 clients, of which 1,200 are of the hospital and 13 are called Zoë; some have the grant types of both kinds. */
async function fill(): Promise<void> {
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'c' || i || CASE WHEN i > 100 THEN '-hospital' ELSE '-home' END,
           CASE WHEN i % 100 = 0 THEN 'Zoë ' ELSE 'App ' END || (ARRAY['Ward', 'O''Neill', '100%', 'x_y'])[1 + i % 4],
           CASE WHEN i % 20 = 0 THEN 'Invalid' WHEN i % 3 = 0 THEN 'BackendService' ELSE 'StandaloneApp' END,
           i % 7 <> 0, 1,
           settings || jsonb_build_object('description', CASE WHEN i % 30 = 0 THEN 'Tracks glucose at home' ELSE '' END,
             'redirectUris', jsonb_build_array('https://app.example/callback', 'https://site' || i || '.example/back'),
             'allowedGrantTypes',
             CASE WHEN i % 20 = 0 THEN '["client_credentials", "authorization_code"]'::jsonb
                  WHEN i % 3 = 0 THEN '["client_credentials"]' ELSE '["authorization_code"]' END),
           now(), now()
      FROM generate_series(2, 1300) i JOIN client pattern ON client_id = 'pattern'`);
  await portal.query(`INSERT INTO tag VALUES ('${pilot}', 'Pilot', '#123456'), ('${ward}', 'Ward', '#654321')`);
  await portal.query(
    `INSERT INTO client_tag_link SELECT id, '${pilot}' FROM client WHERE client_id LIKE '%9-hospital'`,
  );
  await portal.query(`INSERT INTO client_tag_link SELECT id, '${ward}' FROM client WHERE client_id LIKE '%-hospital'`);
}

async function listed(query: string): Promise<{ ids: string[]; totalCount: number }> {
  const { status, body } = await portal.api.get(`/api/admin/client?${query}`);
  expect([query, status]).toEqual([query, 200]);
  const { clients, totalCount } = body as ClientList;
  return { ids: clients.map(({ id }) => id), totalCount };
}

/** The expected result, from reading all rows. */
async function read(query: string): Promise<{ ids: string[]; totalCount: number }> {
  const asked = new URLSearchParams(query);
  const direction = asked.get('sortDirection') === '1' ? 'DESC' : 'ASC';
  const rows = await portal.query<{ id: string }>(
    `SELECT id FROM client
      WHERE (SELECT coalesce(bool_and(
               strpos(lower(client_id || ' ' || client_name || ' ' || (settings ->> 'description') || ' ' ||
                      (settings ->> 'redirectUris')), lower(word)) > 0
               OR EXISTS (SELECT FROM client_tag_link JOIN tag ON tag.id = tag
                           WHERE client = client.id AND strpos(lower(value), lower(word)) > 0)), true)
              FROM unnest($1::text[]) AS word)
        AND ($2 = '' OR enabled = ($2 = 'true'))
        AND (cardinality($3::text[]) = 0 OR settings -> 'allowedGrantTypes' ?| $3)
        AND (cardinality($4::uuid[]) = 0 OR EXISTS (SELECT FROM client_tag_link WHERE client = client.id AND tag = ANY ($4)))
        AND (cardinality($5::text[]) = 0 OR client_type = ANY ($5))
      ORDER BY ${key[(asked.get('sortColumn') ?? 'clientId') as keyof typeof key]} ${direction}, id ${direction}`,
    [
      (asked.get('searchTerm') ?? '').split(/[ ,]+/).filter(Boolean),
      asked.get('isEnabled') ?? '',
      asked.getAll('grantTypes'),
      asked.getAll('tags'),
      asked.getAll('clientTypes'),
    ],
  );
  const [page, size] = [Number(asked.get('page') ?? 1), Number(asked.get('pageSize') ?? 10)];
  const counted = ['searchTerm', 'tags', 'clientTypes'].some((name) => asked.has(name))
    ? Math.min(rows.length, 1000)
    : rows.length;
  return { ids: rows.slice((page - 1) * size, page * size).map(({ id }) => id), totalCount: counted };
}

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [pattern] } });
  await fill();
});

afterAll(() => portal.close());

describe('the list of 100,000 clients', () => {
  it.each([
    'page=1&pageSize=100',
    'page=130',
    'page=130&sortDirection=1',
    'page=66',
    'page=131',
    'page=9&pageSize=100&sortColumn=enabled',
    'page=12&pageSize=100&sortColumn=clientType&sortDirection=1',
    'page=18&isEnabled=false',
    'page=19&isEnabled=false&grantTypes=authorization_code&sortColumn=clientName',
    'page=5&grantTypes=client_credentials&sortColumn=clientName&sortDirection=1',
    'page=2&grantTypes=client_credentials&grantTypes=authorization_code&isEnabled=true',
    `tags=${pilot}&page=2`,
    `tags=${pilot}&tags=${ward}&page=40&sortColumn=clientName`,
    'clientTypes=Invalid&page=2',
    'clientTypes=BackendService&clientTypes=StandaloneApp&page=13&isEnabled=true&sortColumn=clientName',
    `tags=${ward}&isEnabled=false&grantTypes=client_credentials&sortDirection=1`,
  ])('has the clients on %s', async (query) => {
    expect(await listed(query)).toEqual(await read(query));
  });

  it.each([
    'a',
    'Z',
    '-',
    'zo',
    'ZOË',
    "'ne",
    '%',
    '_',
    '0%',
    'c1',
    'c12',
    '99-h',
    '-home',
    'neill',
    'n',
    'no',
    'ward, zoë',
    'glucose',
    'GLUCOSE ward app',
    'site12',
    'https://site77.example/back',
    'pilot',
    'pilot zoë',
    'ward pilot',
    'app.example',
  ])('I-11 has the clients that %s matches', async (term) => {
    const searchTerm = encodeURIComponent(term);
    for (const more of ['', '&page=2&sortDirection=1', '&isEnabled=false&pageSize=5', `&tags=${pilot}`]) {
      expect(await listed(`searchTerm=${searchTerm}${more}`)).toEqual(await read(`searchTerm=${searchTerm}${more}`));
    }
  });

  it('counts at most 1,000 matches', async () => {
    for (const query of ['searchTerm=hospital', `tags=${ward}`]) {
      expect((await listed(query)).totalCount).toBe(1000);
      expect(await listed(`${query}&page=3`)).toEqual(await read(`${query}&page=3`));
    }
  });

  it('counts correctly while clients are added, changed and deleted', async () => {
    const total = async (query: string) => (await listed(query)).totalCount;
    const kinds = ['', 'isEnabled=false', 'grantTypes=client_credentials'];
    const before = await Promise.all(kinds.map(total));
    const { body: client } = await portal.api
      .post('/api/admin/client')
      .send({ ...pattern, clientId: 'one-more' })
      .expect(201);
    expect(await Promise.all(kinds.map(total))).toEqual([Number(before[0]) + 1, before[1], before[2]]);
    await portal.api.put(`/api/admin/client/${client.id}`).send({ enabled: false }).expect(200);
    expect(await Promise.all(kinds.map(total))).toEqual([Number(before[0]) + 1, Number(before[1]) + 1, before[2]]);
    const { body: counts } = await portal.api.get('/api/admin/dashboard').expect(200);
    expect(counts.numberOfClients).toBe(Number(before[0]) + 1);
    await portal.api.delete(`/api/admin/client/${client.id}`).expect(204);
    expect(await Promise.all(kinds.map(total))).toEqual(before);
  });

  it('reads only the rows that match a selective term', async () => {
    await portal.query('ANALYZE client_listing');
    const plan = await portal.query<{ 'QUERY PLAN': string }>(
      "EXPLAIN SELECT id FROM client_listing WHERE text_pieces(without_accents(search_text), 1) @> text_pieces(without_accents('zoë'), 3)",
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('client_listing_found');
  });
});
