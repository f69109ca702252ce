import type { UserList } from '../../src/contract/users/users.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let admin: Agent;

const key = {
  fullName: 'lower(full_name)',
  email: 'lower(email)',
  userType: 'user_type',
  emailConfirmed: 'email_confirmed',
  isExternal: 'is_external',
};

/** 1,200 users: 1,100 have an address of the hospital, and 12 are called Zoë. */
async function fill(): Promise<void> {
  await portal.query(`
    INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
    SELECT gen_random_uuid(), 'p' || i || CASE WHEN i > 100 THEN '@hospital.example' ELSE '@home.example' END,
           CASE WHEN i % 100 = 0 THEN 'Zoë ' ELSE 'Ann ' END || (ARRAY['Ward', 'O''Neill', '100%', 'x_y'])[1 + i % 4],
           (ARRAY['Patient', 'Patient', 'Patient', 'Practitioner', 'Incomplete'])[1 + i % 5],
           jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value', 'Patient/Rec-' || i),
             jsonb_build_object('name', 'ward', 'value', CASE WHEN i % 50 = 0 THEN 'few' ELSE 'many' END)),
           i % 3 = 0, i % 7 = 0, '', now()
      FROM generate_series(1, 1200) i`);
}

async function listed(query: string): Promise<{ ids: string[]; totalCount: number }> {
  const answer = await admin.get(`/api/admin/user?${query}`);
  expect([query, answer.status]).toEqual([query, 200]);
  const { users, totalCount } = answer.json<UserList & Record<string, unknown>>();
  return { ids: users.map(({ id }) => id), totalCount };
}

/** The expected result, from reading all rows. */
async function read(query: string): Promise<{ ids: string[]; totalCount: number }> {
  const asked = new URLSearchParams(query);
  const direction = asked.get('sortDirection') === '1' ? 'DESC' : 'ASC';
  const rows = await portal.query<{ id: string }>(
    `SELECT id FROM account
      WHERE user_type <> 'Admin'
        AND (SELECT coalesce(bool_and(
               strpos(lower(full_name), lower(word)) > 0 OR strpos(lower(email), lower(word)) > 0
               OR strpos(lower(split_part(claims -> 0 ->> 'value', '/', 2)), lower(word)) > 0
               OR (strpos(word, '/') > 0 AND strpos(lower(claims -> 0 ->> 'value'), lower(word)) > 0)), true)
              FROM unnest($1::text[]) AS word)
        AND (cardinality($2::text[]) = 0 OR user_type = ANY ($2))
        AND ($3 = '' OR is_external = ($3 = 'true'))
        AND ($4 = '' OR claims @> jsonb_build_array(jsonb_build_object('value', $4::text)))
      ORDER BY ${key[(asked.get('sortColumn') ?? 'fullName') as keyof typeof key]} ${direction}, id ${direction}`,
    [
      (asked.get('searchTerm') ?? '').split(/[ ,]+/).filter(Boolean),
      asked.getAll('usertype'),
      asked.get('isExternal') ?? '',
      asked.get('hasClaimValue') ?? '',
    ],
  );
  const [page, size] = [Number(asked.get('page') ?? 1), Number(asked.get('pageSize') ?? 5)];
  const counted = asked.has('searchTerm') || asked.has('hasClaimValue') ? Math.min(rows.length, 1000) : rows.length;
  return { ids: rows.slice((page - 1) * size, page * size).map(({ id }) => id), totalCount: counted };
}

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await fill();
});

afterAll(() => portal.close());

describe('the list of 100,000 users', () => {
  it.each([
    'page=1&pageSize=100',
    'page=121&pageSize=10',
    'page=120&pageSize=10&sortDirection=1',
    'page=61&pageSize=10',
    'page=241',
    'page=242',
    'page=300',
    'page=9&pageSize=100&sortColumn=emailConfirmed',
    'page=12&pageSize=100&sortColumn=userType&sortDirection=1',
    'page=40&usertype=Practitioner',
    'page=35&usertype=Practitioner&usertype=Incomplete&isExternal=false&sortColumn=email',
    'page=34&isExternal=true&sortColumn=isExternal',
  ])('has the users on %s', async (query) => {
    expect(await listed(query)).toEqual(await read(query));
  });

  it.each([
    'a',
    'Z',
    '@',
    'zo',
    'ZOË',
    'zoë',
    "'ne",
    '%',
    '_',
    '0%',
    'p1',
    'p12',
    '99@h',
    'home.example',
    'neill',
    'n',
    'no',
    'zoë ward',
    'WARD, Zoë',
    'ward p1 home',
    'Patient/rec-1',
    'patient/REC-1200',
    'rec-77 ann',
    '/rec-5',
    'Patient/',
    'zoë zoë',
  ])('I-11 has the users that %s matches', async (term) => {
    const searchTerm = encodeURIComponent(term);
    for (const more of ['', '&page=2&sortDirection=1', '&usertype=Practitioner&pageSize=10', '&hasClaimValue=few']) {
      expect(await listed(`searchTerm=${searchTerm}${more}`)).toEqual(await read(`searchTerm=${searchTerm}${more}`));
    }
  });

  it.each([
    ['a first and a last name', 'Zoë Ward', 'Zoë Ward'],
    ['a last and a first name', 'Ward, Zoë', 'Zoë Ward'],
    ['a FHIR reference', 'Patient/Rec-1200', 'Zoë Ward'],
    ['the address of the FHIR record', 'https://fhir.example/r4/Patient/rec-1200', 'Zoë Ward'],
  ])('finds a user by %s', async (_, term, fullName) => {
    const { users } = (await admin.get(`/api/admin/user?searchTerm=${encodeURIComponent(term)}`)).json<
      UserList & Record<string, unknown>
    >();
    expect(new Set(users.map((user) => user.fullName))).toEqual(new Set([fullName]));
  });

  it('does not match the type of a FHIR record as a part of a name', async () => {
    for (const term of ['patient', 'pat', 'Practitioner/rec-100']) {
      expect([term, (await listed(`searchTerm=${encodeURIComponent(term)}`)).totalCount]).toEqual([term, 0]);
    }
  });

  it('counts at most 1,000 matches', async () => {
    for (const query of ['searchTerm=hospital&page=3', 'hasClaimValue=many&page=200', 'hasClaimValue=few']) {
      expect(await listed(query)).toEqual(await read(query));
    }
    expect((await listed('searchTerm=hospital')).totalCount).toBe(1000);
  });

  it('reads only the rows that match a selective term', async () => {
    await portal.query('ANALYZE account');
    const plan = await portal.query<{ 'QUERY PLAN': string }>(
      "EXPLAIN SELECT id FROM account WHERE text_pieces(without_accents(search_text), 1) @> text_pieces(without_accents('zoë'), 3)",
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('account_found');
  });
});
