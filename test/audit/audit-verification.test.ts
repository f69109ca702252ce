/** The seals of the audit record as administrators see and verify them. */
import { mock } from 'node:test';
import { auditVerification } from '../../src/audit/application/audit-verification-runs.js';
import { AuditSeals } from '../../src/audit/domain/audit-seals.js';
import type { PostgresAuditSeals } from '../../src/audit/infrastructure/postgres-audit-seals.js';
import type { AuditEventView, AuditList, AuditState } from '../../src/contract/audit.js';
import { OperatorNotes } from '../../src/readiness/application/operator-notes.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const second = { ...people.admin, email: 'second.admin@example.org', fullName: 'Petra Young' };
let portal: TestPortal;
let admin: Agent;
let other: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, second] }, nodes: 2 });
  admin = new Agent(portal.issuer);
  other = new Agent(portal.issuer, portal.ports[1]);
  await login(admin, people.admin);
  await login(other, second);
  for (const one of sealsOfNodes()) await (one as PostgresAuditSeals).onModuleDestroy();
});
afterAll(() => portal.close());

const sealsOfNodes = () => portal.apps.map((app) => app.get(AuditSeals, { strict: false }));
const seal = () => sealsOfNodes()[0]?.seal();
const state = async (agent = admin) => (await agent.get('/api/admin/audit/state')).json<AuditState>();
const verify = async (agent = admin) => {
  const answer = await agent.post('/api/admin/audit/verification', undefined);
  expect(answer.status).toBe(200);
  return answer.json<AuditState>();
};
const entries = async () => (await admin.get('/api/admin/audit?group=sign-ins&pageSize=5')).json<AuditList>().events;
const entry = async (id: string) => (await admin.get(`/api/admin/audit/entry/${id}`)).json<AuditEventView>();

async function verified(): Promise<AuditState> {
  await until(async () => (await state()).verification?.state === 'done');
  return state();
}

async function behindItsBack(sql: string): Promise<void> {
  await portal.query(`SET session_replication_role = replica; ${sql}; SET session_replication_role = DEFAULT`);
}

describe('The seals', () => {
  it('of an entry are shown with its hash and that of the seal before', async () => {
    const [event] = await entries();
    expect(event && (await entry(event.id)).seal).toEqual({ state: 'waiting' });
    await seal();
    const first = event && (await entry(event.id)).seal;
    expect(first).toMatchObject({ state: 'sealed', number: '1', before: null });
    await admin.get('/api/admin/audit?group=record');
    const [latest] = (await admin.get('/api/admin/audit?group=record')).json<AuditList>().events;
    await seal();
    expect(latest && (await entry(latest.id)).seal).toMatchObject({
      state: 'sealed',
      number: '2',
      before: (first as { hash: string }).hash,
    });
    expect((await state()).lastSeal?.number).toBe('2');
  });

  it('are verified once for two administrators who ask at the same time, and the record names the first one', async () => {
    await Promise.all([verify(admin), verify(other), verify(admin)]);
    const { lastVerified, verification } = await verified();
    expect(lastVerified).toMatchObject({ count: 0, problems: [] });
    expect(['Ada Admin', 'Petra Young']).toContain(lastVerified?.by);
    expect(verification?.by).toBe(lastVerified?.by);
    const rows = await portal.query("SELECT outcome, detail FROM audit_event WHERE type = 'audit.verified'");
    expect(rows).toEqual([{ outcome: 'success', detail: expect.objectContaining({ count: 0, problems: [] }) }]);
    expect((await admin.get('/api/admin/audit/proof')).status).toBe(404);
    expect((await admin.get('/api/admin/readiness')).text).toContain('audit-verified');
  });

  it('are verified by another node when the first one dies during the verification', async () => {
    const [first, next] = sealsOfNodes();
    let release = () => {};
    let begun = 0;
    const hang = async () => {
      begun += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      throw new Error('the node has died');
    };
    const hanging = [first, next].map((one) => mock.method(one as AuditSeals, 'verify', hang));
    const { verification } = await verify();
    expect(verification).toMatchObject({ state: 'running' });
    await until(async () => begun === 1);
    // A second request does not begin another one.
    await verify(other);
    expect(await portal.query('SELECT FROM job WHERE kind = $1', [auditVerification.name])).toHaveLength(1);
    // It is not heard any more.
    await portal.query(
      `UPDATE readiness_note SET detail = detail || jsonb_build_object('heardAt', now() - interval '2 minutes')
        WHERE name = 'audit-verification'`,
    );
    expect((await state()).verification?.state).toBe('broken-off');
    for (const one of hanging) one.mock.restore();
    release();
    await until(async () => {
      await portal.query('UPDATE job SET due_at = now() WHERE kind = $1 AND due_at > now()', [auditVerification.name]);
      await portal.query('SELECT pg_notify($1, $2)', ['gatehouse_jobs', auditVerification.name]);
      return (await state()).verification?.state === 'done';
    });
    expect((await state()).lastVerified?.count).toBe(0);
  });

  it('that are broken are named with the entry, and their proof can be downloaded', async () => {
    const [event] = await entries();
    await behindItsBack(`UPDATE audit_event SET address = '198.51.100.1' WHERE id = ${event?.id}`);
    expect(event && (await entry(event.id)).seal).toMatchObject({ state: 'broken', number: '1' });
    await verify();
    const { lastVerified } = await verified();
    expect(lastVerified).toMatchObject({
      count: 1,
      problems: [expect.stringMatching(/^seal 1 is broken: one of the events/)],
    });
    // As `audit verify` notes it.
    await portal.apps[0]?.get(OperatorNotes, { strict: false }).auditWasVerified(['seal 1 is broken']);
    expect((await state()).lastVerified).toMatchObject({ by: null, count: 1, problems: ['seal 1 is broken'] });
    const answer = await other.get('/api/admin/audit/proof');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename=audit-proof-/);
    const [proof] = answer.json<{
      seals: { number: string; hash: string; hashNow: string; entriesNow: unknown[][] }[];
    }>().seals as [{ number: string; hash: string; hashNow: string; entriesNow: unknown[][] }];
    expect(proof.number).toBe('1');
    expect(proof.hashNow).not.toBe(proof.hash);
    expect(JSON.stringify(proof.entriesNow)).toContain('198.51.100.1');
    const exported = await portal.query("SELECT detail FROM audit_event WHERE type = 'audit.exported'");
    expect(exported).toEqual([{ detail: { proof: ['1'] } }]);
  });
});
