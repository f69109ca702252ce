import type { RequestList } from '../../src/contract/requests.js';
import type { Agent } from '../support/http/agent.js';
import { mailAbout } from '../support/mail-sink.js';
import {
  active,
  anAdminNamedLikeAna,
  aPdf,
  ask,
  decide,
  ownRelationships,
  type RequestPortal,
  recordOf,
  review,
  startRequestPortal,
} from '../support/representation/asked.js';
import { family } from '../support/representation/family-portal.js';

let portal: RequestPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;

beforeAll(async () => {
  portal = await startRequestPortal();
  ({ admin, second, ana, noah } = portal.agents);
});

afterAll(() => portal.close());

beforeEach(() => portal.forget());

const list = async (agent: Agent, query = '') => (await agent.get(`/api/admin/requests${query}`)).json<RequestList>();

describe('An administrator', () => {
  it('approves after each file was opened and seen', async () => {
    const { id, files } = await ask(ana, portal.aChild(), {}, [aPdf('1'), aPdf('2')]);
    const { version, comparison } = await review(admin, id);
    const [one, two] = files.map((file) => file.id);
    const send = (seen: unknown[]) =>
      admin.post(`/api/admin/requests/${id}/decision`, {
        ...{ version, decision: 'approve', note: 'Seen', seen, patient: comparison?.patient },
        ...{ basis: 'parental-responsibility', level: 'full', relation: 'mother' },
      });
    const isUnseen = { errors: [{ field: 'seen' }] };
    expect((await send([one, two])).json()).toMatchObject(isUnseen);
    await admin.get(`/api/admin/requests/${id}/files/${one}`);
    expect((await send([one, two])).json()).toMatchObject(isUnseen);
    await second.get(`/api/admin/requests/${id}/files/${two}`);
    expect((await send([one, two])).json()).toMatchObject(isUnseen);
    await admin.get(`/api/admin/requests/${id}/files/${two}`);
    expect((await send([one])).json()).toMatchObject(isUnseen);
    expect((await send([one, two])).status).toBe(200);
  });

  it('sees what the record says, item by item', async () => {
    const number = portal.aChild({ birthDate: '2020-10-05' });
    const { comparison } = await review(admin, (await ask(ana, number)).id);
    expect(comparison).toMatchObject({ result: 'differs', acting: 0, lacksBirthDate: false });
    expect(comparison?.items.map(({ item, result, inRecord }) => [item, result, inRecord])).toEqual([
      ['record-number', 'fits', null],
      ['name', 'fits', null],
      ['birth-date', 'differs', '2020-10-05'],
      ['representative', 'missing', null],
    ]);
  });

  it('sees that the record names the user, whose RelatedPerson the relationship then has', async () => {
    const number = portal.aChild();
    const patient = recordOf(number);
    portal.records.set(`mother-${patient}`, {
      ...{ resourceType: 'RelatedPerson', id: `mother-${patient}`, patient: { reference: `Patient/${patient}` } },
      name: [{ text: 'Ana Duarte' }],
    });
    const { id } = await ask(ana, number);
    expect((await review(admin, id)).comparison?.items[3]).toMatchObject({ item: 'representative', result: 'fits' });
    await decide(admin, id);
    const [row] = await portal.query<object>(
      'SELECT related_person FROM representation_relationship WHERE patient = $1',
      [patient],
    );
    expect(row).toEqual({ related_person: `RelatedPerson/mother-${patient}` });
  });

  it.each([
    ['no record has the number', { recordNumber: 'NB-none' }, 'none'],
    ['nothing but the number fits', { patientName: 'Mia Costa', birthDate: '2019-01-01' }, 'none'],
    ['there is no number, and the name differs', { recordNumber: '', patientName: 'Leo Costa' }, 'none'],
  ])('cannot approve where %s', async (_, more, result) => {
    const number = portal.aChild();
    const { id } = await ask(ana, number, more);
    expect((await review(admin, id)).comparison?.result).toBe(result);
    const answer = await decide(admin, id, { patient: recordOf(number), despiteDifference: true });
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'patient' }] }]);
  });

  it('does not approve alone what differs in one thing: another one approves the same', async () => {
    const number = portal.aChild({ birthDate: '2020-10-05' });
    const { id } = await ask(ana, number);
    expect((await decide(admin, id)).json()).toMatchObject({ errors: [{ field: 'patient' }] });
    const despiteDifference = { despiteDifference: true };
    expect((await decide(admin, id, despiteDifference)).json()).toMatchObject({
      status: 'waiting',
      awaitsSecond: true,
    });
    expect((await decide(admin, id, despiteDifference)).status).toBe(409);
    expect(await active(ana, number)).toEqual([]);
    expect((await decide(second, id, despiteDifference)).json()).toMatchObject({ status: 'approved' });
    expect(await active(ana, number)).toHaveLength(1);
  });

  it('does not approve alone a level above the age rule; other terms need two again', async () => {
    const number = portal.aChild({ birthDate: '2012-05-10' });
    const { id } = await ask(ana, number, { birthDate: '2012-05-10' });
    const { choices } = await review(admin, id);
    const parental = choices?.bases.find((basis) => basis.id === 'parental-responsibility');
    expect(parental?.levels.map(({ id: level, isAbove }) => [level, isAbove])).toEqual([
      ['full', true],
      ['daily', true],
      ['basics', false],
    ]);
    const above = { exceedsTable: true };
    expect((await decide(admin, id, above)).json()).toMatchObject({ awaitsSecond: true });
    expect((await decide(second, id, { ...above, level: 'daily' })).json()).toMatchObject({
      firstApproval: { isOwn: true, level: 'daily' },
    });
    expect(await active(ana, number)).toEqual([]);
    expect((await decide(admin, id, { ...above, level: 'daily' })).json()).toMatchObject({ status: 'approved' });
    expect(await active(ana, number)).toMatchObject([{ level: { id: 'daily' } }]);
  });

  it('approves single kinds of a level, also above the age rule, and the second may name them in another order', async () => {
    const number = portal.aChild({ birthDate: '2012-05-10' });
    const { id } = await ask(ana, number, { birthDate: '2012-05-10' });
    const kinds = ['Condition', 'Appointment', 'CarePlan', 'DiagnosticReport', 'MedicationRequest', 'Procedure'];
    const above = (names: string[]) => ({ exceedsTable: true, level: ['full', ...names].join(' ') });
    const unknown = await decide(admin, id, above(['Everything']));
    expect([unknown.status, unknown.json()]).toMatchObject([400, { errors: [{ field: 'level' }] }]);
    expect((await decide(admin, id, above(kinds))).json()).toMatchObject({ awaitsSecond: true });
    expect((await decide(second, id, above(kinds.toReversed()))).json()).toMatchObject({ status: 'approved' });
    expect(await active(ana, number)).toMatchObject([{ level: { isChosen: true, kinds: expect.any(Array) } }]);
  });

  it('needs a fresh sign-in or the password for the second approval', async () => {
    const number = portal.aChild({ birthDate: '2012-05-10' });
    const { id } = await ask(ana, number, { birthDate: '2012-05-10' });
    await decide(admin, id, { exceedsTable: true });
    await portal.query(`UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch FROM now())::int - 400))
      WHERE model = 'Session'`);
    expect((await decide(second, id, { exceedsTable: true })).json()).toMatchObject({
      errors: [{ field: 'currentPassword' }],
    });
    const proof = { exceedsTable: true, currentPassword: family.secondAdmin.password };
    expect((await decide(second, id, proof)).json()).toMatchObject({ status: 'approved' });
  });

  it('gives a young patient the limited level without a second approval', async () => {
    const number = portal.aChild({ birthDate: '2012-05-10' });
    const { id } = await ask(ana, number, { birthDate: '2012-05-10' });
    expect((await decide(admin, id, { level: 'basics' })).json()).toMatchObject({ status: 'approved' });
  });

  it('cannot approve what the age table refuses', async () => {
    const number = portal.aChild({ birthDate: '2000-05-10' });
    const { id } = await ask(ana, number, { birthDate: '2000-05-10' });
    expect((await decide(admin, id)).json()).toMatchObject({ errors: [{ field: 'decision' }] });
    expect((await review(admin, id)).status).toBe('waiting');
  });

  it('decides nothing in their own case, and opens no file of it', async () => {
    const own = await portal.as(anAdminNamedLikeAna);
    const { id, files, version = 0 } = { ...(await ask(ana, portal.aChild())), version: 0 };
    expect((await own.get(`/api/admin/requests/${id}/files/${files[0]?.id}`)).status).toBe(403);
    const decline = { version, decision: 'decline', note: 'No' };
    expect((await own.post(`/api/admin/requests/${id}/decision`, decline)).status).toBe(403);
    expect(await review(own, id)).toMatchObject({ isOwnCase: true, comparison: null });
  });

  it('is told that another one has decided, and nothing of the own decision is stored', async () => {
    const { id } = await ask(ana, portal.aChild());
    const { version } = await review(admin, id);
    await decide(second, id, { decision: 'more-needed', note: 'ID card' });
    expect((await decide(admin, id, { version })).status).toBe(409);
    expect(await review(admin, id)).toMatchObject({ status: 'more-needed', note: 'ID card' });
  });

  it('decides once when four decide at the same time on two nodes', async () => {
    for (const decision of ['approve', 'decline'] as const) {
      const number = portal.aChild();
      const { id } = await ask(ana, number);
      const answers = await Promise.all(
        [admin, second, admin, second].map((one) => decide(one, id, { decision, note: 'Same time' })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await active(ana, number)).toHaveLength(decision === 'approve' ? 1 : 0);
    }
  });

  it('corrects an approval in error: access ends without a trace, and the patient is told', async () => {
    portal.has('2', {
      ...{ birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }], identifier: [{ value: 'NB-NOAH' }] },
    });
    const adult = {
      patientName: 'Noah Reed',
      birthDate: '1948-01-01',
      basis: 'power-of-attorney',
      relation: 'attorney',
    };
    const { id } = await ask(ana, 'NB-NOAH', adult);
    await decide(admin, id, { basis: 'power-of-attorney', relation: 'attorney' });
    const { version } = await review(admin, id);
    const wrong = await second.post(`/api/admin/requests/${id}/error`, { version, note: 'Another Noah Reed' });
    expect([wrong.status, wrong.json()]).toMatchObject([200, { status: 'in-error', seen: [] }]);
    expect((await ownRelationships(ana)).lookedAfter.filter(({ patient }) => patient === '2')).toEqual([]);
    expect((await ana.get('/api/requests')).text).not.toContain('Noah');
    await mailAbout(portal.sink, family.noah.email, 'Your record at Gatehouse was open to the wrong user');
    expect((await second.post(`/api/admin/requests/${id}/error`, { version, note: 'Again' })).status).toBe(409);
    expect((await list(admin, '?show=closed')).requests).toContainEqual(
      expect.objectContaining({ id, status: 'in-error' }),
    );
  });

  it('has the number of those that wait, and of those that are late', async () => {
    const { id } = await ask(ana, portal.aChild());
    await portal.query("UPDATE request SET due_at = now() - interval '1 hour' WHERE id = $1", [id]);
    await ask(noah, portal.aChild());
    expect((await admin.get('/api/admin/requests/count')).json()).toEqual({ open: 2, late: 1 });
    const checks = (await admin.get('/api/admin/readiness')).text;
    expect(checks).toContain('1 request of a user waits longer than the user was told.');
    expect(await list(admin)).toMatchObject({ totalCount: 2, lateCount: 1, requests: [{ id }, {}] });
    expect((await list(admin, '?searchTerm=noah')).requests).toMatchObject([{ askerName: 'Noah Reed' }]);
  });
});
