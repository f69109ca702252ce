import type { InvitationFacts, InvitationList, InvitationWithCode } from '../../src/contract/invitations.js';
import type { OwnData } from '../../src/contract/own-record/own-data.js';
import type { OwnRelationship, OwnRelationships, RelationshipList } from '../../src/contract/representation.js';
import { Agent } from '../support/http/agent.js';
import { type MailSink, newLink, startMailSink } from '../support/mail-sink.js';
import { actingIn, jwtApp, relationshipsPath } from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { until } from '../support/until.js';

/** Noah is Patient/2, and invites Ana. */
let portal: FamilyPortal;
let sink: MailSink;
let noah: Agent;
let ana: Agent;
const acting = actingIn(() => portal);
const path = '/api/representation/invitations';
const types = ['DocumentReference', 'Appointment', 'Procedure'];

const labelled = { meta: { security: [{ code: 'MH' }] } };
const attachment = { content: [{ attachment: { url: 'https://files.test/letter' } }] };
const record = {
  'Condition/asthma': {},
  'Condition/panic': labelled,
  'Procedure/therapy': labelled,
  'Procedure/cast': {},
  'Observation/sugar': { category: [{ coding: [{ code: 'laboratory' }] }] },
  'Observation/pulse': { category: [{ coding: [{ code: 'vital-signs' }] }] },
  'DocumentReference/letter': attachment,
  'DocumentReference/session': { ...attachment, ...labelled },
};

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ nodes: 2, types, config: { email: sink.config, clients: [jwtApp] } });
  for (const [place, more] of Object.entries(record)) {
    const [resourceType, id = ''] = place.split('/');
    portal.records.set(id, { resourceType, id, subject: { reference: 'Patient/2' }, ...more });
  }
  [noah, ana] = await Promise.all([portal.as(family.noah), portal.as(family.ana, 1)]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(async () => {
  await portal.query('TRUNCATE representation_relationship CASCADE');
  await portal.query('DELETE FROM representation_invitation');
  await portal.query('DELETE FROM rate_limit');
});

const invite = (kinds: unknown, more: object = {}) =>
  noah.post(path, { fullName: 'Ana', email: family.ana.email, level: 'full', kinds, ...proof, ...more });
const proof = { currentPassword: family.noah.password };
const helper = async () =>
  (await noah.get('/api/representation')).json<OwnRelationships>().helpers[0] as OwnRelationship;
const change = (id: string, body: object) =>
  noah.send(`/api/representation/${id}/level`, { method: 'PUT', body: { level: 'full', ...body } });

/** Invites Ana, who accepts; returns what she was told before. */
async function accepted(kinds: string[], more: object = {}): Promise<InvitationFacts> {
  const { t: token, answer: sent } = await newLink(sink, family.ana.email, '/invitation', async () => {
    const answer = await invite(kinds, more);
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer;
  });
  const { id, spokenCode } = sent.json<InvitationWithCode>();
  const facts = await new Agent(portal.issuer).post(`/api/invitations/${id}/facts`, { token });
  const body = { token, spokenCode, isAdult: true, account: 'own' };
  expect((await ana.post(`/api/invitations/${id}/acceptance`, body)).json()).toMatchObject({ state: 'active' });
  return facts.json<InvitationFacts>();
}

/** What is answered for each resource of the record. */
async function statuses(token: string, places = Object.keys(record)): Promise<Record<string, number>> {
  const read = async (place: string) =>
    (await new Agent(portal.issuer).get(`/fhir/${place}`, { headers: { authorization: `Bearer ${token}` } })).status;
  return Object.fromEntries(await Promise.all(places.map(async (place) => [place, await read(place)])));
}

it('Patients are offered the kinds of the widest level one by one, sensitive ones last', async () => {
  const { bases } = (await noah.get(path)).json<InvitationList>();
  const { level, kinds } = bases[0]?.single ?? { level: '', kinds: [] };
  expect(level).toBe('full');
  expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Appointment', 'DocumentReference', 'Goal']));
  const firstSensitive = kinds.findIndex(({ isSensitive }) => isSensitive);
  expect(kinds.slice(firstSensitive).every(({ isSensitive }) => isSensitive)).toBe(true);
  expect(kinds.slice(firstSensitive).map(({ kind }) => kind)).toContain('?_security=MH');
});

it.each<[string, string[], string[]]>([
  ['conditions', ['Condition'], ['Condition/asthma']],
  ['laboratory results', ['Observation?category=laboratory'], ['Observation/sugar']],
  ['letters', ['DocumentReference'], ['DocumentReference/letter']],
  ['mental health alone, without letters', ['?_security=MH'], ['Condition/panic', 'Procedure/therapy']],
  [
    'letters and mental health',
    ['DocumentReference', '?_security=MH'],
    ['DocumentReference/letter', 'DocumentReference/session', 'Condition/panic', 'Procedure/therapy'],
  ],
])('An app of the helper reads %s, if these are chosen, and nothing else', async (_, kinds, expected) => {
  const { level } = await accepted(kinds);
  expect(level).toMatchObject({ isChosen: true, kinds: expect.arrayContaining(kinds) });
  expect(level.kinds).toHaveLength(kinds.length);
  const { tokens } = await acting.tokensFor('2');
  const found = await statuses(tokens.access_token);
  expect(
    Object.keys(found)
      .filter((place) => found[place] === 200)
      .sort(),
  ).toEqual([...expected].sort());
  const refused = Object.values(found).filter((status) => status !== 200);
  expect(refused.every((status) => status === 403 || status === 404)).toBe(true);
  expect((await statuses(tokens.access_token, ['Patient/2']))['Patient/2']).toBe(200);
});

it('An app is granted the chosen types alone, and the others are kept private on the consent page', async () => {
  await accepted(['Condition', 'Immunization']);
  const begun = await acting.beginFor('2', {
    scope: 'launch/patient patient/Condition.rs patient/MedicationRequest.rs',
  });
  const page = JSON.stringify(await acting.pageOf(begun));
  expect(await begun.app.offeredScopes(begun.returnUrl)).not.toContain('patient/MedicationRequest.rs');
  expect(page).toContain('"keptPrivate":["patient/MedicationRequest.rs"]');
  const { tokens } = await acting.tokensFor('2');
  const granted = tokens.scope.split(' ').filter((scope) => scope.startsWith('patient/'));
  expect(granted).toContain('patient/Condition.rs');
  expect(granted).not.toContain('patient/*.rs');
  expect(granted).not.toContain('patient/Observation.rs');
});

it.each<[string, unknown, string]>([
  ['no kind', [], 'choose one kind'],
  ['an unknown kind', ['Condition', 'Everything'], 'not known'],
  ['a kind that the level does not have', ['Claim'], 'do not permit'],
])('An invitation with %s is told so at the field', async (_, kinds, text) => {
  const answer = await invite(kinds, { level: 'daily' });
  expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'kinds' }] }]);
  expect(answer.text).toContain(text);
});

it('Kinds in the place of a level are refused', async () => {
  expect((await invite(undefined, { level: 'full Condition' })).json()).toMatchObject({ errors: [{ field: 'level' }] });
});

it('The patient changes the kinds: to less at once, to more with a proof, and an open app follows', async () => {
  await accepted(['Condition', 'Procedure']);
  const { tokens } = await acting.tokensFor('2');
  const { id, level, single } = await helper();
  expect(single?.kinds.find(({ kind }) => kind === 'Condition')).toMatchObject({ isMore: false });
  expect(single?.kinds.find(({ kind }) => kind === 'Appointment')).toMatchObject({ isMore: true });
  expect((await change(id, { seen: level.id, kinds: ['Procedure'] })).status).toBe(204);
  const places = ['Condition/asthma', 'Procedure/cast'];
  expect(await statuses(tokens.access_token, places)).toEqual({ 'Condition/asthma': 403, 'Procedure/cast': 200 });
  const { level: seen } = await helper();
  await portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 301))
      WHERE model = 'Session'`,
  );
  const more = { seen: seen.id, kinds: ['Procedure', '?_security=MH'] };
  expect((await change(id, more)).json()).toMatchObject({ errors: [{ field: 'currentPassword' }] });
  expect((await change(id, { ...more, currentPassword: family.noah.password })).status).toBe(204);
  expect((await helper()).level).toMatchObject({ isChosen: true, kinds: ['Procedure', '?_security=MH'] });
  expect((await change(id, { seen: seen.id, kinds: ['Procedure'] })).status).toBe(409);
  expect((await change(id, { seen: (await helper()).level.id, level: 'basics' })).status).toBe(400);
});

it('A change of the kinds counts on the other node as well', async () => {
  await accepted(['Condition', 'Procedure']);
  const { tokens } = await acting.tokensFor('2');
  const { id, level } = await helper();
  const onOther = async () => {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await new Agent(portal.issuer, portal.ports[1]).get('/fhir/Condition/asthma', { headers })).status;
  };
  expect(await onOther()).toBe(200);
  expect((await change(id, { seen: level.id, kinds: ['Procedure'] })).status).toBe(204);
  await until(async () => (await onOther()) === 403);
});

it('Of changes in two tabs at the same time one counts, and the other is told', async () => {
  await accepted(['Condition', 'Procedure']);
  const other = await portal.as(family.noah, 1);
  const { id, level } = await helper();
  const sent = [
    [noah, 'Procedure'],
    [other, 'Condition'],
  ] as const;
  const answers = await Promise.all(
    sent.map(([by, kind]) =>
      by.send(`/api/representation/${id}/level`, {
        method: 'PUT',
        body: { seen: level.id, level: 'full', kinds: [kind] },
      }),
    ),
  );
  const done = answers.map(({ status }) => status);
  expect(done.toSorted()).toEqual([204, 409]);
  expect((await helper()).level.kinds).toEqual([sent[done.indexOf(204)]?.[1]]);
});

it('Administrators see the kinds with the level, and may propose such a level', async () => {
  await accepted(['Condition']);
  const admin = await acting.admin();
  const listed = (await admin.get(`${relationshipsPath}?patient=2`)).json<RelationshipList>().relationships;
  expect(listed).toMatchObject([{ level: 'full Condition', status: 'active' }]);
  const propose = (level: string) =>
    admin.post(relationshipsPath, { email: family.ana.email, patient: 'mia', basis: 'carer', level });
  expect((await propose('full Unknown')).json()).toMatchObject({ errors: [{ field: 'level' }] });
  expect((await propose('full Condition Goal')).json()).toMatchObject({ level: 'full Condition Goal' });
});

it('The files of both sides name the chosen kinds in words, next to what machines read', async () => {
  await accepted(['Procedure', 'Condition', '?_security=MH']);
  const levelIn = async (agent: Agent, side: 'lookedAfter' | 'helpers') => {
    const password = agent === noah ? family.noah.password : family.ana.password;
    const made = (await agent.post('/api/user/data', { currentPassword: password })).json<{ address: string }>();
    return (await agent.get(`/api${made.address}`)).json<OwnData>().representation?.[side][0]?.level;
  };
  const level = {
    id: 'full ?_security=MH Condition Procedure',
    kinds: expect.arrayContaining(['Condition', 'Procedure', '?_security=MH']),
    inWords: 'Chosen kinds: Conditions, Procedures, and mental health',
  };
  expect(await levelIn(noah, 'helpers')).toMatchObject(level);
  expect(await levelIn(ana, 'lookedAfter')).toMatchObject(level);
});
