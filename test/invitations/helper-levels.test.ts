import type { OwnRelationships } from '../../src/contract/representation.js';
import { Relationships } from '../../src/representation/domain/relationships.js';
import type { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { until } from '../support/until.js';

/** Ana helps Noah, who is Patient/2. */
let portal: FamilyPortal;
let sink: MailSink;
let ana: Agent;
let noah: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ nodes: 2, config: { email: sink.config } });
  [ana, noah] = await Promise.all([portal.as(family.ana), portal.as(family.noah, 1)]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(async () => {
  await portal.query('TRUNCATE representation_relationship CASCADE');
  await age();
});

/** The sign-ins are older than five minutes. */
const age = () =>
  portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 301))
      WHERE model = 'Session'`,
  );

async function anaHelps(members: object = {}): Promise<string> {
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const account = await portal.accountId(family.ana);
  const facts = { basis: 'voluntary', relation: 'helper', patient: '2', level: 'daily', decidedAt: new Date() };
  return (await relationships.add(aNewRelationship(account, { ...facts, ...members }))).id;
}

const change = (id: string, body: object, by = noah) =>
  by.send(`/api/representation/${id}/level`, { method: 'PUT', body: { seen: 'daily', ...body } });
const helper = async (id: string) =>
  (await noah.get('/api/representation')).json<OwnRelationships>().helpers.find((one) => one.id === id);
const proof = { currentPassword: family.noah.password };

describe('A patient changes what a representative may see', () => {
  it.each(['voluntary', 'power-of-attorney', 'court-appointed', 'carer'])('of the basis %s: less', async (basis) => {
    const id = await anaHelps({ basis });
    expect((await helper(id))?.levels.map((one) => one.id)).toContain('basics');
    expect((await change(id, { level: 'basics' })).status).toBe(204);
    expect(await helper(id)).toMatchObject({ level: { id: 'basics', label: 'Limited: the basics' } });
    const card = (await ana.get('/api/representation')).json<OwnRelationships>().lookedAfter[0];
    expect(card).toMatchObject({ level: { id: 'basics' }, levels: [] });
  });

  it('to more only with a proof of the patient', async () => {
    const id = await anaHelps();
    const unproven = await change(id, { level: 'full' });
    expect([unproven.status, unproven.json<{ codes: object[] }>().codes]).toEqual([
      400,
      [expect.objectContaining({ field: 'currentPassword' })],
    ]);
    expect((await change(id, { level: 'full', currentPassword: 'wrong' })).status).toBe(400);
    expect(await helper(id)).toMatchObject({ level: { id: 'daily' } });
  });

  it('to more, with a mail to the patient alone that names no user, and an audit event', async () => {
    const id = await anaHelps();
    const before = sink.received.length;
    expect((await change(id, { level: 'full', ...proof })).status).toBe(204);
    expect(await helper(id)).toMatchObject({ level: { id: 'full' } });
    await until(() => sink.received.length > before);
    const mails = sink.received.slice(before);
    expect(mails.map(({ to }) => to)).toEqual([[family.noah.email]]);
    expect(mails[0]?.mail.text).not.toContain('Ana');
    const [event] = await portal.query<{ detail: object }>(
      "SELECT detail FROM audit_event WHERE type = 'representation.changed' AND subject = $1",
      [id],
    );
    expect(event?.detail).toMatchObject({ from: 'daily', level: 'full' });
  });

  it('once, of two tabs or of two changes at the same time', async () => {
    const id = await anaHelps();
    expect((await change(id, { level: 'basics' })).status).toBe(204);
    expect((await change(id, { level: 'full', ...proof })).status).toBe(409);
    for (let round = 0; round < 5; round += 1) {
      await portal.query("UPDATE representation_relationship SET level = 'daily'");
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => change(id, { level: index % 2 ? 'basics' : 'full', ...proof })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409, 409, 409]);
    }
  });

  it('and is refused an unknown level, another state, and a relationship of others', async () => {
    const id = await anaHelps();
    expect((await change(id, { level: 'everything', ...proof })).status).toBe(400);
    expect((await change(id, { level: 'basics' }, ana)).status).toBe(404);
    expect((await change('unknown', { level: 'basics' })).status).toBe(404);
    await portal.query("UPDATE representation_relationship SET status = 'suspended', reason = 'patient-ended'");
    expect((await change(id, { level: 'basics' })).status).toBe(409);
  });
});
