import { ClientManagement } from '../../src/clients/application/client-management.js';
import { publicApp } from '../support/clients/clients.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { isLong } from '../support/runs.js';
import { until } from '../support/until.js';

const app = { ...publicApp, clientId: 'popular', clientName: 'Popular' };
const other = { ...app, clientId: 'other' };
const count = isLong ? 25_000 : 1_200;
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { clients: [app, other] } });
  await portal.query(
    `INSERT INTO account (id, email, full_name, user_type, is_external, claims, email_confirmed, security_stamp, created_at)
     SELECT gen_random_uuid(), 'p' || n || '@example.org', 'Person ' || n, 'Patient', false, '[]', true, 's', now()
       FROM generate_series(1, $1) AS n`,
    [count],
  );
  for (const { clientId } of [app, other]) {
    await portal.query(
      `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, created_at, expires_at)
       SELECT kind.model, $1 || kind.model || email, '{"openid": {"scope": "openid offline_access"}}', $1 || email, id, $1,
              now() - interval '1 day', now() + interval '1 day'
         FROM account, (VALUES ('Grant'), ('RefreshToken')) AS kind (model) WHERE user_type = 'Patient'`,
      [clientId],
    );
  }
  // Accesses with the permission of some people, before and after the end.
  await portal.query(
    `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
     SELECT now() + at.after, 'record.accessed', 'success', account.id, $1, '{"interaction": "read", "seen": [{"Condition": 2}]}'
       FROM account, (VALUES (interval '-1 hour'), (interval '1 day')) AS at (after)
      WHERE email LIKE 'p%2@example.org'`,
    [app.clientId],
  );
});

afterAll(() => portal.close());

const counted = async () => {
  const [row] = await portal.query<{ receipts: number; people: number; entries: number; subjects: number }>(
    `SELECT (SELECT count(*)::int FROM receipt) AS receipts, (SELECT count(DISTINCT account_id)::int FROM receipt) AS people,
            count(*)::int AS entries, count(DISTINCT subject)::int AS subjects
       FROM audit_event WHERE type = 'app.revoked'`,
  );
  return row;
};
const untilDone = () => until(async () => (await portal.query("SELECT FROM job WHERE kind = 'receipts'")).length === 0);
const once = { receipts: count, people: count, entries: count, subjects: count };

describe('When an app with many users is disabled', () => {
  it('each of them gets one receipt and one entry, without one for another app', async () => {
    await portal.apps[0]?.get(ClientManagement, { strict: false }).disableClient(app.clientId);
    expect(await portal.query('SELECT FROM oidc_record WHERE client_id = $1', [app.clientId])).toEqual([]);
    await untilDone();
    expect(await counted()).toEqual(once);
    const [left] = await portal.query('SELECT count(*)::int AS left FROM oidc_record WHERE client_id = $1', [
      other.clientId,
    ]);
    expect(left).toEqual({ left: 2 * count });
  });

  it('the receipt has the last access before the end, and what was read', async () => {
    const rows = await portal.query<{ is: boolean; right: number }>(
      `SELECT email LIKE 'p%2@example.org' AS is, count(*) FILTER (WHERE (facts ->> 'signIns')::int = 1
              AND (facts ->> 'refreshTokens')::int = 1 AND facts ->> 'by' = 'everyone')::int AS right
         FROM receipt JOIN account ON account.id = account_id
        WHERE (facts ->> 'lastAccess' IS NOT NULL) = (email LIKE 'p%2@example.org')
          AND coalesce((facts ->> 'lastAccess')::timestamptz <= ended_at, true)
          AND facts -> 'lastRead' = CASE WHEN facts ->> 'lastAccess' IS NULL THEN 'null'::jsonb ELSE
                jsonb_build_object('at', facts -> 'lastAccess', 'kinds', '{"Condition": 2}'::jsonb, 'unattended', false) END
        GROUP BY 1`,
    );
    expect(rows.map(({ right }) => right).reduce((sum, some) => sum + some, 0)).toBe(count);
    expect(rows).toHaveLength(2);
  });

  it('a job that is repeated after a crash changes nothing', async () => {
    await portal.query(
      `INSERT INTO job (kind, payload)
       SELECT 'receipts', jsonb_build_object('receipts',
                jsonb_agg(jsonb_build_object('accountId', account_id, 'receipt', facts)))
         FROM receipt GROUP BY abs(hashtext(id)) % $1`,
      [Math.ceil(count / 400)],
    );
    await portal.query("SELECT pg_notify('gatehouse_jobs', 'receipts')");
    await untilDone();
    expect(await counted()).toEqual(once);
  });

  it('an account that is deleted meanwhile delays no receipts of others', async () => {
    await portal.query('DELETE FROM receipt');
    await portal.query("DELETE FROM account WHERE email = 'p1@example.org'");
    await portal.query('UPDATE client SET enabled = true WHERE client_id = $1', [other.clientId]);
    await portal.apps[1]?.get(ClientManagement, { strict: false }).disableClient(other.clientId);
    await untilDone();
    expect(await counted()).toMatchObject({ receipts: count - 1, people: count - 1 });
  });
});
