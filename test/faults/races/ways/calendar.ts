import { RepresentedAccess } from '../../../../src/representation/application/represented-access.js';
import { RelationshipSweeps } from '../../../../src/representation/application/upkeep/relationship-sweeps.js';
import { dayIn } from '../../../../src/representation/domain/ages.js';
import { addDays } from '../../../../src/representation/domain/coming-steps.js';
import { until } from '../../../support/until.js';
import { type Scene, sortedStatuses, statusesOf, type Way } from './scene.js';

const path = '/api/admin/representation';
const today = dayIn(new Date(), 'Europe/Amsterdam');
const dayMs = 86_400_000;
const sweep = (scene: Scene, node: number, at = new Date()) => scene.part(RelationshipSweeps, node).sweep(at);
const decide = (scene: Scene, node: number, patient: string, at = new Date()) =>
  scene.part(RepresentedAccess, node).forRequest({
    ...{ account: scene.ana.id, tenant: undefined, patient, at },
  });
const helper = { basis: 'voluntary', relation: 'helper' };
const attorney = { basis: 'power-of-attorney', relation: 'attorney' };
const noticesOf = (scene: Scene, id: string) =>
  scene.query<{ step: string }>('SELECT step FROM representation_notice WHERE relationship_id = $1 ORDER BY 1', [id]);

async function alone(scene: Scene): Promise<void> {
  await scene.query('TRUNCATE representation_relationship, represented_patient, representation_block CASCADE');
  await scene.query("UPDATE request SET status = 'cancelled', decided_at = now() WHERE account_id IS NULL");
}

/** What the calendar and the records of patients do, while users answer. */
export const waysOfTheCalendar: Way[] = [
  {
    acts: 'an end, the answer that it is still right, and the looks of both nodes when the answer is overdue',
    holds: 'it has ended once, or the answer counts for a year',
    async round(scene) {
      await alone(scene);
      const id = await scene.acts('2', { ...helper, decidedAt: new Date(Date.now() - 400 * dayMs) });
      const asked = new Date(Date.now() - 32 * dayMs);
      await sweep(scene, 0, asked);
      await scene.query('UPDATE representation_relationship SET due_at = NULL WHERE id = $1', [id]);
      const ends = Math.random() < 0.5;
      const [confirmed] = await scene.atOnce(
        () => scene.agents.noah.post(`/api/representation/${id}/confirmation`, {}),
        () => sweep(scene, 0),
        () => sweep(scene, 1),
        () => (ends ? scene.endByAdmin(id) : sweep(scene, 1)),
      );
      const { status } = await scene.stored(id);
      if (confirmed.status === 204 && !ends) expect(status).toBe('active');
      else if (!ends) expect([confirmed.status === 409 || confirmed.status === 404, status]).toEqual([true, 'ended']);
      else expect(status).toBe('ended');
      expect(await scene.eventsOf('representation.ended', id)).toBe(status === 'ended' ? 1 : 0);
    },
  },
  {
    acts: 'an agreement, its withdrawal and an end by the patient that administrators decide about',
    holds: 'the end stays, whichever answer came last',
    async round(scene) {
      await alone(scene);
      const birthday = addDays(today, -1);
      const patient = scene.child({ birthDate: `${Number(birthday.slice(0, 4)) - 16}${birthday.slice(4)}` });
      const id = await scene.acts(patient, { status: 'suspended', reason: 'agreement' });
      const agree = (isAgreed: boolean) =>
        scene.agents.admin.post(`${path}/${id}/agreement`, { step: 16, isAgreed, note: 'At the desk' });
      const [agreed, withdrawn] = await scene.atOnce(
        () => agree(true),
        () => agree(false),
        () => decide(scene, 0, patient),
        () => decide(scene, 1, patient),
        () =>
          scene.relationships(1).change(id, ['active', 'suspended'], { status: 'suspended', reason: 'patient-ended' }),
      );
      expect(statusesOf([agreed, withdrawn])).toEqual([200, 200]);
      // The looks in the background have ended when another one has.
      await decide(scene, 0, patient);
      await decide(scene, 1, patient);
      const { status, reason } = await scene.stored(id);
      expect([status, reason]).toEqual(['suspended', 'patient-ended']);
    },
  },
  ...(
    [
      ['deceased', (scene, patient) => scene.portal.has(patient, { deceasedBoolean: true })],
      ['merged', (scene, patient) => scene.portal.has(patient, merged)],
    ] as [string, (scene: Scene, patient: string) => void][]
  ).map(
    ([reason, happens]): Way => ({
      acts: `the looks and requests of both nodes after the record says ${reason}`,
      holds: 'the relationship is suspended once, and a confirmation at the same time does not hide it',
      async round(scene) {
        await alone(scene);
        const patient = scene.child();
        const id = await scene.acts(patient);
        happens(scene, patient);
        await scene.atOnce(
          () => sweep(scene, 0),
          () => sweep(scene, 1),
          () => decide(scene, 0, patient),
          () => decide(scene, 1, patient),
        );
        await until(async () => (await scene.stored(id)).status === 'suspended');
        expect(await scene.stored(id)).toEqual({ status: 'suspended', reason });
        await sweep(scene, 0);
        await sweep(scene, 1);
        expect(await scene.eventsOf('representation.changed', id)).toBe(1);
      },
    }),
  ),
  {
    acts: 'the looks of both nodes after the record is gone',
    holds: 'the relationship is suspended once',
    async round(scene) {
      await alone(scene);
      const patient = scene.child();
      const id = await scene.acts(patient);
      scene.portal.records.delete(patient);
      const [first, second] = [new Date(), new Date(Date.now() + 6 * 60_000)];
      await scene.atOnce(
        () => decide(scene, 0, patient, first),
        () => decide(scene, 1, patient, first),
      );
      await scene.atOnce(
        () => decide(scene, 0, patient, second),
        () => decide(scene, 1, patient, second),
        () => sweep(scene, 0, second),
      );
      await until(async () => (await scene.stored(id)).status === 'suspended');
      expect(await scene.stored(id)).toEqual({ status: 'suspended', reason: 'deleted' });
      expect(await scene.eventsOf('representation.changed', id)).toBe(1);
    },
  },
  {
    acts: 'confirmations by two administrators, and an end',
    holds: 'an end stays, and what one administrator has confirmed is not confirmed again',
    async round(scene) {
      await alone(scene);
      const id = await scene.acts('2', { ...attorney, status: 'suspended', reason: 'deleted' });
      const { admin, second, noah } = scene.agents;
      const confirm = (by: typeof admin) => by.post(`${path}/${id}/confirmation`, { note: 'It is there' });
      const [ended, ...confirmed] = await scene.atOnce(
        () => scene.endBy(noah, id),
        () => confirm(admin),
        () => confirm(second),
      );
      expect(ended.status).toBe(204);
      expect(statusesOf(confirmed).filter((status) => status !== 409).length).toBeLessThanOrEqual(1);
      expect(await scene.stored(id)).toEqual({ status: 'suspended', reason: 'patient-ended' });
      const open = await scene.query("SELECT FROM request WHERE relationship_id = $1 AND status = 'waiting'", [id]);
      expect(open).toHaveLength(1);
    },
  },
  {
    acts: 'answers of two administrators to the question about an end',
    holds: 'one answer counts',
    async round(scene) {
      await alone(scene);
      const id = await scene.acts('2', attorney);
      await scene.endBy(scene.agents.noah, id);
      const [{ request = '' } = {}] = await scene.query<{ request: string }>(
        'SELECT id AS request FROM request WHERE relationship_id = $1',
        [id],
      );
      const answer = (by: Scene['agents']['admin'], decision: string) =>
        by.post(`/api/admin/requests/${request}/decision`, { version: 0, decision, note: 'Called back', seen: [] });
      const answers = await scene.atOnce(
        () => answer(scene.agents.admin, 'approve'),
        () => answer(scene.agents.second, 'decline'),
      );
      expect(sortedStatuses(answers)).toEqual([200, 409]);
      expect((await scene.stored(id)).status).toBe(answers[0].status === 200 ? 'active' : 'ended');
    },
  },
  {
    acts: 'the looks of both nodes at a step of which both sides are told',
    holds: 'each step is told once',
    async round(scene) {
      await alone(scene);
      const soon = addDays(today, 10);
      const patient = scene.child({ birthDate: `${Number(soon.slice(0, 4)) - 13}${soon.slice(4)}` });
      const id = await scene.acts(patient, { end: addDays(today, 20) });
      // Mails of rounds before may be on their way.
      await until(async () => (await scene.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
      const before = scene.portal.sink.received.length;
      await scene.atOnce(...[0, 1, 0, 1].map((node) => () => sweep(scene, node)));
      await scene.query('UPDATE representation_relationship SET due_at = NULL WHERE id = $1', [id]);
      await scene.atOnce(...[0, 1].map((node) => () => sweep(scene, node)));
      const steps = (await noticesOf(scene, id)).map(({ step }) => step);
      expect(steps).toEqual([`age:13:${soon}:soon`, `period:${addDays(today, 20)}:soon`]);
      await until(() => scene.portal.sink.received.length >= before + 2);
      expect(scene.portal.sink.received.length).toBe(before + 2);
    },
  },
  {
    acts: 'a longer period by the patient, and the looks of both nodes after its last day',
    holds: 'it has ended once, or the longer period counts',
    async round(scene) {
      await alone(scene);
      const id = await scene.acts('2', { ...helper, end: today });
      const late = new Date(Date.now() + dayMs);
      const [renewed] = await scene.atOnce(
        () =>
          scene.agents.noah.send(`/api/representation/${id}/period`, {
            method: 'PUT',
            body: { end: addDays(today, 90) },
          }),
        () => sweep(scene, 0, late),
        () => sweep(scene, 1, late),
      );
      await until(async () => {
        const { status } = await scene.stored(id);
        return renewed.status === 204 ? status === 'active' : status === 'ended';
      });
      expect([204, 404, 409]).toContain(renewed.status);
      expect(await scene.eventsOf('representation.ended', id)).toBe(renewed.status === 204 ? 0 : 1);
    },
  },
];

const merged = { link: [{ type: 'replaced-by', other: { reference: 'Patient/other' } }] };
