import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrate.js';
import { returnUrlOf, type SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { retryWhileUnavailable } from '../../support/database/connection-cuts.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { PostgresPair } from '../../support/database/postgres-pair.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** The number of successful requests of each kind before the primary is killed. */
const beforehand = 4;
const clientOf = (kind: ClientKind) => kind.client('told', { accessTokenType: 'Reference', requireConsent: true });
/** Each user agrees once, so that a lost agreement is noticed. */
const patients = Array.from({ length: 12 }, (_, index) => ({
  ...people.patient,
  email: `patient-${index}@example.org`,
  claims: [{ name: 'fhirUser', value: `Patient/${index}` }],
}));
const key = await makeClientKey('ES384', 'key');
const service = serviceWithKeys('keyed-service', [key]);

let pair: PostgresPair;
let proxy: DatabaseProxy;
let portal: PortalProcess;

beforeAll(async () => {
  pair = await PostgresPair.start();
  proxy = new DatabaseProxy(pair.primary.connection);
  const [port = 0] = await freePorts(1);
  portal = await PortalProcess.start({
    database: await proxy.open(),
    port,
    config: {
      users: [people.practitioner, people.otherPatient, ...patients],
      clients: [...clientKinds.map(clientOf), service],
    },
  });
});

afterAll(async () => {
  await portal?.end('SIGKILL');
  await proxy?.shut();
  await pair?.remove();
});

const agent = () => new Agent(portal.issuer);
let turn = 0;
/** The next app; the kinds alternate. */
function nextApp(): { kind: ClientKind; smart: SmartApp } {
  const kind = clientKinds[turn++ % clientKinds.length] as ClientKind;
  return { kind, smart: kind.app({ issuer: portal.issuer, fhirBase: `${portal.issuer}/fhir` }, clientOf(kind)) };
}
const onStandby = (sql: string) => pair.standby.query(sql, pair.standby.connection.database);
const login = () =>
  agent().post('/api/session/login', {
    username: people.practitioner.email,
    password: people.practitioner.password,
  });
const prove = (assertion: string) =>
  agent().postForm('/connect/token', {
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: assertionType,
    client_assertion: assertion,
  });
const newAssertion = () =>
  clientAssertion({ clientId: service.clientId, audience: `${portal.issuer}/connect/token`, key });

/** The requests that were answered with success. */
const done = {
  agreed: [] as string[],
  codes: [] as { kind: ClientKind; smart: SmartApp; code: string; tokens: Tokens }[],
  /** The latest tokens of each app. */
  refreshed: new Map<SmartApp, { kind: ClientKind; tokens: Tokens }>(),
  refreshes: 0,
  assertions: [] as string[],
};

const setting = 'default_transaction_read_only';

/** Lets all connections of the portal write again; returns a connection that is older than they are. */
async function turnToWriting(): Promise<pg.Client> {
  const { database } = pair.primary.connection;
  await pair.primary.query(`BEGIN READ WRITE; ALTER DATABASE ${database} RESET ${setting}; COMMIT`);
  await pair.primary.query(`ALTER SYSTEM RESET ${setting}`);
  await pair.primary.query('SELECT pg_reload_conf()');
  const older = new pg.Client(pair.primary.connection);
  await older.connect();
  proxy.breakAll();
  await until(async () => (await login()).status === 200);
  return older;
}

/** Existing connections can only read; new ones can write, as if the address led to the new primary. */
async function turnToReading(older: pg.Client): Promise<void> {
  const { database } = pair.primary.connection;
  await pair.primary.query(`ALTER DATABASE ${database} SET ${setting} = off`);
  await pair.primary.query(`ALTER SYSTEM SET ${setting} = on`);
  await pair.primary.query('SELECT pg_reload_conf()');
  // The server signals new settings to its connections, to the oldest one last.
  await until(async () => (await older.query(`SHOW ${setting}`)).rows[0]?.[setting] === 'on');
}

function succeeds({ status, text }: Answer): boolean {
  if (status !== 200 && status !== 503) throw new Error(`answered ${status}: ${text}`);
  return status === 200;
}

/** Ends the current work, whose outcome is unknown to the caller. */
class Unanswered extends Error {}

function answered(answer: Answer): Answer {
  if (answer.status === 503) throw new Unanswered();
  if (answer.status >= 400) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
}

async function signInAgain(person: (typeof patients)[number]): Promise<void> {
  const { kind, smart } = nextApp();
  const returnUrl = returnUrlOf(answered(await smart.authorize()));
  answered(await smart.signIn(person, returnUrl));
  const resumed = answered(await smart.browser.get(returnUrl));
  const consentUrl = returnUrlOf(answered(await smart.browser.get(resumed.location ?? '')));
  const page = answered(await smart.browser.get(`/api/consent?returnUrl=${encodeURIComponent(consentUrl)}`));
  const { apiScopes } = page.json<{ apiScopes: { value: string }[] }>();
  answered(await smart.consent(consentUrl, ['openid', ...apiScopes.map(({ value }) => value)], true));
  done.agreed.push(person.email);
  const back = answered(await smart.browser.get(consentUrl));
  const landed = answered(await smart.browser.get(back.location ?? ''));
  const code = new URL(landed.location ?? '').searchParams.get('code') ?? '';
  const tokens = answered(await smart.exchange(code)).json<Tokens>();
  done.codes.push({ kind, smart, code, tokens });
}

async function refresh(smart: SmartApp): Promise<void> {
  const { kind, tokens } = done.refreshed.get(smart) as { kind: ClientKind; tokens: Tokens };
  const refreshed = answered(await smart.refresh(tokens.refresh_token ?? '')).json<Tokens>();
  done.refreshed.set(smart, { kind, tokens: refreshed });
  done.refreshes += 1;
}

async function useService(): Promise<void> {
  const assertion = await newAssertion();
  answered(await prove(assertion));
  done.assertions.push(assertion);
}

/** Repeats it until a request gets no answer. */
async function onAndOn(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
  }
}

describe('R-06 With a synchronous standby', () => {
  it('no request succeeds whose changes only the primary has', async () => {
    expect((await login()).status).toBe(200);
    await onStandby('SELECT pg_wal_replay_pause()');
    const assertion = await newAssertion();
    for (const answer of await Promise.all([login(), prove(assertion), prove(await newAssertion())])) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    await onStandby('SELECT pg_wal_replay_resume()');
    await until(async () => (await login()).status === 200);
  });

  it.each<[string, (smart: SmartApp, token: string) => Promise<boolean>]>([
    ['a request', async (smart, token) => succeeds(await smart.refresh(token))],
    ['a health check', () => portal.isReady()],
  ])('connections to a read-only server are dropped by %s', async (_, goesWell) => {
    const { smart } = nextApp();
    const older = await turnToWriting();
    const { refresh_token: token = '' } = await smart.tokens(people.otherPatient);
    await turnToReading(older);
    // The first failed attempt closes all connections.
    let failures = 0;
    while (!(await goesWell(smart, token))) failures += 1;
    expect(failures).toBeLessThanOrEqual(1);
    await older.end();
  });

  it('no data are lost when the primary fails, and the same node continues with the promoted standby', async () => {
    for (let index = 0; index < 3; index += 1) {
      const { kind, smart } = nextApp();
      const tokens = await smart.tokens(patients[index] as (typeof patients)[number]);
      done.refreshed.set(smart, { kind, tokens });
    }
    const newcomers = patients.slice(3);
    const work = [
      ...[...done.refreshed.keys()].map((smart) => onAndOn(() => refresh(smart))),
      onAndOn(useService),
      onAndOn(async () => {
        const next = newcomers.shift();
        if (!next) throw new Unanswered();
        await signInAgain(next);
      }),
    ];
    await until(() => Math.min(done.codes.length, done.refreshes, done.assertions.length) >= beforehand);
    await pair.primary.end('SIGKILL');
    proxy.switchTo(pair.standby.connection);
    await Promise.all(work);

    // Too early: the standby can only read, and its answers may be out of date.
    const first = done.codes[0] as (typeof done.codes)[number];
    for (const request of [login, () => first.kind.userinfo(agent(), first.tokens.access_token), useServiceAgain]) {
      expect((await request()).status).toBe(503);
    }
    expect(await portal.isReady()).toBe(false);
    await expect(migrate(pair.standby.connection)).rejects.toThrow('is read-only');

    await onStandby('SELECT pg_promote()');
    await until(() => portal.isReady());
    // They stay valid, also on a slow machine.
    await onStandby("UPDATE refresh_answer SET expires_at = now() + interval '10 minutes'");

    const agreed = await onStandby(
      'SELECT account.email FROM app_consent JOIN account ON account.id = app_consent.account_id',
    );
    expect(agreed.map(({ email }) => email)).toEqual(expect.arrayContaining(done.agreed));
    for (const { kind, tokens } of [...done.refreshed.values(), ...done.codes]) {
      expect([kind.name, (await kind.userinfo(agent(), tokens.access_token)).status]).toEqual([kind.name, 200]);
    }
    for (const [smart, { kind, tokens }] of done.refreshed) {
      const refreshed = await retryWhileUnavailable(() => smart.refresh(tokens.refresh_token ?? ''));
      expect([kind.name, refreshed.status]).toEqual([kind.name, 200]);
    }
    for (const { smart, tokens } of done.codes) {
      expect((await smart.refresh(tokens.refresh_token ?? '')).status).toBe(200);
    }
    for (const assertion of done.assertions) expect((await prove(assertion)).status).toBe(401);
    for (const { smart, code } of done.codes) expect((await smart.exchange(code)).status).toBe(400);
    await signInAgain(people.otherPatient);
  });
});

async function useServiceAgain(): Promise<Answer> {
  return prove(await newAssertion());
}
