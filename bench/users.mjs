/**
 * `npm run bench -- users`: what every kind of query that the page of users makes takes with 1,000 and with 100,000 of
 * them, in one run. Trust the ratios, not the numbers.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { load } from './load.mjs';
import { freePort, startGatehouse } from './processes.mjs';

const few = 1_000;
const many = 100_000;
const rounds = 7;
const requests = Number(process.env.BENCH_REQUESTS ?? 60);
const admin = { email: 'bench.admin@example.org', password: 'granite-violin-5512' };

const firstNames =
  'Ada Amelia Amina Anton Benedikt Carla Chidi Clara Dario Eleanor Elif Emil Farid Fatima Finn Grace Hana Henry Ida Ingrid Ivan Jonas Jun Kofi Lena Luca Magda Marcus Mira Nadia Noah Olga Oskar Priya Rosa Samir Tomas Vera Wei Yara';
const lastNames =
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
  'search: an address': (turn) => ({ searchTerm: `${at(firstNames, turn)}.${at(lastNames, turn)}.${turn}@` }),
  'search: one letter': (turn) => ({ searchTerm: 'abcdefghijklmnopqrstuvwxyz'.charAt(turn % 26) }),
  'search: two letters': (turn) => ({ searchTerm: at(lastNames, turn).slice(1, 3) }),
  'search: what all addresses have': (turn) => ({ searchTerm: '@example.org', page: 1 + (turn % 20) }),
  'search: a name, of one kind': (turn) => ({ searchTerm: at(lastNames, turn), usertype: 'Practitioner' }),
  'search: nobody': (turn) => ({ searchTerm: `${at(lastNames, turn)}xq` }),
};

function at(names, turn) {
  const list = names.split(' ');
  return list[turn % list.length];
}

/** Both installations run at the same time and are asked in turn: what else the machine does meets them alike. */
export async function users() {
  const dataDirs = [];
  const servers = [];
  try {
    for (const people of [few, many]) servers.push(await installation(people, dataDirs));
    const rows = [];
    for (const [name, query] of Object.entries(queries)) {
      rows.push([name, ...(await compare(query, servers))]);
      process.stdout.write(`${line(rows.at(-1))}\n`);
    }
    process.stdout.write(`\n${[['p95 ms', few, many, 'ratio'], ...rows].map(line).join('\n')}\n`);
  } finally {
    for (const server of servers) await server.stop();
    for (const dataDir of dataDirs) await rm(dataDir, { recursive: true, force: true });
  }
}

async function installation(people, dataDirs) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  dataDirs.push(dataDir);
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const configFile = join(dataDir, 'gatehouse.yaml');
  const account = { ...admin, fullName: 'Bench Admin', userType: 'Admin', claims: [] };
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify({ dataDir, server: { issuer, port }, users: [account] }));
  const server = await startGatehouse({ configFile, dataDir, issuer });
  const database = new pg.Client({ host: join(dataDir, 'postgres'), user: 'gatehouse', database: 'gatehouse' });
  await database.connect();
  await fill(database, people).finally(() => database.end());
  return { ...server, people, cookie: await signIn(issuer) };
}

/** The 95th percentiles in milliseconds, each the median of some rounds, and their ratio. */
async function compare(query, servers) {
  const found = servers.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { people, cookie, ...server }] of servers.entries()) {
      const next = (turn) => {
        const asked = { notIncludeClaims: true, ...query(round * requests + turn, people) };
        const parameters = Object.entries(asked).filter(([, value]) => value !== '');
        return { path: `/api/admin/user?${new URLSearchParams(parameters)}`, method: 'GET', headers: { cookie } };
      };
      const check = (status, text) => {
        if (status !== 200) throw new Error(`${next(0).path}: answered ${status} ${text}`);
      };
      const { p95 } = await load({ ...server, concurrency: 1, count: requests, next, check });
      // The first round warms up.
      if (round > 0) found[index].push(p95);
    }
  }
  const [small, large] = found.map((times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]);
  return [small, large, large / small];
}

async function signIn(issuer) {
  const answer = await fetch(`${issuer}/api/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: admin.email, password: admin.password }),
  });
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function fill(database, people) {
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
  // What PostgreSQL does by itself within a minute.
  await database.query('VACUUM ANALYZE account');
}

function line([name, ...columns]) {
  const cells = columns.map((one) => (typeof one === 'string' || Number.isInteger(one) ? `${one}` : one.toFixed(1)));
  return name.padEnd(36) + cells.map((cell) => cell.padStart(9)).join('');
}
