import type { RelationshipImport } from '../../../src/contract/representation/import.js';
import type { RelationshipView } from '../../../src/contract/representation.js';
import type { Agent } from '../../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

/** Administrators write kinds behind the id of a level. */
let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal();
  admin = await portal.as(family.admin);
});

afterAll(() => portal.close());

beforeEach(() => portal.query('TRUNCATE representation_relationship CASCADE'));

const path = '/api/admin/representation';
const many = ['AllergyIntolerance', 'Appointment', 'CarePlan', 'Condition', 'DiagnosticReport', 'DocumentReference'];
const inOrder = ['full', '?_security=MH', ...many].join(' ');
const terms = { email: family.ana.email, patient: 'leo', basis: 'parental-responsibility' };
const propose = (level: string) => admin.post(path, { ...terms, level });
const proposed = async (level: string) => (await propose(level)).json<RelationshipView>();
const approve = (id: string, level?: string) =>
  admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen', ...(level !== undefined && { level }) });
const run = async (level: string, dryRun: boolean) => {
  const csv = `email,patient,basis,level\n${family.ana.email},leo,parental-responsibility,${level}`;
  return (await admin.post(`${path}/import`, { csv, dryRun })).json<RelationshipImport>();
};
const stored = async () =>
  (await admin.get(`${path}?patient=leo`)).json<{ relationships: RelationshipView[] }>().relationships[0];

const wrong: [name: string, level: string, text: string][] = [
  ['an unknown kind', 'full Condition Everything', 'One of these kinds is not known.'],
  ['a kind that the level does not have', 'daily Claim', 'do not permit one of these kinds'],
  ['no kind', 'full ', 'choose one kind'],
  ['kinds of no level', 'Condition', 'not configured'],
  ['a level that is not there', 'gone Condition', 'not configured'],
];

describe('A level with kinds that administrators write', () => {
  it.each(wrong)('is refused at its field with %s', async (_, level, text) => {
    const { id } = await proposed('full');
    for (const answer of [await propose(level), await approve(id, level)]) {
      expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'level' }] }]);
      expect(answer.text).toContain(text);
    }
  });

  it.each(wrong.filter(([name]) => name !== 'no kind'))('is a wrong line of a file with %s', async (_, level, text) => {
    for (const dryRun of [true, false]) {
      const { lines, wrong: refused } = await run(level, dryRun);
      expect([lines, refused]).toMatchObject([[], [{ line: 2, problems: [{ column: 'level' }] }]]);
      expect(JSON.stringify(refused)).toContain(text.includes('one of') ? 'kind-not-permitted' : 'representation-');
    }
    expect(await stored()).toBeUndefined();
  });

  it.each(['another order', 'kinds twice'])('is stored in one order, each kind once, with %s', async (what) => {
    const kinds = what === 'kinds twice' ? [...many, ...many] : [...many].reverse();
    const text = `full ${[...kinds, '?_security=MH'].join(' ')}`;
    const { id, level } = await proposed(text);
    expect(level).toBe(inOrder);
    expect((await approve(id, text)).json()).toMatchObject({ status: 'active', level: inOrder });
  });

  it('is longer than an id, in a dry run, an import, and the file of the export', async () => {
    expect(await run(inOrder, true)).toMatchObject({ lines: [{ becomes: 'active' }], wrong: [] });
    expect(await run(inOrder, false)).toMatchObject({ lines: [{ becomes: 'active' }], wrong: [] });
    const before = await stored();
    expect(before).toMatchObject({ level: inOrder, status: 'active' });
    const csv = (await admin.post(`${path}/export`, {})).text;
    await portal.query('TRUNCATE representation_relationship CASCADE');
    expect((await admin.post(`${path}/import`, { csv, dryRun: false })).json()).toMatchObject({ wrong: [] });
    expect(await stored()).toMatchObject({ level: inOrder, status: 'active' });
    expect((await admin.post(`${path}/export`, {})).text).toBe(csv);
  });

  it('is refused if it is longer than any list of kinds', async () => {
    const text = `full ${'Condition '.repeat(600)}`;
    expect((await propose(text)).json<RelationshipView>().level).toBe('full Condition');
    const long = `full ${Array.from({ length: 400 }, (_, index) => `Unknown${index}Kind`).join(' ')}`;
    expect((await propose(long)).json()).toMatchObject({ errors: [{ field: 'level' }] });
    expect((await run(long, true)).wrong).toMatchObject([{ problems: [{ column: 'level' }] }]);
  });

  it('above the age table waits for a second administrator, who may write the kinds in another order', async () => {
    const second = await portal.as(family.secondAdmin);
    portal.has('mia', { birthDate: '2011-05-10' });
    const { id } = (
      await admin.post(path, { ...terms, patient: 'mia', level: 'full Condition Appointment' })
    ).json<RelationshipView>();
    const decide = (by: Agent, level: string) =>
      by.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen', level, exceedsTable: true });
    expect((await decide(admin, 'full Condition Appointment')).json()).toMatchObject({ awaitsSecond: true });
    expect((await decide(second, 'full Appointment Condition')).json()).toMatchObject({
      ...{ status: 'active', level: 'full Appointment Condition', aboveTable: { step: 13 } },
    });
  });
});
