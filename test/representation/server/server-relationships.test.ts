import type { AccountRelationships } from '../../../src/contract/representation/administration.js';
import type { OwnRelationships, RelationshipView } from '../../../src/contract/representation.js';
import { LevelApprovals } from '../../../src/representation/application/levels/level-approvals.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { relationshipsChanged } from '../../../src/representation/domain/relationships.js';
import type { Agent } from '../../support/http/agent.js';
import { tellNodes } from '../../support/portal/portal.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { eventually } from '../../support/until.js';

let portal: FamilyPortal;
let admin: Agent;
let second: Agent;
let access: RepresentedAccess;
let ana: string;
let children = 0;
/** Minutes that have passed. */
let minutes = 0;

beforeAll(async () => {
  portal = await startFamilyPortal({
    config: {
      representation: {
        source: 'server',
        relationshipCodes: [
          { code: 'http://role|MTH', basis: 'parental-responsibility', level: 'full', relation: 'mother' },
          { code: 'http://role|CGV', basis: 'parental-responsibility', level: 'basics' },
          { code: 'http://role|NOK', basis: 'carer', level: 'daily' },
          { code: 'http://role|CHILD', basis: 'voluntary', level: 'full' },
          { code: 'http://role|ECON', basis: 'carer', level: 'basics' },
        ],
      },
    },
  });
  [admin, second] = await Promise.all([portal.as(family.admin), portal.as(family.secondAdmin)]);
  ana = await portal.accountId(family.ana);
  access = portal.apps[0]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;
});

afterAll(() => portal.close());

const path = '/api/admin/representation';
const ownPath = '/api/representation';
const now = () => new Date(Date.now() + minutes * 60_000);
const mother = (id: string, more: object = {}) => ({
  ...{ resourceType: 'RelatedPerson', id: `of-${id}`, active: true, patient: { reference: `Patient/${id}` } },
  relationship: [{ coding: [{ system: 'http://role', code: 'MTH' }] }],
  ...more,
});

/** A child whom the server relates to Ana. */
function aChild(more: object = {}): string {
  children += 1;
  const id = `child-${children}`;
  portal.has(id);
  portal.records.set(`of-${id}`, mother(id, more));
  return id;
}

const name = (account: string, references: string[]) =>
  admin.send(`${path}/account/${account}/references`, { method: 'PUT', body: { references } });
const names = (...patients: string[]) =>
  name(
    ana,
    patients.map((id) => `RelatedPerson/of-${id}`),
  );
/** Whom Ana may act for, as an app would be told in six minutes. */
async function represented(): Promise<string[]> {
  minutes += 6;
  const { patients } = await access.allOf(ana, undefined, now());
  return patients.map(({ relationship }) => relationship.patient);
}
const stored = async (patient: string) =>
  (await admin.get(`${path}?patient=${patient}`)).json<{ relationships: RelationshipView[] }>().relationships;
const decision = (patient: string) => access.forRequest({ account: ana, tenant: undefined, patient, at: now() });

describe('A RelatedPerson of the FHIR server', () => {
  it('lets its account act for its patient, as the server says', async () => {
    const child = aChild({ period: { end: '2099-12' } });
    await names(child);
    expect(await represented()).toEqual([child]);
    expect(await stored(child)).toMatchObject([
      {
        ...{ status: 'active', level: 'full', relation: 'mother', end: '2099-12-31' },
        ...{ relatedPerson: `RelatedPerson/of-${child}`, proposedBy: { kind: 'server' } },
      },
    ]);
    expect(await decision(child)).toMatchObject({ permitted: true });
    const { references } = (await admin.get(`${path}/account/${ana}`)).json<AccountRelationships>();
    expect(references).toEqual([{ tenant: null, reference: `RelatedPerson/of-${child}` }]);
  });

  it('may name its patient by the address of the server, as a Person its links', async () => {
    const child = aChild();
    const { url } = portal.upstream;
    portal.records.set(`of-${child}`, mother(child, { patient: { reference: `${url}/Patient/${child}/_history/1` } }));
    portal.records.set('ana', {
      ...{ resourceType: 'Person', id: 'ana' },
      link: [{ target: { reference: `${url}/RelatedPerson/of-${child}` } }],
    });
    await name(ana, ['Person/ana']);
    expect(await represented()).toEqual([child]);
  });

  it('is found by the Person of the account', async () => {
    const child = aChild();
    portal.records.set('ana', {
      ...{ resourceType: 'Person', id: 'ana' },
      link: [{ target: { reference: `RelatedPerson/of-${child}` } }],
    });
    await name(ana, ['Person/ana']);
    expect(await represented()).toEqual([child]);
  });

  it.each([
    ['is inactive', { active: false }],
    ['does not say that it is active', { active: undefined }],
    ['has a code that is not configured', { relationship: [{ coding: [{ system: 'http://role', code: 'SIS' }] }] }],
    ['is over', { period: { end: '2020-01-01' } }],
    ['is of a patient of another server', { patient: { reference: 'https://other.example/Patient/leo' } }],
    ['names its patient by an identifier alone', { patient: { identifier: { system: 'urn:mrn', value: 'leo' } } }],
    ['is of the account itself', { patient: { reference: 'Patient/1' } }],
    ['is of a patient whom the server does not have', { patient: { reference: 'Patient/gone' } }],
  ])('gives nothing if it %s', async (_, more) => {
    await names(aChild(more));
    expect(await represented()).toEqual([]);
  });

  it('ends what it gave within five minutes, and can give it again', async () => {
    const child = aChild();
    await names(child);
    await represented();
    portal.records.set(`of-${child}`, mother(child, { active: false }));
    minutes += 4;
    expect(await decision(child)).toMatchObject({ permitted: true });
    minutes += 2;
    expect(await decision(child)).toEqual({ permitted: false, cause: 'ended' });
    expect(await stored(child)).toMatchObject([{ status: 'ended', reason: 'server' }]);
    portal.records.set(`of-${child}`, mother(child));
    expect(await represented()).toEqual([child]);
  });

  it('changes the level of what it gave', async () => {
    const child = aChild();
    await names(child);
    await represented();
    const carer = { relationship: [{ coding: [{ system: 'http://role', code: 'CGV' }] }] };
    portal.records.set(`of-${child}`, mother(child, carer));
    await represented();
    expect(await stored(child)).toMatchObject([{ status: 'active', level: 'basics' }]);
  });

  it('does not take back what the patient gave in its place, and is never less', async () => {
    const relatedTo = (code: string) => mother('2', { relationship: [{ coding: [{ system: 'http://role', code }] }] });
    portal.records.set('of-2', relatedTo('NOK'));
    await names('2');
    await represented();
    const noah = await portal.as(family.noah);
    const give = async (body: object) => {
      const [{ id } = { id: '' }] = await stored('2');
      return noah.send(`${ownPath}/${id}/level`, { method: 'PUT', body: { level: 'full', ...body } });
    };
    expect((await give({ seen: 'daily', kinds: ['Condition', 'Immunization'] })).status).toBe(204);
    await represented();
    const level = 'full Condition Immunization';
    const decidedBy = { kind: 'account', id: await portal.accountId(family.noah) };
    expect(await stored('2')).toMatchObject([{ status: 'active', level, decidedBy, proposedBy: { kind: 'server' } }]);
    portal.records.set('of-2', relatedTo('ECON'));
    await represented();
    expect(await stored('2')).toMatchObject([{ level: 'basics' }]);
    expect((await give({ seen: 'basics', kinds: ['Immunization'] })).status).toBe(204);
    portal.records.set('of-2', relatedTo('NOK'));
    await represented();
    expect(await stored('2')).toMatchObject([{ level: 'full Immunization' }]);
  });

  it('gives at most its own level, by patients and by administrators, and that one again after less', async () => {
    portal.records.set('of-2', mother('2', { relationship: [{ coding: [{ system: 'http://role', code: 'NOK' }] }] }));
    await names('2');
    await represented();
    const noah = await portal.as(family.noah);
    const card = async () =>
      (await noah.get(ownPath)).json<OwnRelationships>().helpers.find(({ status }) => status === 'active');
    const give = async (level: string, kinds?: string[]) => {
      const { id, level: seen } = (await card()) ?? {};
      const answer = await noah.send(`${ownPath}/${id}/level`, {
        method: 'PUT',
        body: { seen: seen?.id, level, ...(kinds && { kinds }) },
      });
      return [answer.status, answer.status === 204 ? [] : answer.json<{ errors: object[] }>().errors];
    };
    const most = 'The record of the hospital gives no more than “Limited: daily care”.';
    const offered = async () => {
      const { levels = [], single, atMost } = (await card()) ?? {};
      return {
        levels: levels.map(({ id }) => id),
        hasLetters: single?.kinds.some(({ kind }) => kind === 'DocumentReference'),
        atMost,
      };
    };
    const expected = { levels: ['daily', 'basics'], hasLetters: false, atMost: 'Limited: daily care' };
    expect(await offered()).toEqual(expected);
    expect(await give('full')).toEqual([400, [expect.objectContaining({ field: 'level', messages: [most] })]]);
    expect(await give('full', ['DocumentReference'])).toEqual([
      400,
      [expect.objectContaining({ field: 'kinds', messages: [most] })],
    ]);
    expect((await give('basics'))[0]).toBe(204);
    await represented();
    // What the server gives stays known while less counts.
    expect(await offered()).toEqual(expected);
    expect(await give('full')).toEqual([400, [expect.objectContaining({ field: 'level', messages: [most] })]]);
    const [{ id } = { id: '' }] = await stored('2');
    const approvals = portal.apps[0]?.get(LevelApprovals, { strict: false }) as LevelApprovals;
    const { levels } = (await approvals.choicesFor(id, undefined)) ?? {};
    expect(levels?.map((one) => one.id)).toEqual(['daily', 'basics']);
    const last = { id: await portal.accountId(family.admin), isService: false };
    const full = { level: 'full', exceedsTable: false, until: null, step: undefined };
    await expect(approvals.approve(id, full, { first: undefined, last, note: 'Seen' })).rejects.toMatchObject({
      options: { items: [{ field: 'level', messages: [{ code: 'representation-level-above-server' }] }] },
    });
    expect((await give('daily'))[0]).toBe(204);
    await represented();
    expect(await stored('2')).toMatchObject([{ level: 'daily', serverLevel: 'daily' }]);
    portal.records.set('of-2', mother('2', { relationship: [{ coding: [{ system: 'http://role', code: 'CHILD' }] }] }));
    await represented();
    expect(await offered()).toMatchObject({ levels: ['full', 'daily', 'basics'], atMost: null });
  });

  it('gives the patient again when the server extends a period that was over', async () => {
    const child = aChild({ period: { end: '2099-01-01' } });
    await names(child);
    await represented();
    await portal.query(
      "UPDATE representation_relationship SET status = 'ended', reason = 'period' WHERE patient = $1",
      [child],
    );
    await tellNodes(portal, relationshipsChanged);
    portal.records.set(`of-${child}`, mother(child, { period: { end: '2020-01-01' } }));
    expect(await represented()).toEqual([]);
    portal.records.set(`of-${child}`, mother(child, { period: { end: '2099-01-01' } }));
    expect(await represented()).toEqual([child]);
  });

  it('of which an earlier one is over counts by the present one', async () => {
    const child = aChild({ period: { end: '2020-01-01' } });
    portal.records.set(`z-${child}`, { ...mother(child), id: `z-${child}` });
    await name(ana, [`RelatedPerson/of-${child}`, `RelatedPerson/z-${child}`]);
    expect(await represented()).toEqual([child]);
    expect(await stored(child)).toMatchObject([{ status: 'active', relatedPerson: `RelatedPerson/z-${child}` }]);
  });

  it('gives all patients of a Person that is linked with many', async () => {
    const children = Array.from({ length: 60 }, () => aChild());
    const link = children.map((child) => ({ target: { reference: `RelatedPerson/of-${child}` } }));
    portal.records.set('ana', { resourceType: 'Person', id: 'ana', link });
    await name(ana, ['Person/ana']);
    expect((await represented()).sort()).toEqual([...children].sort());
    await name(ana, []);
    expect(await represented()).toEqual([]);
  });

  it('never revives what was ended here, nor a blocked pair', async () => {
    for (const reason of ['administrator', 'safeguarding']) {
      const child = aChild();
      await names(child);
      await represented();
      const [{ id } = { id: '' }] = await stored(child);
      await admin.post(`${path}/${id}/end`, { reason, note: 'Seen' });
      expect(await represented()).toEqual([]);
      await admin.post(`${path}/${id}/block/lift`, {});
      await second.post(`${path}/${id}/block/lift`, {});
      expect(await represented()).toEqual([]);
    }
  });

  it('is not looked at where the pair has an own relationship', async () => {
    const child = aChild({ active: false });
    const form = { account: ana, patient: child, basis: 'parental-responsibility', level: 'full' };
    const { id } = (await admin.post(path, form)).json<{ id: string }>();
    await names(child);
    expect(await represented()).toEqual([]);
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
    await eventually(async () => expect(await represented()).toEqual([child]));
    portal.records.set(`of-${child}`, mother(child, { relationship: [{ coding: [{ code: 'SIS' }] }] }));
    expect(await represented()).toEqual([child]);
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Seen' });
  });

  it('gives nothing any more where the configuration does not say so', async () => {
    const child = aChild();
    await names(child);
    await represented();
    const { representation } = portal.config;
    Object.assign(representation ?? {}, { source: 'portal' });
    expect(await represented()).toEqual([]);
    Object.assign(representation ?? {}, { source: 'server' });
    expect(await represented()).toEqual([child]);
  });

  it('counts as it was read last while it cannot be read', async () => {
    const child = aChild();
    await names(child);
    await represented();
    portal.records.set(`of-${child}`, { resourceType: 'OperationOutcome', id: 'broken', issue: [] });
    expect(await represented()).toEqual([child]);
    portal.records.delete(`of-${child}`);
    expect(await represented()).toEqual([]);
  });
});

describe('A reference', () => {
  it('belongs to one account', async () => {
    const noah = await portal.accountId(family.noah);
    portal.records.set('one', mother('leo', { id: 'one' }));
    await name(ana, ['RelatedPerson/one', 'RelatedPerson/two']);
    const answers = [
      await name(noah, ['RelatedPerson/three', 'RelatedPerson/two']),
      await admin.post(path, {
        ...{ account: noah, patient: 'leo', basis: 'voluntary', level: 'full' },
        relatedPerson: 'RelatedPerson/one',
      }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Another account has this')]);
    }
    const { references } = (await admin.get(`${path}/account/${noah}`)).json<AccountRelationships>();
    expect(references).toEqual([]);
    await name(ana, []);
    expect((await name(noah, ['RelatedPerson/two'])).status).toBe(204);
  });

  it.each([
    ['a RelatedPerson of the patient', 'RelatedPerson/of-leo', 201],
    ['a Person, who may be related to several', 'Person/ana', 201],
    ['a RelatedPerson of another patient', 'RelatedPerson/of-mia', 400],
    ['nothing on the server', 'RelatedPerson/nothing', 400],
    ['a Person that is not active', 'Person/gone', 400],
  ])('of a proposal may be %s: %s, %i', async (_, relatedPerson, status) => {
    for (const id of ['leo', 'mia']) portal.records.set(`of-${id}`, mother(id));
    portal.records.set('ana', { resourceType: 'Person', id: 'ana' });
    portal.records.set('gone', { resourceType: 'Person', id: 'gone', active: false });
    const email = `${relatedPerson.toLowerCase().replace('/', '.')}@example.org`;
    const proposal = { email, fullName: 'Ana Duarte', patient: 'leo', basis: 'carer', level: 'full', relatedPerson };
    const answer = await admin.post(path, proposal);
    expect([answer.status, status === 400 ? answer.text : '']).toEqual([
      status,
      status === 400 ? expect.stringContaining('representation-reference-other') : '',
    ]);
    await portal.query('DELETE FROM representative_reference WHERE reference = $1', [relatedPerson]);
  });

  it.each(['Patient/1', 'RelatedPerson/', 'http://other/Person/1', ''])('is not %j', async (reference) => {
    expect((await name(ana, [reference])).status).toBe(400);
  });

  it('is named in the own data', async () => {
    await name(ana, ['Person/ana']);
    const agent = await portal.as(family.ana);
    expect((await agent.get('/api/representation')).json()).toMatchObject({ references: ['Person/ana'] });
  });
});
