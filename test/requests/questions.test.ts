import type { RelationshipView } from '../../src/contract/representation.js';
import type { RequestList } from '../../src/contract/requests.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
});

afterAll(() => portal.close());

const path = '/api/admin/representation';

describe('The end of a power of attorney by its patient', () => {
  it('asks administrators once, in the same transaction, when it is sent four times at the same time', async () => {
    const [admin, noah, other] = await Promise.all([
      portal.as(family.admin),
      portal.as(family.noah),
      portal.as(family.noah, 1),
    ]);
    const proposal = { email: family.ana.email, patient: '2', basis: 'power-of-attorney', level: 'full' };
    const { id } = (await admin.post(path, proposal)).json<RelationshipView>();
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Deed seen' });
    const ends = await Promise.all(
      [noah, other, noah, other].map((agent) => agent.post(`/api/representation/${id}/end`, {})),
    );
    expect(ends.map(({ status }) => status)).toContain(204);
    expect(await portal.query('SELECT kind, status, asker_name, patient_name, content FROM request')).toEqual([
      {
        kind: 'patient-ended',
        status: 'waiting',
        asker_name: 'Ana Duarte',
        patient_name: 'Noah Reed',
        content: { reason: null },
      },
    ]);
    const [due] = await portal.query<{ days: number }>(
      'SELECT extract(day FROM due_at - asked_at)::int AS days FROM request',
    );
    expect(due).toEqual({ days: 3 });
    expect(await portal.query("SELECT subject FROM audit_event WHERE type = 'request.opened'")).toHaveLength(1);
  });

  it.each([
    ['continues', 'approve', 'active'],
    ['ends', 'decline', 'ended'],
  ])('%s by the answer, once', async (_, decision, status) => {
    const [admin, second, noah] = await Promise.all([
      portal.as(family.admin),
      portal.as(family.secondAdmin, 1),
      portal.as(family.noah),
    ]);
    const patient = '2';
    const proposal = { email: family.ana.email, patient, basis: 'court-appointed', level: 'full' };
    await portal.query("UPDATE representation_relationship SET status = 'ended', reason = 'administrator'");
    await portal.query('DELETE FROM request');
    const { id } = (await admin.post(path, proposal)).json<RelationshipView>();
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Deed seen' });
    await noah.post(`/api/representation/${id}/end`, {});
    const { requests } = (await admin.get('/api/admin/requests')).json<RequestList>();
    const [question] = requests.filter(({ kind }) => kind === 'patient-ended');
    const answers = await Promise.all(
      [admin, second, admin, second].map((one) =>
        one.post(`/api/admin/requests/${question?.id}/decision`, { version: 0, decision, note: 'Called the patient' }),
      ),
    );
    expect(answers.map((one) => one.status).sort()).toEqual([200, 409, 409, 409]);
    expect((await admin.get(`${path}/${id}`)).json()).toMatchObject({ status });
    expect((await admin.get('/api/admin/requests')).json()).toMatchObject({ totalCount: 0 });
    if (status === 'active') await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Next' });
  });
});
