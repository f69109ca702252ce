import { Database } from '../../../../src/platform/database/database.js';
import { Notifications } from '../../../../src/platform/database/notifications.js';
import { publishRules } from '../../../../src/representation/infrastructure/node-rules.js';
import { RequestFileStore } from '../../../../src/requests/application/request-file-store.js';
import type { Agent } from '../../../support/http/agent.js';
import { aPdf, sendFile } from '../../../support/representation/asked.js';
import { family } from '../../../support/representation/family-portal.js';
import { passwords, type Scene, sortedStatuses, statusesOf, type Way } from './scene.js';

const path = '/api/admin/representation';
const ana = (scene: Scene, node = 0) => scene.ana.browsers[node] as Agent;
const form = {
  ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
  ...{ isTrue: true, files: [] },
};

/** Users ask the hospital, and administrators decide. */
export const waysOfRequests: Way[] = [
  {
    acts: 'one request in two tabs',
    holds: 'it is stored once, and both get the same answer',
    async round(scene, round) {
      await scene.portal.forget();
      const body = { ...form, recordNumber: `NB-${round}` };
      const answers = await scene.atOnce(
        () => ana(scene).post('/api/requests', body),
        () => ana(scene, 1).post('/api/requests', body),
      );
      expect(statusesOf(answers)).toEqual([201, 201]);
      expect(new Set(answers.map((one) => one.json<{ id: string }>().id)).size).toBe(1);
    },
  },
  {
    acts: 'approve, decline and *Ask for more* by two administrators',
    holds: 'one decision is stored, and the other administrator is told',
    async round(scene, round) {
      const { id, patient, decide, status } = await scene.asked();
      const { admin, second } = scene.agents;
      const [one = '', other = ''] = [
        ['approve', 'decline'],
        ['approve', 'more-needed'],
        ['decline', 'more-needed'],
        ['approve', 'approve'],
      ][round % 4] as string[];
      const answers = await scene.atOnce(
        () => decide(admin, one),
        () => decide(second, other),
      );
      expect(sortedStatuses(answers)).toEqual([200, 409]);
      const kept = answers[0].status === 200 ? one : other;
      const stored = { approve: 'approved', decline: 'declined', 'more-needed': 'more-needed' }[kept];
      expect(await status()).toBe(stored);
      expect((await scene.ofPatient(patient)).active).toBe(kept === 'approve' ? 1 : 0);
      expect(await scene.eventsOf('request.decided', id)).toBe(1);
    },
  },
  {
    acts: 'an approval, and the withdrawal by the user',
    holds: 'one of both happens, and the user acts only after the approval',
    async round(scene) {
      const { id, patient, decide, status } = await scene.asked();
      const [approved, taken] = await scene.atOnce(
        () => decide(scene.agents.second, 'approve'),
        () => ana(scene).send(`/api/requests/${id}`, { method: 'DELETE' }),
      );
      expect(approved.status === 200 ? [404, 409] : [204]).toContain(taken.status);
      expect(await status()).toBe(approved.status === 200 ? 'approved' : 'cancelled');
      expect((await scene.ofPatient(patient)).active).toBe(approved.status === 200 ? 1 : 0);
    },
  },
  {
    acts: 'the approval of another administrator, and a second one of the first',
    holds: 'two administrators have approved what is active',
    async round(scene) {
      const { id, patient, decide } = await scene.asked();
      scene.portal.has(patient, {
        identifier: (scene.portal.records.get(patient) as { identifier: object }).identifier,
        name: [{ given: ['Leon'], family: 'Duarte' }],
      });
      const more = { despiteDifference: true, currentPassword: passwords.administrator };
      const { admin, second } = scene.agents;
      const first = await decide(admin, 'approve', more);
      expect([first.status, first.text]).toEqual([200, expect.any(String)]);
      const { version } = first.json<{ version: number }>();
      const answers = await scene.atOnce(
        () => decide(admin, 'approve', { ...more, version }),
        () => decide(second, 'approve', { ...more, version }),
      );
      expect(statusesOf(answers)).toEqual([409, 200]);
      expect(await scene.ofPatient(patient)).toEqual({ active: 1, open: 0 });
      const [row] = await scene.query<{ first: string; last: string }>(
        "SELECT first_approval ->> 'by' AS first, decided_by ->> 'id' AS last FROM request WHERE id = $1",
        [id],
      );
      expect(row?.first).not.toBe(row?.last);
    },
  },
  {
    acts: 'an approval, and the block of the pair by a safeguarding end',
    holds: 'the request is not approved, and the pair is not active',
    async round(scene) {
      const { patient, decide, status } = await scene.asked();
      const live = await scene.acts(patient);
      const [ended, approved] = await scene.atOnce(
        () => scene.endByAdmin(live, 'safeguarding'),
        () => decide(scene.agents.second, 'approve'),
      );
      expect([ended.status, approved.status]).toEqual([200, 409]);
      expect(await status()).toBe('waiting');
      expect(await scene.ofPatient(patient)).toEqual({ active: 0, open: 0 });
    },
  },
  {
    acts: 'four ways into one pair: a file, a request, an invitation and a proposal',
    holds: 'one relationship is active, and the others are told that the pair has one',
    async round(scene) {
      await scene.query("UPDATE representation_relationship SET status = 'ended' WHERE patient = '2'");
      await scene.query('DELETE FROM representation_block');
      const { accept } = await scene.invited(scene.agents.noah);
      const { admin, second } = scene.agents;
      const voluntary = { email: family.ana.email, patient: '2', basis: 'voluntary', level: 'full' };
      const csv = `email,patient,basis,level\n${family.ana.email},2,voluntary,full\n`;
      const [imported, proposed, accepted, again] = await scene.atOnce(
        () => admin.post(`${path}/import`, { csv, dryRun: false }),
        () => second.post(path, voluntary),
        () => accept(ana(scene, 1)),
        () => admin.post(path, voluntary),
      );
      expect(imported.status).toBe(200);
      for (const { status } of [proposed, again]) expect([201, 409]).toContain(status);
      expect([200, 409]).toContain(accepted.status);
      const all = await scene.ofPatient('2');
      expect(all.active).toBeLessThanOrEqual(1);
      expect(all.open).toBeLessThanOrEqual(1);
      expect(all.active + all.open).toBeGreaterThan(0);
      const line = imported.json<{ lines: { becomes: string }[] }>().lines[0]?.becomes;
      if (line === 'active' || accepted.status === 200) expect(all.active).toBe(1);
    },
  },
  {
    acts: 'proposals of two administrators for one address without an account',
    holds: 'one account is made, with one mail, and the other administrator is told',
    async round(scene) {
      const [email, patient] = [scene.guest(), scene.child()];
      const body = { email, fullName: 'Tomás Reed', patient, basis: form.basis, level: 'full' };
      const { admin, second } = scene.agents;
      const answers = await scene.atOnce(
        () => admin.post(path, body),
        () => second.post(path, body),
      );
      expect(sortedStatuses(answers)).toEqual([201, 409]);
      expect(await scene.query('SELECT FROM account WHERE email = $1', [email])).toHaveLength(1);
      expect(await scene.ofPatient(patient)).toEqual({ active: 0, open: 1 });
    },
  },
  {
    acts: 'further files, a decision and the removal of old files',
    holds: 'an administrator approves only with the files that were there and opened',
    async round(scene) {
      const { id, patient, decide, status } = await scene.asked();
      const { id: file } = (await sendFile(ana(scene), aPdf(id))).json<{ id: string }>();
      const store = scene.part(RequestFileStore, 1);
      const [added, approved] = await scene.atOnce(
        () => ana(scene, 1).post(`/api/requests/${id}/files`, { files: [file] }),
        () => decide(scene.agents.second, 'approve'),
        () => store.purge(),
      );
      expect([
        [200, 409],
        [200, 400],
        [404, 200],
        [409, 200],
      ]).toContainEqual([added.status, approved.status]);
      expect(await status()).toBe(approved.status === 200 ? 'approved' : 'waiting');
      expect((await scene.ofPatient(patient)).active).toBe(approved.status === 200 ? 1 : 0);
      const [row] = await scene.query<{ request: string | null }>(
        'SELECT request_id AS request FROM request_file WHERE id = $1',
        [file],
      );
      expect(row).toEqual({ request: added.status === 200 ? id : null });
    },
  },
  {
    acts: 'an approval, and a node with other rules that connects',
    holds: 'it is approved before, or waits; after the node nothing is approved until it has gone',
    async round(scene) {
      const { patient, decide, status } = await scene.asked();
      const database = scene.part(Database);
      const node = new Notifications(scene.portal.connection, database);
      const { representation } = scene.portal.config;
      publishRules(node, {
        ...scene.portal.config,
        representation: { ...representation, ownAccountFrom: 11 },
      } as never);
      const [approved] = await scene.atOnce(
        () => decide(scene.agents.admin, 'approve'),
        () => node.onApplicationBootstrap(),
      );
      expect([200, 409]).toContain(approved.status);
      expect(await status()).toBe(approved.status === 200 ? 'approved' : 'waiting');
      expect((await scene.ofPatient(patient)).active).toBe(approved.status === 200 ? 1 : 0);
      await node.onModuleDestroy();
    },
  },
  {
    acts: 'an approval that was wrong is corrected, and the representative ends it',
    holds: 'nothing is active, and the representative has no card of the child',
    async round(scene) {
      const { id, patient, decide, status } = await scene.asked();
      const approved = await decide(scene.agents.admin, 'approve');
      const { version, relationshipId = '' } = approved.json<{ version: number; relationshipId: string }>();
      const correction = { version, note: 'The wrong child' };
      const [corrected, ended] = await scene.atOnce(
        () => scene.agents.second.post(`/api/admin/requests/${id}/error`, correction),
        () => scene.endBy(ana(scene), relationshipId),
      );
      expect(corrected.status).toBe(200);
      expect([204, 404, 409]).toContain(ended.status);
      expect(await status()).toBe('in-error');
      expect(await scene.stored(relationshipId)).toEqual({ status: 'ended', reason: 'in-error' });
      expect(await scene.ofPatient(patient)).toEqual({ active: 0, open: 0 });
      const cards = (await ana(scene).get('/api/representation')).json<{ lookedAfter: { id: string }[] }>().lookedAfter;
      expect(cards.filter((one) => one.id === relationshipId)).toEqual([]);
    },
  },
];
