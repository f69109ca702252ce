import { sortedStatuses, type Way } from './scene.js';

const ended = 'after its answer nothing of it reads on either node within two seconds, and nothing is left of it';
const oneOf = (statuses: number[]) => (status: number) => expect(statuses).toContain(status);

/** What apps do while a relationship ends or changes. */
export const waysOfAccess: Way[] = [
  {
    acts: 'an end, and refreshes on both nodes',
    holds: ended,
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { app, tokens } = await scene.held(patient, round);
      const refresh = (node: number) => app.refresh(tokens.refresh_token ?? '', {}, scene.node(node));
      const [one, other, end] = await scene.atOnce(
        () => refresh(0),
        () => refresh(1),
        () => scene.endByAdmin(id),
      );
      expect(end.status).toBe(200);
      for (const { status } of [one, other]) oneOf([200, 400])(status);
      const late = [one, other]
        .filter(({ status }) => status === 200)
        .map((answer) => ({ app, tokens: answer.json() }));
      await scene.expectEnded(id, patient, [{ app, tokens }, ...(late as never[])]);
    },
  },
  {
    acts: 'an end, and reads on both nodes',
    holds: ended,
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const held = await scene.held(patient, round);
      const read = (node: number) => scene.read(held.tokens.access_token, patient, node);
      const [end, ...reads] = await scene.atOnce(
        () => scene.endBy(scene.ana.browsers[1] as never, id),
        ...[0, 1, 0, 1].map((node) => () => read(node)),
      );
      expect(end?.status).toBe(204);
      for (const { status } of reads) oneOf([200, 401, 403])(status);
      await scene.expectEnded(id, patient, [held], 1);
    },
  },
  {
    acts: 'an end, and the exchange of a code',
    holds: ended,
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { app, code } = await scene.code(patient, round);
      const [end, exchanged] = await scene.atOnce(
        () => scene.endByAdmin(id),
        () => app.exchange(code, {}, scene.node(1)),
      );
      expect(end.status).toBe(200);
      oneOf([200, 400])(exchanged.status);
      await scene.expectEnded(id, patient, exchanged.status === 200 ? [{ app, tokens: exchanged.json() }] : []);
    },
  },
  {
    acts: 'an end, and *Accept* on the consent page',
    holds: ended,
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { consent } = await scene.atConsent(patient, round);
      const [end, consented] = await scene.atOnce(
        () => scene.endByAdmin(id, 'administrator', scene.agents.second),
        consent,
      );
      expect(end.status).toBe(200);
      oneOf([204, 409])(consented.status);
      await scene.expectEnded(id, patient, []);
    },
  },
  {
    acts: 'an end, and the choice of the patient',
    holds: 'the app gets nothing for the patient, and never the record of the user instead',
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { app, returnUrl, choose } = await scene.atChoice(round);
      const [end, chosen] = await scene.atOnce(
        () => scene.endByAdmin(id),
        () => choose(patient),
      );
      expect(end.status).toBe(200);
      oneOf([200, 400, 409])(chosen.status);
      const landed = new URL(await app.follow(returnUrl));
      expect(landed.searchParams.has('code')).toBe(false);
      await scene.expectEnded(id, patient, []);
    },
  },
  {
    acts: 'a lower level, and reads and a refresh',
    holds: 'within two seconds neither node shows what the level withholds, and what it permits still reads',
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { app, tokens } = await scene.held(patient, round);
      const lower = () => scene.relationships(round % 2).change(id, ['active'], { level: 'basics' });
      const [, refreshed] = await scene.atOnce(lower, () => app.refresh(tokens.refresh_token ?? '', {}, scene.node(1)));
      expect(refreshed.status).toBe(200);
      const since = Date.now();
      for (const node of [0, 1]) {
        const read = () => scene.read(tokens.access_token, patient, node, 'Condition');
        await scene.soon(since, read, (status) => status !== 200);
        const withheld = await scene.read(tokens.access_token, patient, node, 'Condition');
        const shown = await scene.read(tokens.access_token, patient, node, 'Immunization');
        expect([withheld.status, shown.status]).toEqual([403, 200]);
      }
    },
  },
  {
    acts: 'a lower level, and *Accept* on the consent page',
    holds: 'what the page offered is granted for the level of that moment, and never read beyond the new one',
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { app, returnUrl, consent } = await scene.atConsent(patient, round);
      const [consented] = await scene.atOnce(consent, () =>
        scene.relationships(1).change(id, ['active'], { level: 'basics' }),
      );
      oneOf([204, 409])(consented.status);
      if (consented.status === 409) return;
      const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
      const answer = await app.exchange(code);
      expect(answer.status).toBe(200);
      const { access_token: token } = answer.json<{ access_token: string }>();
      for (const node of [0, 1]) expect((await scene.read(token, patient, node)).status).toBe(403);
    },
  },
  {
    acts: 'two changes of the level',
    holds: 'one of both is stored, and both nodes decide by it',
    async round(scene, round) {
      const patient = scene.child();
      const id = await scene.acts(patient);
      const { tokens } = await scene.held(patient, round);
      const change = (node: number, level: string) => () => scene.relationships(node).change(id, ['active'], { level });
      await scene.atOnce(change(0, 'basics'), change(1, 'full'));
      const { level } = (await scene.relationships().findById(id)) ?? {};
      const since = Date.now();
      const expected = level === 'full' ? 200 : 403;
      for (const node of [0, 1]) {
        const read = () => scene.read(tokens.access_token, patient, node);
        await scene.soon(since, read, (status) => status === expected);
      }
    },
  },
  {
    acts: 'ends by the representative, the patient and two administrators',
    holds: 'it ends once, with one receipt for the app',
    async round(scene, round) {
      const id = await scene.acts('2', { basis: 'voluntary', relation: 'helper' });
      const held = await scene.held('2', round);
      const { admin, second, noah } = scene.agents;
      const answers = await scene.atOnce(
        () => scene.endBy(scene.ana.browsers[0] as never, id),
        () => scene.endBy(noah, id),
        () => scene.endByAdmin(id, 'administrator', admin),
        () => scene.endByAdmin(id, 'administrator', second),
      );
      const [first, ...others] = sortedStatuses(answers);
      expect([200, 204]).toContain(first);
      expect(others).toEqual([409, 409, 409]);
      expect(await scene.eventsOf('representation.ended', id)).toBe(1);
      await scene.expectEnded(id, '2', [held]);
    },
  },
  {
    acts: 'the deletion of the account of the representative, a refresh and a decision',
    holds: 'no token is left, and no relationship permits',
    async round(scene, round) {
      const { id: account, email, browsers } = await scene.spare();
      const patient = scene.child();
      const other = scene.child();
      await scene.acts(patient, {}, account);
      const { app, tokens } = await scene.held(patient, round, browsers[0]);
      const open = await scene.acts(other, { status: 'proposed' }, account);
      const path = '/api/admin/representation';
      const [deleted, refreshed, decided] = await scene.atOnce(
        () => scene.agents.admin.send(`/api/admin/user/${account}`, { method: 'DELETE' }),
        () => app.refresh(tokens.refresh_token ?? '', {}, scene.node(1)),
        () => scene.agents.second.post(`${path}/${open}/decision`, { decision: 'approve', note: 'Seen' }),
      );
      expect([deleted.status, email]).toEqual([204, expect.any(String)]);
      oneOf([200, 400])(refreshed.status);
      oneOf([200, 409])(decided.status);
      const newest = refreshed.status === 200 ? refreshed.json<typeof tokens>() : tokens;
      for (const node of [0, 1]) {
        expect((await app.refresh(newest.refresh_token ?? '', {}, scene.node(node))).status).toBe(400);
        expect([401, 403]).toContain((await scene.read(newest.access_token, patient, node)).status);
      }
      const left = await scene.query('SELECT FROM representation_relationship WHERE account_id = $1', [account]);
      const records = await scene.query('SELECT FROM oidc_record WHERE account_id = $1', [account]);
      expect([left, records]).toEqual([[], []]);
    },
  },
];
