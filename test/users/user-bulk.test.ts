/** Calls of administrators about many users. */
import { randomUUID } from 'node:crypto';
import type { BulkProgress } from '../../src/contract/clients/bulk.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const path = '/api/admin/user';
let portal: AdminPortal;
let ids: string[];

/** 1,100 patients: every second one has confirmed the address. */
beforeAll(async () => {
  portal = await startAdminPortal({ fhirServer: false });
  const form = { fullName: '@SUM(1)', email: 'first@example.org', userType: 'Patient' };
  await portal.api
    .post(path)
    .send({ ...form, claims: [{ name: 'fhirUser', value: 'Patient/1' }] })
    .expect(201);
  const { columns } = (
    await portal.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
        WHERE table_name = 'account' AND is_generated = 'NEVER' AND column_name NOT IN ('id', 'email', 'full_name', 'email_confirmed')`,
    )
  )[0] as { columns: string };
  await portal.query(`
    INSERT INTO account (id, email, full_name, email_confirmed, ${columns})
    SELECT gen_random_uuid(), 'bulk' || i || '@example.org', 'Bulk ' || to_char(i, 'FM0000'), i % 2 = 0, ${columns}
      FROM generate_series(1, 1100) AS i JOIN account ON email = 'first@example.org'`);
  ids = (
    await portal.query<{ id: string }>("SELECT id FROM account WHERE full_name LIKE 'Bulk %' ORDER BY full_name")
  ).map(({ id }) => id);
});
afterAll(() => portal.close());

async function carriedOut(request: object, id: string = randomUUID()): Promise<BulkProgress> {
  for (;;) {
    const { body } = await portal.api.put(`${path}/bulk/${id}`).send(request).expect(200);
    if (body.done === body.total) return body;
  }
}

const linksOf = async (user: string | undefined) =>
  (await portal.query('SELECT FROM account_link WHERE account_id = $1', [user])).length;

describe('Many users', () => {
  it('are invited again; those who have confirmed their address are named and get no mail', async () => {
    const id = randomUUID();
    const request = { action: 'invite', ids: ids.slice(0, 3) };
    const progress = await carriedOut(request, id);
    expect(progress).toMatchObject({ total: 3, changed: 2, failed: 1 });
    expect(progress.failures).toEqual([{ id: ids[1], name: 'Bulk 0002', reason: 'confirmed' }]);
    await carriedOut(request, id);
    expect([await linksOf(ids[0]), await linksOf(ids[1])]).toEqual([1, 0]);
    const events = await portal.query("SELECT subject FROM audit_event WHERE type = 'user.invited-again'");
    expect(events).toHaveLength(2);
  });

  it('are counted separately when they had as many invitations as a user may get in a day', async () => {
    for (let time = 0; time < 5; time += 1) await carriedOut({ action: 'invite', ids: [ids[4]] });
    expect((await carriedOut({ action: 'invite', ids: [ids[4]] })).failures).toEqual([
      { id: ids[4], name: 'Bulk 0005', reason: 'throttled' },
    ]);
  });

  it('are no administrators', async () => {
    const [admin] = await portal.query<{ id: string }>("SELECT id FROM account WHERE user_type = 'Admin'");
    expect((await carriedOut({ action: 'invite', ids: [admin?.id] })).failures).toEqual([
      { id: admin?.id, name: null, reason: 'gone' },
    ]);
  });

  it('are exported as the filter finds them, by name, more than the list counts', async () => {
    const answer = await portal.api.post(`${path}/export`).send({ filter: { searchTerm: 'bulk' } });
    expect(answer.status).toBe(200);
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1101);
    expect(lines[0]).toBe('\uFEFFname,email,type,sign_in,email_confirmed,fhir_user,id');
    expect(lines[1]).toBe(`"Bulk 0001",bulk1@example.org,Patient,local,false,Patient/1,${ids[0]}`);
  });

  it('are exported without a cell that a spreadsheet would compute, and without credentials', async () => {
    const { text } = await portal.api.post(`${path}/export`).send({ filter: { searchTerm: 'first@example.org' } });
    expect(text.split('\r\n')[1]).toMatch(
      /^'?"'@SUM\(1\)",first@example\.org,Patient,local,false,Patient\/1,[0-9a-f-]{36}$/,
    );
  });

  it.each([
    ['an action of clients', { action: 'disable', filter: {} }],
    ['filters of clients', { action: 'invite', filter: { isEnabled: ['true'] } }],
    ['ids that are none', { action: 'invite', ids: ['1'] }],
  ])('are refused with 400 for %s', async (_, request) => {
    await portal.api.put(`${path}/bulk/${randomUUID()}`).send(request).expect(400);
  });
});
