import { mock } from 'node:test';
import pg from 'pg';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import type { PostgresAuditSeals } from '../../../src/audit/infrastructure/postgres-audit-seals.js';
import type { UserView } from '../../../src/contract/users/users.js';
import { log } from '../../../src/platform/logging/log.js';
import { LogOutput } from '../../../src/platform/logging/log-output.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { people } from '../../support/users/people.js';

interface Row {
  id: string;
  type: string;
  outcome: string;
  user_id: string | null;
  client_id: string | null;
  subject: string | null;
  address: string | null;
  correlation_id: string | null;
  detail: Record<string, unknown>;
}

const password = 'copper-meadow-8841';
const newPassword = 'willow-harbour-3075';
const lena = {
  fullName: 'Lena Marsh',
  email: 'lena.marsh@example.org',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/77' }],
};

let sink: MailSink;
let portal: AdminPortal;
let adminId: string;
let last = '0';

/** The events since the last call. */
async function recorded(): Promise<Row[]> {
  const rows = await portal.query<Row>('SELECT * FROM audit_event WHERE id > $1 ORDER BY id', [last]);
  last = rows.at(-1)?.id ?? last;
  return rows;
}

/** Type, outcome and user of each event. */
const briefly = (rows: Row[]) => rows.map(({ type, outcome, user_id }) => [type, outcome, user_id]);
const seals = () => portal.apps[0]?.get(AuditSeals, { strict: false }) as AuditSeals;

/** Changes by an attacker with full access to the database and without the master key. */
async function behindItsBack(sql: string): Promise<void> {
  await portal.query(`SET session_replication_role = replica; ${sql}; SET session_replication_role = DEFAULT`);
}

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startAdminPortal({ config: { email: sink.config, clients: [publicApp] } });
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account');
  adminId = row?.id ?? '';
  // The seal of each minute would come in the middle of a test on a slow machine.
  await (seals() as PostgresAuditSeals).onModuleDestroy();
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

describe('N-04 The audit record', () => {
  it('of a start and a sign-in names the user, the address and the request', async () => {
    const rows = await recorded();
    expect(briefly(rows)).toEqual([
      ['admin.created', 'success', null],
      ['login', 'success', adminId],
    ]);
    expect(rows[0]).toMatchObject({ subject: adminId, address: null, correlation_id: null });
    expect(rows[1]).toMatchObject({ address: '127.0.0.1', detail: { amr: ['pwd'] } });
    const answer = await new Agent(portal.issuer).post('/api/session/login', {
      username: people.admin.email,
      password,
    });
    expect(answer.status).toBe(401);
    const [refused] = await recorded();
    expect(refused).toMatchObject({
      type: 'login',
      outcome: 'failure',
      user_id: adminId,
      correlation_id: answer.headers['x-correlation-id'],
    });
  });

  it('of a sign-in with an unknown address does not contain the typed address, which may be a password', async () => {
    await new Agent(portal.issuer).post('/api/session/login', { username: 'my-secret@example.org', password });
    const rows = await recorded();
    expect(briefly(rows)).toEqual([['login', 'failure', null]]);
    expect(JSON.stringify(rows)).not.toContain('my-secret');
  });

  it('of an account has all its changes, with their content and the administrator (I-18)', async () => {
    await recorded();
    const { body: user } = await portal.api.post('/api/admin/user').send(lena).expect(201);
    const { id } = user as UserView;
    // A second invitation withdraws the first mail if it has not been sent.
    await sink.to(lena.email);
    await portal.api.post(`/api/admin/user/${id}/resend-confirmation`).expect(204);
    const { t: token } = linkInMail(await sink.to(lena.email, 2));
    const browser = new Agent(portal.issuer);
    await browser.post(`/api/user/${id}/activate`, { password, token: 'wrong' });
    expect((await browser.post(`/api/user/${id}/activate`, { password, token })).status).toBe(204);
    await browser.post('/api/session/login', { username: lena.email, password });
    await browser.send('/api/user', { method: 'PUT', body: { fullName: 'Lena Reed' } });
    await browser.post('/api/user/reset-password', { currentPassword: 'wrong', newPassword });
    expect((await browser.post('/api/user/reset-password', { currentPassword: password, newPassword })).status).toBe(
      204,
    );
    await browser.send('/api/user/sessions', { method: 'DELETE' });
    expect((await browser.get('/api/admin/user')).status).toBe(403);
    await browser.signOut();
    await browser.post('/api/user/forgot-password', { email: lena.email });
    const { t: second } = linkInMail(await sink.to(lena.email, 4));
    await browser.send(`/api/user/forgot-password/${id}/reset`, { method: 'PUT', body: { password, token: second } });
    const form = { fullName: 'Lena Field', userType: 'Patient', claims: lena.claims };
    await portal.api.put(`/api/admin/user/${id}`).send(form).expect(200);
    await portal.api.delete(`/api/admin/user/${id}`).expect(204);
    const rows = await recorded();
    expect(briefly(rows)).toEqual([
      ['user.created', 'success', adminId],
      ['user.invited-again', 'success', adminId],
      ['account.activated', 'failure', null],
      ['account.activated', 'success', id],
      ['login', 'success', id],
      ['account.changed', 'success', id],
      ['password.changed', 'failure', id],
      ['password.changed', 'success', id],
      ['sessions.ended', 'success', id],
      ['access.refused', 'failure', id],
      ['logout', 'success', id],
      ['password.reset-requested', 'success', null],
      ['password.reset', 'success', id],
      ['user.changed', 'success', adminId],
      ['user.deleted', 'success', adminId],
    ]);
    expect(rows[5]?.detail).toEqual({ fullName: ['Lena Marsh', 'Lena Reed'] });
    expect(rows[9]?.detail).toEqual({ path: '/api/admin/user' });
    expect(rows[13]?.detail).toEqual({ fullName: ['Lena Reed', 'Lena Field'], version: [2, 3] });
    expect(rows.at(-1)).toMatchObject({ subject: id, detail: { email: [lena.email, null] } });
    for (const secret of [token, second, password, newPassword]) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('of a client has the changed fields, without secrets (C-16)', async () => {
    await recorded();
    const secret = 'a-typed-secret-4711';
    const form = {
      clientId: 'recorded',
      clientName: 'Recorded',
      clientType: 'StandaloneApp',
      redirectUris: ['https://app.example/callback'],
      clientSecrets: [{ secretType: 'SharedSecret', secret }],
    };
    const { body } = await portal.api.post('/api/admin/client').send(form).expect(201);
    await portal.api.put(`/api/admin/client/${body.id}`).send({ clientName: 'Renamed' }).expect(200);
    await portal.api.delete(`/api/admin/client/${body.id}`).expect(204);
    const rows = await recorded();
    expect(rows.map(({ type, user_id, client_id }) => [type, user_id, client_id])).toEqual([
      ['client.created', adminId, 'recorded'],
      ['client.changed', adminId, 'recorded'],
      ['client.deleted', adminId, 'recorded'],
    ]);
    expect(rows[1]?.detail).toEqual({ clientName: ['Recorded', 'Renamed'], version: [1, 2] });
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('of an app has the scopes that the user granted, declined and revoked', async () => {
    const { body: user } = await portal.api.post('/api/admin/user').send(lena).expect(201);
    const { t: token } = linkInMail(await sink.to(lena.email, 6));
    const { id } = user as UserView;
    await new Agent(portal.issuer).post(`/api/user/${id}/activate`, { password, token });
    await recorded();
    const declining = new SmartApp(portal);
    await declining.complete({ email: lena.email, password }, []);
    const app = new SmartApp(portal, { scope: 'openid launch/patient patient/Observation.rs' });
    await app.tokens({ email: lena.email, password });
    await app.browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
    const rows = await recorded();
    expect(rows.map(({ type, user_id, client_id }) => [type, user_id, client_id])).toEqual([
      ['login', id, null],
      ['consent.declined', id, publicApp.clientId],
      ['login', id, null],
      ['consent.given', id, publicApp.clientId],
      ['app.revoked', id, publicApp.clientId],
    ]);
    expect(rows[3]?.detail).toEqual({
      scopes: ['openid', 'launch/patient', 'patient/Observation.rs'],
      launch: expect.stringMatching(/^[A-Z2-9]{12}$/),
    });
    // The sign-in and the consent are of one launch, and taking back the access is of none.
    expect(rows[2]?.detail.launch).toBe(rows[3]?.detail.launch);
    expect(rows[1]?.detail.launch).not.toBe(rows[3]?.detail.launch);
    expect(rows[4]?.detail).not.toHaveProperty('launch');
  });
});

describe('N-04 When an audit record cannot be written', () => {
  it('R-10 the action does not happen and the caller may try again', async () => {
    await portal.query(`
      CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON audit_event EXECUTE FUNCTION disk_full()`);
    const refused = await portal.api.put('/api/user').send({ fullName: 'Never' }).expect(503);
    expect(refused.headers['retry-after']).toBe('2');
    await portal.query('DROP TRIGGER full_disk ON audit_event');
    expect((await portal.api.get('/api/session')).body.fullName).toBe(people.admin.fullName);
    await portal.api.put('/api/user').send({ fullName: people.admin.fullName }).expect(204);
  });
});

describe('I-18 The audit record in the database', () => {
  it.each([
    "UPDATE audit_event SET outcome = 'success'",
    'DELETE FROM audit_event',
    'TRUNCATE audit_event',
    'UPDATE audit_seal SET number = 1',
    'DELETE FROM audit_seal',
  ])('cannot be changed by %s', async (sql) => {
    await expect(portal.query(sql)).rejects.toThrow('the audit record is append-only');
  });
});

describe('N-05 The audit seals', () => {
  it('cover each event exactly once, also when several nodes seal', async () => {
    const sealed = await Promise.all([seals().seal(), seals().seal()]);
    const [{ count = 0 } = {}] = await portal.query<{ count: number }>('SELECT count(*)::int FROM audit_event');
    expect(sealed[0] + sealed[1]).toBe(count);
    expect(await seals().verify()).toEqual({ events: count, seals: 1, problems: [] });
    expect(await seals().seal()).toBe(0);
    await portal.api.put('/api/user').send({ fullName: people.admin.fullName }).expect(204);
    expect(await seals().verify()).toMatchObject({ events: count + 1, seals: 1, problems: [] });
    await seals().seal();
    expect(await seals().verify()).toMatchObject({ seals: 2, problems: [] });
  });

  it('cover events that were committed late', async () => {
    const late = new pg.Client(portal.connection);
    await late.connect();
    await late.query('BEGIN');
    await late.query(
      `WITH event AS (INSERT INTO audit_event (type, outcome) VALUES ('login', 'success') RETURNING id)
       INSERT INTO audit_unsealed SELECT id FROM event`,
    );
    await portal.api.put('/api/user').send({ fullName: people.admin.fullName }).expect(204);
    expect(await seals().seal()).toBe(1);
    await late.query('COMMIT');
    await late.end();
    expect(await seals().seal()).toBe(1);
    expect((await seals().verify()).problems).toEqual([]);
  });

  it('cover events of one month each, also those that a node of the previous version recorded', async () => {
    await portal.query(`
      WITH event AS (
        INSERT INTO audit_event (recorded_at, type, outcome)
        SELECT now() - make_interval(days => day), 'login', 'success' FROM generate_series(70, 1, -1) AS day RETURNING id, recorded_at)
      INSERT INTO audit_unsealed SELECT id, CASE WHEN id % 2 = 0 THEN recorded_at END FROM event`);
    const [{ last = '' } = {}] = await portal.query<{ last: string }>('SELECT max(number) AS last FROM audit_seal');
    expect(await seals().seal()).toBe(70);
    const found = await portal.query<{ months: string[] }>(
      `SELECT array_agg(DISTINCT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM')) AS months
         FROM audit_seal JOIN audit_event ON id = ANY (event_ids) AND recorded_at BETWEEN from_at AND to_at
        WHERE number > $1 GROUP BY number ORDER BY number`,
      [last],
    );
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const { months } of found) expect(months).toHaveLength(1);
    expect((await seals().verify()).problems).toEqual([]);
  });

  it.each([
    ['an event that was edited', "UPDATE audit_event SET user_id = 'forged' WHERE id = 1", 'seal 1 is broken'],
    ['an event that was taken out', 'DELETE FROM audit_event WHERE id = 2', 'seal 1 is broken'],
    [
      'an event that was put in',
      "INSERT INTO audit_event (type, outcome) VALUES ('login', 'success')",
      '1 event was inserted or removed',
    ],
    ['a seal that was taken out', 'DELETE FROM audit_seal WHERE number = 2', 'seal 2 is missing'],
    ['a seal that was computed again', "UPDATE audit_seal SET hash = 'x' WHERE number = 2", 'seal 2 is broken'],
  ])('reveal %s', async (_what, sql, problem) => {
    await portal.query('CREATE TABLE kept_events AS TABLE audit_event; CREATE TABLE kept_seals AS TABLE audit_seal');
    await behindItsBack(sql);
    const { problems } = await seals().verify();
    await behindItsBack(`
      DELETE FROM audit_event; INSERT INTO audit_event SELECT * FROM kept_events;
      DELETE FROM audit_seal; INSERT INTO audit_seal SELECT * FROM kept_seals; DROP TABLE kept_events, kept_seals`);
    expect(problems.join('; ')).toContain(problem);
    expect((await seals().verify()).problems).toEqual([]);
  });
});

it('H-13 N-01 N-06 no log level writes a token, password, name or address of a user', async () => {
  const lines: string[] = [];
  const write = mock.method(LogOutput.prototype, 'write', (line: string) => void lines.push(line));
  const { level } = log;
  log.level = 'trace';
  const person = { ...lena, email: 'marked@example.org', fullName: 'Marked Person' };
  try {
    const { body: user } = await portal.api.post('/api/admin/user').send(person).expect(201);
    const { t: token } = linkInMail(await sink.to(person.email));
    const browser = new Agent(portal.issuer);
    await browser.get(`/account/activate?u=${user.id}&t=${token}`);
    await browser.post(`/api/user/${user.id}/activate`, { password: 'short', token });
    await browser.post(`/api/user/${user.id}/activate`, { password, token });
    await browser.post('/api/session/login', { username: person.email, password });
    await browser.post('/api/user/forgot-password', { email: person.email });
    const { t: second } = linkInMail(await sink.to(person.email, 2));
    await browser.send(`/api/user/forgot-password/${user.id}/reset`, {
      method: 'PUT',
      body: { password: newPassword, token: second },
    });
    const text = lines.join('');
    expect(text).toContain('account created');
    for (const secret of [token, second, password, newPassword, person.email, person.fullName]) {
      expect(text).not.toContain(secret);
    }
  } finally {
    log.level = level;
    write.mock.restore();
  }
});

it('R-10 an event whose partition is missing makes it, and the caller may try again', async () => {
  await portal.query('ALTER TABLE audit_event DETACH PARTITION audit_event_carried');
  const refused = await portal.api.put('/api/user').send({ fullName: 'Never' }).expect(503);
  expect(refused.headers['retry-after']).toBe('2');
  await portal.api.put('/api/user').send({ fullName: people.admin.fullName }).expect(204);
  expect(briefly(await portal.query<Row>('SELECT * FROM audit_event'))).toEqual([
    ['account.changed', 'success', adminId],
  ]);
});
