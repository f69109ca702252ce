import type { RelationshipImport } from '../../src/contract/representation/import.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import type { RequestList } from '../../src/contract/requests.js';
import { Agent, type Answer } from '../support/http/agent.js';
import {
  anAdminNamedLikeAna,
  anAdminWithAnasRecord,
  ask,
  type RequestPortal,
  recordOf,
  review,
  startRequestPortal,
} from '../support/representation/asked.js';
import { family } from '../support/representation/family-portal.js';
import { managementToken } from '../support/representation/wrong-input.js';

let portal: RequestPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;
let byName: Agent;
let byRecord: Agent;

beforeAll(async () => {
  portal = await startRequestPortal();
  ({ admin, second, ana, noah } = portal.agents);
  await portal.query('UPDATE account SET claims = $2 WHERE email = $1', [
    anAdminWithAnasRecord.email,
    JSON.stringify([{ name: 'fhirUser', value: 'https://fhir.example.org/Patient/1' }]),
  ]);
  [byName, byRecord] = await Promise.all([portal.as(anAdminNamedLikeAna), portal.as(anAdminWithAnasRecord)]);
});

afterAll(() => portal.close());

beforeEach(() => portal.forget());

const path = '/api/admin/representation';
const note = 'Seen';
const young = { birthDate: '2012-05-10' };

async function proposed(patient = {}, more = {}): Promise<RelationshipView> {
  const proposal = { email: family.ana.email, basis: 'parental-responsibility', level: 'full', ...more };
  return (await admin.post(path, { patient: recordOf(portal.aChild(patient)), ...proposal })).json<RelationshipView>();
}

const decideBy = (by: Agent, { id }: { id: string }, more: object) =>
  by.post(`${path}/${id}/decision`, { note, ...more });

async function active(patient = {}, more = {}): Promise<RelationshipView> {
  const one = await proposed(patient, more);
  const answer = await decideBy(admin, one, { decision: 'approve' });
  expect(answer.status).toBe(200);
  return one;
}

async function suspended(): Promise<RelationshipView> {
  const one = await active();
  await portal.query("UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1", [
    one.id,
  ]);
  return one;
}

async function question() {
  const kept = { patient: '2', basis: 'power-of-attorney' };
  await portal.query("UPDATE representation_relationship SET status = 'ended', reason = 'period' WHERE patient = '2'");
  const one = await active({}, kept);
  await noah.post(`/api/representation/${one.id}/end`, {});
  const { requests } = (await admin.get('/api/admin/requests')).json<RequestList>();
  return requests.find(({ kind }) => kind === 'patient-ended') as { id: string };
}

/** Decides as {@link decide}, with files that were opened by administrators who may. */
async function answerBy(by: Agent, { id }: { id: string }, more: object): Promise<Answer> {
  const { version, comparison } = await review(admin, id);
  const terms = { basis: 'parental-responsibility', level: 'full', relation: 'mother' };
  const form = { version, note, seen: [], patient: comparison?.patient, ...terms, ...more };
  return by.post(`/api/admin/requests/${id}/decision`, form);
}

const request = (patient = {}, more = {}) => ask(ana, portal.aChild(patient), more, []);

/** What an administrator decides: what is prepared, and the call. */
const decisions: [name: string, prepare: () => Promise<unknown>, call: (by: Agent, one: never) => Promise<Answer>][] = [
  ['approves a proposal', proposed, (by, one) => decideBy(by, one, { decision: 'approve' })],
  ['approves another level', proposed, (by, one) => decideBy(by, one, { decision: 'approve', level: 'basics' })],
  ['declines a proposal', proposed, (by, one) => decideBy(by, one, { decision: 'decline' })],
  ['asks for more', proposed, (by, one) => decideBy(by, one, { decision: 'more-needed' })],
  [
    'approves as the second one',
    async () => {
      const one = await proposed(young);
      await decideBy(admin, one, { decision: 'approve', exceedsTable: true });
      return one;
    },
    (by, one) => decideBy(by, one, { decision: 'approve', exceedsTable: true }),
  ],
  ['confirms', suspended, (by, { id }: RelationshipView) => by.post(`${path}/${id}/confirmation`, { note })],
  [
    'lifts a block',
    async () => {
      const one = await active();
      await admin.post(`${path}/${one.id}/end`, { reason: 'safeguarding', note });
      return one;
    },
    (by, { id }: RelationshipView) => by.post(`${path}/${id}/block/lift`, {}),
  ],
  [
    'records an agreement',
    () => active({ birthDate: '2009-05-10' }, { level: 'basics' }),
    (by, { id }: RelationshipView) => by.post(`${path}/${id}/agreement`, { step: 16, isAgreed: true, note }),
  ],
  ['approves a request', request, (by, one) => answerBy(by, one, { decision: 'approve' })],
  ['declines a request', request, (by, one) => answerBy(by, one, { decision: 'decline' })],
  ['asks for more of a request', request, (by, one) => answerBy(by, one, { decision: 'more-needed' })],
  [
    'approves a request as the second one',
    async () => {
      const one = await request(young, young);
      await answerBy(admin, one, { decision: 'approve', exceedsTable: true });
      return one;
    },
    (by, one) => answerBy(by, one, { decision: 'approve', exceedsTable: true }),
  ],
  ['answers that it continues', question, (by, one) => answerBy(by, one, { decision: 'approve' })],
  ['answers that it ends', question, (by, one) => answerBy(by, one, { decision: 'decline' })],
  [
    'answers a change that the patient asks for',
    async () => {
      await portal.query(
        "UPDATE representation_relationship SET status = 'ended', reason = 'period' WHERE patient = '2'",
      );
      const { id: relationship } = await active({}, { patient: '2', basis: 'voluntary' });
      return (await noah.post('/api/requests/change', { relationship, statement: 'Less' })).json();
    },
    (by, one) => answerBy(by, one, { decision: 'approve' }),
  ],
  [
    'says that an approval was an error',
    async () => {
      const one = await request();
      expect((await answerBy(admin, one, { decision: 'approve' })).status).toBe(200);
      return one;
    },
    async (by, { id }: { id: string }) => {
      const { version } = await review(admin, id);
      return by.post(`/api/admin/requests/${id}/error`, { version, note });
    },
  ],
];

/** By account and by mail address: the domain's tests. No administrator's account is that of a representative. */
const parties: [how: string, agent: () => Agent][] = [
  ['by name', () => byName],
  ['by record', () => byRecord],
];

describe.each(parties)('An administrator who is a side %s', (_, agent) => {
  it.each(decisions)('never %s; another one does', async (__, prepare, call) => {
    const one = (await prepare()) as never;
    const refused = await call(agent(), one);
    expect([refused.status, refused.json()]).toMatchObject([403, { codes: [{ code: 'representation-own-case' }] }]);
    expect((await call(second, one)).status).toBe(200);
  });

  it('confirms none of many in which they are a side', async () => {
    const { id } = await suspended();
    const answer = await agent().post(`${path}/confirmations`, { relationships: [id], note });
    expect(answer.json()).toEqual({ results: [{ id, status: 403 }] });
  });

  it('only proposes what they import', async () => {
    const csv = `email,patient,basis,level\n${family.ana.email},${recordOf(portal.aChild())},parental-responsibility,full\n`;
    const imported = (await agent().post(`${path}/import`, { csv, dryRun: false })).json<RelationshipImport>();
    expect(imported.lines).toEqual([{ line: 2, becomes: 'proposed', reason: 'own-case' }]);
  });

  it('names no RelatedPerson of the account', async () => {
    const id = await portal.accountId(family.ana);
    const answer = await agent().send(`${path}/account/${id}/references`, {
      method: 'PUT',
      body: { references: ['RelatedPerson/mother'] },
    });
    expect(answer.status).toBe(403);
  });
});

describe('A client with a management token', () => {
  let service: Agent;

  beforeAll(async () => {
    service = new Agent(portal.issuer);
    const headers = { authorization: `Bearer ${await managementToken(service)}` };
    const post = service.post.bind(service);
    service.post = (address, body) => post(address, body, { headers });
  });

  const refused: [name: string, status: number, code: string][] = [
    ['approves as the second one', 409, 'representation-second-person'],
    ['lifts a block', 409, 'representation-second-person'],
    ['approves a request', 403, 'access-people-only'],
    ['declines a request', 403, 'access-people-only'],
    ['asks for more of a request', 403, 'access-people-only'],
    ['approves a request as the second one', 403, 'access-people-only'],
    ['answers that it continues', 403, 'access-people-only'],
    ['answers a change that the patient asks for', 403, 'access-people-only'],
    ['says that an approval was an error', 403, 'access-people-only'],
  ];

  it.each(refused)('never %s: %i %s; an administrator does', async (name, status, code) => {
    const [, prepare, call] = decisions.find(([known]) => known === name) as (typeof decisions)[number];
    const one = (await prepare()) as never;
    const answer = await call(service, one);
    expect([answer.status, answer.json()]).toMatchObject([status, { codes: [{ code }] }]);
    expect((await call(second, one)).status).toBe(200);
  });
});
