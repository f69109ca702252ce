import type {
  AccountRelationships,
  AgeRules,
  AgeRulesTrial,
} from '../../src/contract/representation/administration.js';
import type { Agent } from '../support/http/agent.js';
import { thisYear } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

let portal: FamilyPortal;
let admin: Agent;
let second: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal();
  [admin, second] = await Promise.all([portal.as(family.admin), portal.as(family.secondAdmin)]);
});

afterAll(() => portal.close());

const path = '/api/admin/representation';
const both = async (id: string) => (await admin.get(`${path}/account/${id}`)).json<AccountRelationships>();
const propose = (more: object) =>
  admin.post(path, { basis: 'parental-responsibility', level: 'full', relation: 'mother', ...more });
const idOf = (answer: { json<T>(): T }) => answer.json<{ id: string }>().id;
const fieldsOf = (answer: { json<T>(): T }) =>
  answer.json<{ codes: { field: string }[] }>().codes.map(({ field }) => field);

async function aRepresentative(email: string, patient: string): Promise<{ account: string; id: string }> {
  const answer = (await propose({ email, fullName: 'Rosa Lind', patient })).json<{ accountId: string; id: string }>();
  return { account: answer.accountId, id: answer.id };
}

describe('The sheet of a user', () => {
  it('has both sides of the account, what needs an answer first', async () => {
    const account = await portal.accountId(family.ana);
    portal.has('leo', { birthDate: '2020-05-10' });
    const approved = idOf(await propose({ account, patient: 'leo' }));
    await admin.post(`${path}/${approved}/decision`, { decision: 'approve', note: 'Birth certificate' });
    const waiting = idOf(await propose({ account, patient: 'mia' }));
    const helped = idOf(await propose({ account, patient: '2', basis: 'voluntary', relation: 'daughter' }));
    const { actsFor, helpers, records } = await both(account);
    expect(actsFor.map(({ id }) => id)).toEqual([expect.any(String), expect.any(String), approved]);
    expect(actsFor.map(({ id }) => id)).toEqual(expect.arrayContaining([waiting, helped]));
    expect([helpers, records]).toEqual([[], [{ tenant: null, patient: '1' }]]);
    const noah = await both(await portal.accountId(family.noah));
    expect(noah).toMatchObject({ actsFor: [], helpers: [{ id: helped, representativeName: 'Ana Duarte' }] });
  });

  it.each([
    ['a level that the age permits', { birthDate: '2020-05-10' }, 'full', 'permits'],
    ['a level above that of the age', { birthDate: '2011-05-10' }, 'full', 'less'],
    ['the level of the age', { birthDate: '2011-05-10' }, 'basics', 'permits'],
    ['an age at which it ends', { birthDate: '2001-05-10' }, 'full', 'refuses'],
    ['a record without a birth date', { birthDate: undefined }, 'full', 'unknown'],
    ['two ages that are possible', { birthDate: String(thisYear() - 13) }, 'full', 'less'],
  ])('says of a proposal with %s what the age table has', async (name, patient, level, table) => {
    const child = name.replaceAll(' ', '-').slice(0, 60);
    portal.has(child, patient);
    const account = await portal.accountId(family.ana);
    const id = idOf(await propose({ account, patient: child, level }));
    expect((await both(account)).actsFor.find((one) => one.id === id)).toMatchObject({ table, block: 'none' });
  });

  it('shows the block of a safeguarding end until two administrators lift it', async () => {
    portal.has('ben');
    const account = await portal.accountId(family.ana);
    const id = idOf(await propose({ account, patient: 'ben' }));
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Birth certificate' });
    await admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Police' });
    const block = async () => (await both(account)).actsFor.find((one) => one.id === id)?.block;
    expect(await block()).toBe('stands');
    await admin.post(`${path}/${id}/block/lift`, {});
    expect(await block()).toBe('lift-asked');
    await second.post(`${path}/${id}/block/lift`, {});
    expect(await block()).toBe('none');
  });

  it.each(['9a5f4e53-6a31-4f53-9a4b-7a6ff4c7b7a1', 'unknown'])('is not there for the account %s', async (id) => {
    expect((await admin.get(`${path}/account/${id}`)).status).toBe(404);
    expect((await propose({ account: id, patient: 'leo' })).status).toBe(404);
  });

  it('is not there for an administrator', async () => {
    expect((await admin.get(`${path}/account/${await portal.accountId(family.admin)}`)).status).toBe(404);
  });

  it('asks for the address of a proposal that names no account', async () => {
    const answer = await propose({ patient: 'leo' });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['email']]);
  });
});

describe('A patient record', () => {
  const link = (account: string, patient: string) =>
    admin.post(`${path}/account/${account}/record`, { patient, note: 'Came as a patient' });

  it('makes a patient of an account that only acted for others, and leaves its relationships', async () => {
    portal.has('kim');
    portal.has('rosa', { birthDate: '1985-01-01' });
    const { account, id } = await aRepresentative('rosa@example.org', 'kim');
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Birth certificate' });
    expect((await link(account, 'rosa')).status).toBe(204);
    const user = (await admin.get(`/api/admin/user/${account}`)).json();
    expect(user).toMatchObject({ userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/rosa' }] });
    expect(await both(account)).toMatchObject({
      actsFor: [{ id, status: 'active' }],
      records: [{ tenant: null, patient: 'rosa' }],
    });
    expect((await link(account, 'rosa')).status).toBe(409);
  });

  it.each([
    ['is not there', 'nothing'],
    ['is that of a patient for whom the account acts', 'lea'],
  ])('that %s is refused at its field', async (_, patient) => {
    portal.has('lea');
    const { account } = await aRepresentative(`rosa-${patient}@example.org`, 'lea');
    const answer = await link(account, patient);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['patient']]);
  });

  it('is not given to an account that has one', async () => {
    expect((await link(await portal.accountId(family.ana), 'rosa')).status).toBe(409);
  });
});

describe('The age rules', () => {
  it('are shown as they are configured', async () => {
    const rules = (await admin.get(`${path}/age-rules`)).json<AgeRules>();
    expect(rules).toMatchObject({ timeZone: 'Europe/Amsterdam', ownAccountFrom: 13, tenants: [] });
    expect(rules.bases[0]).toMatchObject({
      id: 'parental-responsibility',
      ages: [
        { from: 0, level: 'full', agreement: false },
        { from: 13, level: 'basics', agreement: false },
        { from: 16, level: 'basics', agreement: true },
        { from: 18, level: 'ends', agreement: false },
      ],
    });
    expect(rules.levels[0]).toMatchObject({ id: 'full', kinds: null });
  });

  it.each([
    ['a child', '2020-05-10', '2027-05-03', { levels: ['full'], agreement: false, ages: { least: 6, most: 6 } }],
    ['the 13th birthday', '2014-05-03', '2027-05-03', { levels: ['basics'], ages: { least: 13, most: 13 } }],
    ['the day before it', '2014-05-03', '2027-05-02', { levels: ['full'], next: { on: '2027-05-03' } }],
    ['28 February for 29 February', '2012-02-29', '2025-02-28', { levels: ['full', 'basics'] }],
    ['1 March for 29 February', '2012-02-29', '2025-03-01', { levels: ['basics'] }],
    ['an agreement', '2010-05-10', '2027-05-03', { levels: ['basics'], agreement: true }],
    ['an end', '2000-05-10', '2027-05-03', { levels: [], refusal: 'age' }],
    ['no birth date', '', '2027-05-03', { refusal: 'birth-date-missing', ages: null, next: null }],
    ['a day before the birth', '2030-01-01', '2027-05-03', { refusal: 'birth-date-missing' }],
  ])('are tried for %s', async (_, birthDate, on, expected) => {
    const query = new URLSearchParams({ basis: 'parental-responsibility', birthDate, on });
    const answer = await admin.get(`${path}/age-rules/trial?${query}`);
    expect(answer.json<AgeRulesTrial>()).toMatchObject(expected);
  });

  it('leave the level of the relationship as the only limit where a step names none', async () => {
    const answer = await admin.get(`${path}/age-rules/trial?basis=voluntary&birthDate=1950-01-01&on=2027-05-03`);
    expect(answer.json()).toMatchObject({ refusal: null, levels: [], next: null });
    const young = await admin.get(`${path}/age-rules/trial?basis=voluntary&birthDate=2020-01-01&on=2027-05-03`);
    expect(young.json()).toMatchObject({ refusal: 'too-young' });
  });

  it.each([
    ['basis', 'basis=friendship&on=2027-05-03'],
    ['tenant', 'basis=voluntary&tenant=north&on=2027-05-03'],
    ['on', 'basis=voluntary&on=tomorrow'],
    ['birthDate', 'basis=voluntary&on=2027-05-03&birthDate=young'],
  ])('are not tried with an unknown %s', async (field, query) => {
    const answer = await admin.get(`${path}/age-rules/trial?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });
});
