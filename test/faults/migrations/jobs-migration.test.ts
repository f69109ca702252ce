import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrate.js';
import { createDatabase } from '../../support/database/database.js';
import { withMigrations } from '../../support/database/earlier-schema.js';

const jobsMigration = 1763700000049;
const mailId = '7d1f9a9e-4c55-4a0e-9d8a-000000000001';
const sealed = Buffer.alloc(200, 0xfe);
const inAnHour = "now() + interval '1 hour'";

let client: pg.Client;
let connection: Awaited<ReturnType<typeof createDatabase>>['connection'];
let drop: () => Promise<void>;

let earlier: Awaited<ReturnType<typeof createDatabase>>;

beforeAll(async () => {
  earlier = await createDatabase({ empty: true });
  await withMigrations(earlier.connection, jobsMigration - 1, (source) => source.runMigrations());
});
afterAll(() => earlier.drop());

/** A database as the previous version left it. */
beforeEach(async () => {
  ({ connection, drop } = await createDatabase({ template: earlier.connection.database }));
  client = new pg.Client(connection);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await drop();
});

const recordAccess = (detail: object) =>
  client
    .query("INSERT INTO audit_event (type, outcome, detail) VALUES ('record.accessed', 'success', $1) RETURNING id", [
      detail,
    ])
    .then(({ rows }) => rows[0].id as string);
const jobs = () =>
  client
    .query(
      `SELECT kind, key, payload, attempts, due_at > now() + interval '50 minutes' AS later,
              created_at < now() - interval '1 day' AS old FROM job ORDER BY id`,
    )
    .then(({ rows }) => rows);

describe('The migration of mails, logout notifications and AuditEvents to jobs', () => {
  it('keeps waiting jobs with their age, attempts and next attempt', async () => {
    const [plain, tenant] = [await recordAccess({}), await recordAccess({ tenant: 'north' })];
    await client.query(`INSERT INTO mail_outbox VALUES ($1, $2, 3, now() - interval '2 days', ${inAnHour})`, [
      mailId,
      sealed,
    ]);
    await client.query(
      `INSERT INTO backchannel_logout (client_id, account_id, sid, attempts, due_at) VALUES ('app', 'user', 's', 2, ${inAnHour})`,
    );
    await client.query('INSERT INTO audit_post VALUES ($1), ($2)', [plain, tenant]);
    await migrate(connection);
    expect(await jobs()).toEqual([
      {
        kind: 'mail',
        key: mailId,
        payload: { id: mailId, sealed: sealed.toString('base64') },
        attempts: 3,
        later: true,
        old: true,
      },
      {
        kind: 'backchannel-logout',
        key: null,
        payload: { clientId: 'app', accountId: 'user', sid: 's' },
        attempts: 2,
        later: true,
        old: false,
      },
      { kind: 'audit-event', key: null, payload: { eventId: plain }, attempts: 0, later: false, old: false },
      { kind: 'audit-event/north', key: null, payload: { eventId: tenant }, attempts: 0, later: false, old: false },
    ]);
  });

  it('can be undone', async () => {
    const event = await recordAccess({});
    await client.query('INSERT INTO mail_outbox (id, sealed) VALUES ($1, $2)', [mailId, sealed]);
    await client.query("INSERT INTO backchannel_logout (client_id, account_id, sid) VALUES ('app', 'user', 's')");
    await client.query('INSERT INTO audit_post VALUES ($1)', [event]);
    const rows = async () => {
      const found = [];
      for (const columns of [
        'id, sealed FROM mail_outbox',
        'client_id, sid FROM backchannel_logout',
        'event_id FROM audit_post',
      ])
        found.push(...(await client.query(`SELECT ${columns}`)).rows);
      return found;
    };
    const before = await rows();
    await withMigrations(connection, jobsMigration, (source) => source.runMigrations());
    await withMigrations(connection, jobsMigration, (source) => source.undoLastMigration());
    expect(await rows()).toEqual(before);
    expect((await client.query("SELECT to_regclass('job') AS job")).rows).toEqual([{ job: null }]);
  });
});

/** The statements are those of the last version without the table of jobs. */
describe('A node of the previous version next to the new schema', () => {
  beforeEach(() => migrate(connection));

  it('adds its mails as jobs, and can complete, postpone and withdraw them', async () => {
    await client.query('INSERT INTO mail_outbox (id, sealed) VALUES ($1, $2)', [mailId, sealed]);
    expect(await jobs()).toMatchObject([
      {
        kind: 'mail',
        key: mailId,
        payload: { id: mailId, sealed: sealed.toString('base64') },
        attempts: 0,
        later: false,
      },
    ]);
    await client.query('UPDATE mail_outbox SET next_attempt_at = now() + make_interval(secs => $2) WHERE id = $1', [
      mailId,
      3_600,
    ]);
    expect(await jobs()).toMatchObject([{ later: true }]);
    await client.query('DELETE FROM mail_outbox WHERE id = $1', [mailId]);
    expect(await jobs()).toEqual([]);
  });

  it('neither claims nor drops a mail', async () => {
    await client.query('INSERT INTO mail_outbox (id, sealed) VALUES ($1, $2)', [mailId, sealed]);
    await client.query("UPDATE job SET created_at = now() - interval '8 days'");
    const claimed = await client.query(
      `UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
        WHERE id = (SELECT id FROM mail_outbox WHERE next_attempt_at <= now()
                     ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, sealed, attempts`,
      [120],
    );
    const dropped = await client.query(
      'DELETE FROM mail_outbox WHERE created_at < now() - make_interval(days => $1) RETURNING id',
      [7],
    );
    expect([...claimed.rows, ...dropped.rows]).toEqual([]);
    expect(await jobs()).toHaveLength(1);
  });

  it('adds its ended sessions as jobs, and finds none to notify', async () => {
    await client.query(
      `INSERT INTO backchannel_logout (client_id, account_id, sid)
       SELECT app.key, 'user', app.value ->> 'sid' FROM jsonb_each('{"app": {"sid": "s"}}') AS app`,
    );
    expect(await jobs()).toMatchObject([
      { kind: 'backchannel-logout', payload: { clientId: 'app', accountId: 'user', sid: 's' } },
    ]);
    const claimed = await client.query(
      `UPDATE backchannel_logout SET attempts = attempts + 1, due_at = now() + make_interval(secs => $2)
        WHERE id IN (SELECT id FROM backchannel_logout WHERE due_at <= now() ORDER BY due_at LIMIT $1
                        FOR UPDATE SKIP LOCKED)
       RETURNING id, client_id AS "clientId", account_id AS "accountId", sid, attempts`,
      [20, 30],
    );
    await client.query('DELETE FROM backchannel_logout WHERE id = $1', ['1']);
    expect([claimed.rows, (await jobs()).length]).toEqual([[], 1]);
  });

  it('adds its accesses as jobs, and finds none to post', async () => {
    const { rows } = await client.query(`
      WITH numbered AS (SELECT nextval(pg_get_serial_sequence('audit_event', 'id')) AS id),
      event AS (
        INSERT INTO audit_event (id, type, outcome) OVERRIDING SYSTEM VALUE
        SELECT id, 'record.accessed', 'success' FROM numbered),
      posted AS (INSERT INTO audit_post SELECT id FROM numbered)
      SELECT id FROM numbered`);
    expect(await jobs()).toMatchObject([{ kind: 'audit-event', payload: { eventId: rows[0].id } }]);
    const claimed = await client.query(
      `WITH due AS (
         SELECT event_id FROM audit_post JOIN audit_event event ON event.id = event_id
          WHERE due_at <= now() AND detail->>'tenant' IS NOT DISTINCT FROM $1
          ORDER BY event_id LIMIT $2 FOR UPDATE OF audit_post SKIP LOCKED),
       claimed AS (
         UPDATE audit_post SET attempts = attempts + 1, due_at = now() + make_interval(secs => $3)
          WHERE event_id IN (SELECT event_id FROM due) RETURNING event_id)
       SELECT id FROM audit_event WHERE id IN (SELECT event_id FROM claimed) ORDER BY id`,
      [null, 50, 30],
    );
    await client.query('DELETE FROM audit_post WHERE event_id = ANY ($1)', [[rows[0].id]]);
    expect([claimed.rows, (await jobs()).length]).toEqual([[], 1]);
  });
});
