import { Agent } from '../../../support/http/agent.js';
import { invitationsPath, passwords, type Scene, sortedStatuses, statusesOf, type Way } from './scene.js';

const path = '/api/admin/representation';
const wrong = (code: string, plus = 1) => String((Number(code) + plus) % 1_000_000).padStart(6, '0');
const ana = (scene: Scene, node = 0) => scene.ana.browsers[node] as Agent;

/** Ends what the round before has left between Ana and Noah. */
async function apart(scene: Scene): Promise<void> {
  await scene.query(
    "UPDATE representation_relationship SET status = 'ended', reason = 'administrator' WHERE patient = '2'",
  );
  await scene.query("UPDATE representation_invitation SET status = 'cancelled', code = NULL WHERE status = 'open'");
  await scene.query('DELETE FROM representation_block');
  await scene.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')");
}

const statusOf = async (scene: Scene, id: string) =>
  (
    await scene.query<{ status: string; wrong: number }>(
      'SELECT status, wrong_codes AS wrong FROM representation_invitation WHERE id = $1',
      [id],
    )
  )[0];

/** Patients invite, and invited users answer. */
export const waysOfInvitations: Way[] = [
  {
    acts: 'two invitations of one address',
    holds: 'one is stored, and one mail is sent',
    async round(scene) {
      await apart(scene);
      await scene.forgetLimits();
      const email = scene.guest();
      const noah = scene.agents.noah;
      const other = new Agent(scene.portal.issuer, scene.portal.ports[0]);
      for (const [name, value] of noah.cookies) other.cookies.set(name, value);
      const form = { fullName: 'Tomás Reed', email, level: 'basics', currentPassword: passwords.patient };
      const answers = await scene.atOnce(
        () => noah.post(invitationsPath, form),
        () => other.post(invitationsPath, { ...form, email: email.toUpperCase() }),
      );
      expect(sortedStatuses(answers)).toEqual([201, 409]);
      const rows = await scene.query('SELECT FROM representation_invitation WHERE lower(email) = $1', [email]);
      expect(rows).toHaveLength(1);
    },
  },
  {
    acts: 'acceptances by two accounts',
    holds: 'one account acts for the patient, and the other has nothing',
    async round(scene) {
      await apart(scene);
      const { accept, email, id } = await scene.invited(scene.agents.noah);
      const answers = await scene.atOnce(
        () => accept(ana(scene)),
        () => accept(scene.node(1), { account: 'new' }),
      );
      expect(sortedStatuses(answers)).toEqual([200, expect.any(Number)]);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      expect(await scene.ofPatient('2')).toMatchObject({ active: 1 });
      const accounts = await scene.query('SELECT FROM account WHERE email = $1', [email]);
      expect(accounts).toHaveLength(answers[1]?.status === 200 ? 1 : 0);
      expect(await statusOf(scene, id)).toMatchObject({ status: 'accepted' });
    },
  },
  {
    acts: 'acceptances in two tabs of one account',
    holds: 'there is one relationship, and each answer says that it is active or that the invitation has ended',
    async round(scene) {
      await apart(scene);
      const { accept } = await scene.invited(scene.agents.noah);
      const answers = await scene.atOnce(
        () => accept(ana(scene)),
        () => accept(ana(scene, 1)),
      );
      for (const { status } of answers) expect([200, 404]).toContain(status);
      expect(statusesOf(answers)).toContain(200);
      expect(await scene.ofPatient('2')).toEqual({ active: 1, open: 0 });
    },
  },
  {
    acts: 'an acceptance, and the cancellation by the patient',
    holds: 'one of both happens, and the relationship exists only after an acceptance',
    async round(scene) {
      await apart(scene);
      const { accept, id } = await scene.invited(scene.agents.noah);
      const [accepted, cancelled] = await scene.atOnce(
        () => accept(ana(scene)),
        () => scene.agents.noah.send(`${invitationsPath}/${id}`, { method: 'DELETE' }),
      );
      expect([
        [200, 404],
        [404, 204],
      ]).toContainEqual([accepted.status, cancelled.status]);
      expect((await scene.ofPatient('2')).active).toBe(accepted.status === 200 ? 1 : 0);
      expect((await statusOf(scene, id))?.status).toBe(accepted.status === 200 ? 'accepted' : 'cancelled');
    },
  },
  {
    acts: 'an acceptance, and the last moment of the invitation',
    holds: 'it is accepted in time with a relationship, or not at all',
    async round(scene) {
      await apart(scene);
      const { accept, id } = await scene.invited(scene.agents.noah);
      const [accepted] = await scene.atOnce(
        () => accept(ana(scene)),
        () => scene.query('UPDATE representation_invitation SET expires_at = now() WHERE id = $1', [id]),
      );
      expect([200, 404]).toContain(accepted.status);
      expect((await scene.ofPatient('2')).active).toBe(accepted.status === 200 ? 1 : 0);
      expect((await statusOf(scene, id))?.status).toBe(accepted.status === 200 ? 'accepted' : 'open');
    },
  },
  {
    acts: 'five wrong codes and the right one',
    holds: 'five codes are compared, and it is accepted only if the right one is among them',
    async round(scene) {
      await apart(scene);
      const { accept, id, spokenCode } = await scene.invited(scene.agents.noah);
      const wrongOnes = [1, 2, 3, 4, 5].map(
        (plus) => () => accept(ana(scene, plus % 2), { spokenCode: wrong(spokenCode, plus) }),
      );
      const [right, ...others] = await scene.atOnce(() => accept(ana(scene)), ...wrongOnes);
      expect(statusesOf(others).filter((status) => ![400, 404, 200].includes(status))).toEqual([]);
      const { status, wrong: compared } = (await statusOf(scene, id)) ?? { status: '', wrong: 0 };
      expect(compared).toBeLessThanOrEqual(5);
      expect(status).toBe(right?.status === 200 ? 'accepted' : 'codes-used-up');
      expect((await scene.ofPatient('2')).active).toBe(right?.status === 200 ? 1 : 0);
      expect(await scene.eventsOf('representation.invitation-ended', id)).toBe(1);
    },
  },
  {
    acts: 'a new code, and an acceptance with the code before',
    holds:
      'it is accepted with a code that was right when it was compared, and the new one has the tries that are left',
    async round(scene) {
      await apart(scene);
      const { accept, id } = await scene.invited(scene.agents.noah);
      const [accepted, renewed] = await scene.atOnce(
        () => accept(ana(scene)),
        () => scene.agents.noah.post(`${invitationsPath}/${id}/new-code`, { currentPassword: passwords.patient }),
      );
      expect([
        [200, 200],
        [200, 404],
        [400, 200],
      ]).toContainEqual([accepted.status, renewed.status]);
      if (accepted.status === 200) return expect((await scene.ofPatient('2')).active).toBe(1);
      const { spokenCode, triesLeft } = renewed.json<{ spokenCode: string; triesLeft: number }>();
      expect([4, 5]).toContain(triesLeft);
      expect((await accept(ana(scene), { spokenCode })).status).toBe(200);
    },
  },
  {
    acts: 'the deletion of the account of the patient, and an acceptance',
    holds: 'the acceptance comes before or is refused, and no invitation is left',
    async round(scene) {
      const { id: account, browsers } = await scene.spare();
      const { accept, id } = await scene.invited(browsers[0] as Agent, passwords.spare);
      const [deleted, accepted] = await scene.atOnce(
        () => scene.agents.admin.send(`/api/admin/user/${account}`, { method: 'DELETE' }),
        () => accept(ana(scene, 1)),
      );
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(accepted.status);
      expect(await statusOf(scene, id)).toBeUndefined();
      const made = await scene.query(
        "SELECT FROM representation_relationship WHERE proposed_by ->> 'id' = $1 AND status = 'active'",
        [account],
      );
      expect(made).toHaveLength(accepted.status === 200 ? 1 : 0);
    },
  },
  {
    acts: 'a safeguarding end, an acceptance and an approval of the same pair',
    holds: 'the pair is blocked, and nothing of it is active',
    async round(scene) {
      await apart(scene);
      const id = await scene.acts('2', { basis: 'voluntary', relation: 'helper' });
      const open = await scene.acts('2', { basis: 'voluntary', relation: 'helper', status: 'proposed' });
      const { accept } = await scene.invited(scene.agents.noah);
      const decide = { decision: 'approve', note: 'Seen' };
      const [ended, accepted, approved] = await scene.atOnce(
        () => scene.endByAdmin(id, 'safeguarding'),
        () => accept(ana(scene, 1)),
        () => scene.agents.second.post(`${path}/${open}/decision`, decide),
      );
      expect(ended.status).toBe(200);
      expect([200, 409]).toContain(accepted.status);
      if (accepted.status === 200) expect(accepted.json()).toMatchObject({ state: 'waiting' });
      expect(approved.status).toBe(409);
      expect((await scene.ofPatient('2')).active).toBe(0);
    },
  },
];
