import { few, lists } from '../tools/lists.mjs';

export const firstNames =
  'Ada Amelia Amina Anton Benedikt Carla Chidi Clara Dario Eleanor Elif Emil Farid Fatima Finn Grace Hana Henry Ida Ingrid Ivan Jonas Jun Kofi Lena Luca Magda Marcus Mira Nadia Noah Olga Oskar Priya Rosa Samir Tomas Vera Wei Yara';
export const lastNames =
  'Adeyemi Ahmed Andersen Bauer Berg Bianchi Castro Chen Costa Dubois Eze Fischer Fontaine Garcia Gruber Haddad Hansen Hart Horvat Ito Jansen Jensen Kaya Keller Khan Kim Kowalski Larsen Lindqvist Lopez Marsh Mbatha Meyer Moreau Moser Nagy Novak Okafor Olsen Park Patel Petrov Popescu Rahman Reed Ricci Rossi Santos Sato Schmid Silva Smith Solheim Suzuki Tanaka Varga Virtanen Ward Weber Whitcombe';

/** Each gives one of its queries after the other. */
const queries = {
  'first page, by any column': (turn) => ({
    sortColumn: ['fullName', 'email', 'userType', 'emailConfirmed', 'isExternal'][turn % 5],
    sortDirection: turn % 2,
    pageSize: [5, 10, 25][turn % 3],
  }),
  'last page': (turn, people) => ({ page: Math.ceil(people / 5), sortDirection: turn % 2 }),
  'one kind of user': (turn) => ({
    usertype: ['Practitioner', 'Incomplete', 'Patient'][turn % 3],
    isExternal: ['', 'true'][turn % 2],
    sortColumn: ['fullName', 'email', 'userType'][turn % 3],
  }),
  'a claim value': (turn) => ({ hasClaimValue: `Patient/${(turn * 37) % few}` }),
  'search: a first name': (turn) => ({ searchTerm: at(firstNames, turn) }),
  'search: a last name': (turn) => ({ searchTerm: at(lastNames, turn), sortColumn: ['fullName', 'email'][turn % 2] }),
  'search: a whole name': (turn) => ({ searchTerm: `${at(firstNames, turn)} ${at(lastNames, turn)}` }),
  'search: last name, first name': (turn) => ({ searchTerm: `${at(lastNames, turn)}, ${at(firstNames, turn)}` }),
  'search: a FHIR reference': (turn, people) => ({ searchTerm: `Patient/${(turn * 37) % people}` }),
  'search: an address': (turn) => ({ searchTerm: `${at(firstNames, turn)}.${at(lastNames, turn)}.${turn}@` }),
  'search: one letter': (turn) => ({ searchTerm: 'abcdefghijklmnopqrstuvwxyz'.charAt(turn % 26) }),
  'search: two letters': (turn) => ({ searchTerm: at(lastNames, turn).slice(1, 3) }),
  'search: what all addresses have': (turn) => ({ searchTerm: '@example.org', page: 1 + (turn % 20) }),
  'search: a name, of one kind': (turn) => ({ searchTerm: at(lastNames, turn), usertype: 'Practitioner' }),
  'search: no match': (turn) => ({ searchTerm: `${at(lastNames, turn)}xq` }),
};

export function at(names, turn) {
  const list = names.split(' ');
  return list[turn % list.length];
}

/** Measures every kind of query of the users page with 1,000 and with 100,000 users. */
export function users(table) {
  return lists(table, {
    what: 'users',
    path: '/api/admin/user',
    fixed: { notIncludeClaims: true },
    queries,
    fill: fillUsers,
  });
}

export async function fillUsers(database, people) {
  await database.query(
    `INSERT INTO account
       (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
     SELECT gen_random_uuid(), lower(first || '.' || last || '.' || i || '@example.org'), first || ' ' || last,
            CASE WHEN i % 10 = 0 THEN 'Practitioner' WHEN i % 500 = 1 THEN 'Incomplete' ELSE 'Patient' END,
            jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value', 'Patient/' || i)),
            i % 7 <> 0, i % 20 = 0, '', now()
       FROM generate_series((SELECT count(*) FROM account), $1::int) AS i,
            LATERAL (SELECT ($2::text[])[1 + (hashint8(i) & 65535) % cardinality($2::text[])] AS first,
                            ($3::text[])[1 + (hashint8(-i) & 65535) % cardinality($3::text[])] AS last) AS name`,
    [people, firstNames.split(' '), lastNames.split(' ')],
  );
  // PostgreSQL does the same by itself within a minute.
  await database.query('VACUUM ANALYZE account');
}
