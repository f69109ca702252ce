import { join } from 'node:path';
import pg from 'pg';
import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import { load } from '../tools/load.mjs';
import { json, signIn } from '../tools/requests.mjs';
import { gatewayConfiguration, gatewayTokens } from './gateway.mjs';
import { fillUsers } from './users.mjs';

const [few, many] = (process.env.BENCH_RELATIONSHIPS ?? '1000,1000000').split(',').map(Number);
const rounds = 7;
const password = 'granite-violin-5512';
const admin = { email: 'bench.admin@example.org', password, fullName: 'Bench Admin', userType: 'Admin', claims: [] };
const ofPatient = (email, id) => ({
  ...{ email, password, fullName: 'Bench Person', userType: 'Patient' },
  claims: [{ name: 'fhirUser', value: `Patient/${id}` }],
});
/** Ana acts for Patient/1 and two more, Eva for as many as are ended. */
const ana = ofPatient('ana@example.org', 'ana');
const eva = ofPatient('eva@example.org', 'eva');
const toRead = { read: '/Observation/1', 'search of 50': '/Observation?code=8867-4' };

/**
 * What relationships cost: the same requests with few and with many of them in the store, and the reads of users who
 * have none, where accounts can act for patients and where they cannot. Both sides run at the same time and are asked
 * in turn, so that other load of the machine affects them alike; ratios are medians of the rounds.
 */
export async function representation(table) {
  const port = await freePort();
  const fhir = await start('fhir-server.mjs', String(port));
  const configuration = gatewayConfiguration(port);
  const acting = { ...configuration, locale: { timeZone: 'Europe/Amsterdam' }, representation: {} };
  try {
    await withGatehouse(acting, (on) => withGatehouse(configuration, (off) => ofUsersWithout(table, { on, off })));
    const all = { ...acting, users: [...acting.users, admin, ana, eva] };
    await withGatehouse(all, (small) => withGatehouse(all, (large) => ofSizes(table, { small, large })));
  } finally {
    await fhir.stop();
  }
}

async function ofUsersWithout(table, { on, off }) {
  const sides = [];
  for (const [name, server] of Object.entries({ 'without representation': off, 'with it': on })) {
    sides.push({ name, server, token: (await gatewayTokens(server))['one patient'] });
  }
  for (const [kind, path] of Object.entries(toRead)) {
    const rows = sides.map(({ name, server, token }) => ({
      name: `${kind} of a user without relationships, ${name}`,
      server,
      next: () => get(`/fhir${path}`, token),
    }));
    const ratio = await inPairs(table, rows, kind === 'read' ? 1500 : 700);
    table.ratio(`CPU of a ${kind} of a user without relationships: with representation / without (at most 1.1)`, ratio);
  }
}

async function ofSizes(table, { small, large }) {
  const sides = [];
  for (const [size, server] of [
    [few, small],
    [many, large],
  ]) {
    sides.push({ size, server, ...(await prepared(server, size)) });
  }
  const kinds = {
    'read, acting': [1000, ({ token }) => get('/fhir/Observation/1', token)],
    'read of the own record': [1000, ({ ownToken }) => get('/fhir/Observation/1', ownToken)],
    'authorization of a signed-in user who acts': [100, ({ browser }) => browser.authorization().request, 303],
    'choice of the patient': [
      100,
      ({ choice, browser }) => ({ path: choice, method: 'GET', headers: browser.headers() }),
    ],
    'end of a relationship': [
      40,
      ({ ends, evaHeaders }, at) => json(`/api/representation/${ends[at]}/end`, {}, evaHeaders),
      204,
    ],
    'list of administrators': [
      60,
      ({ adminHeaders }) => ({ path: '/api/admin/representation', method: 'GET', headers: adminHeaders }),
    ],
  };
  for (const [kind, [requests, request, expected = 200]] of Object.entries(kinds)) {
    const rows = sides.map((side) => ({
      name: `${side.size} relationships: ${kind}`,
      server: side.server,
      next: (at) => request(side, at),
      expected,
    }));
    const ratio = await inPairs(table, rows, requests);
    table.ratio(`${kind}: CPU with ${many} relationships / with ${few} (at most 1.3)`, ratio);
  }
}

/** Relationships of others, those of Ana and Eva, and what they send. */
async function prepared(server, size) {
  const { origin } = server;
  const database = new pg.Client({ host: join(server.dataDir, 'postgres'), user: 'gatehouse', database: 'gatehouse' });
  await database.connect();
  try {
    await fillUsers(database, Math.ceil(size / 10));
    await fill(database, size);
    const ends = await ofAnaAndEva(database);
    const [browser, ofEva, ofAdmin] = await Promise.all([ana, eva, admin].map((person) => signIn(origin, person)));
    const choice = `/api/launch-context?returnUrl=${encodeURIComponent(await chosenAt(browser))}`;
    return {
      ends,
      browser,
      choice,
      token: await tokenFor(browser, 'Patient/1'),
      ownToken: (await gatewayTokens(server))['one patient'],
      evaHeaders: ofEva.headers(),
      adminHeaders: ofAdmin.headers(),
    };
  } finally {
    await database.end();
  }
}

const columns =
  'account_id, tenant, patient, basis, level, relation, status, proposed_by, representative_name, patient_name, due_at';
const terms = `'power-of-attorney', 'full', 'attorney', 'active', '{"kind":"account","id":null}'::jsonb`;

/** Ten for each account of others; none is due to be looked at. */
async function fill(database, size) {
  const without = [...gatewayConfiguration(0).users, admin, ana, eva].map(({ email }) => email);
  await database.query(
    `WITH numbered AS (SELECT id, row_number() OVER () AS number FROM account)
     INSERT INTO representation_relationship (${columns})
     SELECT numbered.id, '', 'other-' || i, ${terms}, 'Bench Person', 'Other ' || i, now() + interval '20 days'
       FROM generate_series(1, $1::int) AS i
       JOIN numbered ON numbered.number = 1 + i % (SELECT count(*) FROM account)
     WHERE numbered.id NOT IN (SELECT id FROM account WHERE email = ANY ($2))`,
    [size, without],
  );
  await database.query('VACUUM ANALYZE representation_relationship');
}

/** Returns the ids of those that Eva can end. */
async function ofAnaAndEva(database) {
  const insert = async ({ email }, patients) => {
    const { rows } = await database.query(
      `INSERT INTO representation_relationship (${columns})
       SELECT id, '', patient, ${terms}, 'Bench Person', patient, now() + interval '20 days'
         FROM account, unnest($2::text[]) AS patient WHERE email = $1 RETURNING id`,
      [email, patients],
    );
    return rows.map(({ id }) => id);
  };
  await insert(ana, ['1', '2', '3']);
  return insert(
    eva,
    Array.from({ length: 40 * (rounds + 1) }, (_, index) => `end-${index}`),
  );
}

/** An authorization request of the app is at the choice of the patient: its `returnUrl`. */
async function chosenAt(browser) {
  const { headers } = await browser.send(browser.authorization().request);
  return new URL(headers.get('location'), browser.issuer).searchParams.get('returnUrl');
}

async function tokenFor(browser, patient) {
  const { verifier, request } = browser.authorization();
  const page = new URL((await browser.send(request)).headers.get('location'), browser.issuer);
  const returnUrl = page.searchParams.get('returnUrl');
  const choice = `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
  await browser.send({ path: choice, headers: browser.headers() });
  const chosen = await browser.send(json(choice, [patient], browser.headers()));
  if (chosen.status !== 200) throw new Error(`the choice was answered ${chosen.status} ${await chosen.text()}`);
  let at = new URL(returnUrl, browser.issuer);
  while (at.origin === browser.issuer) {
    const { headers, status } = await browser.send({ path: at.pathname + at.search, headers: browser.headers() });
    if (!headers.has('location')) throw new Error(`${at.pathname} was answered ${status}`);
    at = new URL(headers.get('location'), browser.issuer);
  }
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', client_id: 'app', redirect_uri: 'http://localhost/callback' },
    ...{ code: at.searchParams.get('code'), code_verifier: verifier },
  });
  const answer = await (await browser.send({ path: '/connect/token', method: 'POST', body })).json();
  if (`Patient/${answer.patient}` !== patient) throw new Error(`the token is for ${answer.patient}`);
  return answer.access_token;
}

/** Asks both in turn, round by round, the first of which warms up. Returns the median of second / first by CPU. */
async function inPairs(table, rows, requests) {
  const measured = rows.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    const turn = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of turn) {
      const { name, server, next, expected = 200 } = rows[index];
      const check = (status, text) => {
        if (status !== expected) throw new Error(`${name}: answered ${status} ${text}`);
      };
      const { origin, pids } = server;
      const one = await load({ origin, pids, count: requests, next: (at) => next(round * requests + at), check });
      if (round > 0) measured[index].push(one);
    }
  }
  for (const [index, all] of measured.entries()) table.add(rows[index].name, middleOf(all, cpuOf));
  const [first, second] = measured;
  const ratios = first.map((one, index) => cpuOf(second[index]) / cpuOf(one));
  return middleOf(ratios, (ratio) => ratio);
}

const cpuOf = ({ cpu }) => cpu.node + cpu.postgres;
const middleOf = (all, value) => all.toSorted((a, b) => value(a) - value(b))[Math.floor(all.length / 2)];
const get = (path, token) => ({ path, method: 'GET', headers: { authorization: `Bearer ${token}` } });
