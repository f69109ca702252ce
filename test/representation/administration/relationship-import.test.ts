import type { RelationshipImport } from '../../../src/contract/representation/import.js';
import type { RelationshipView } from '../../../src/contract/representation.js';
import { RelationshipLists } from '../../../src/representation/application/relationship-list.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import type { Agent } from '../../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal();
  admin = await portal.as(family.admin);
  const births = {
    child: '2020-05-10',
    teen: '2011-05-10',
    adult: '2001-05-10',
    undated: undefined,
    barred: '2020-01-01',
  };
  for (const [id, birthDate] of Object.entries(births)) portal.has(id, { birthDate });
  const patient = { reference: 'Patient/child' };
  portal.records.set('ana-of-child', { resourceType: 'RelatedPerson', id: 'ana-of-child', patient });
  portal.has('own', { name: [{ text: 'Ada Admin' }] });
});

afterAll(() => portal.close());

const path = '/api/admin/representation';
const header = 'Email,Name,Patient,Basis,Level,Relation,Start,End,Related person,Note,Ward';
const line = (patient: string, more: Partial<Record<string, string>> = {}) => {
  const cells: typeof more = { email: family.ana.email, basis: 'parental-responsibility', level: 'full', ...more };
  return [
    ...[cells.email, cells.name, patient, cells.basis, cells.level, cells.relation ?? 'mother'],
    ...[cells.start, cells.end, cells.person, cells.note, 'W1'],
  ].join(',');
};
const run = async (lines: string[], dryRun: boolean) =>
  (await admin.post(`${path}/import`, { csv: [header, ...lines].join('\n'), dryRun })).json<RelationshipImport>();
const stored = async (patient: string) =>
  (await admin.get(`${path}?patient=${patient}`)).json<{ relationships: RelationshipView[] }>().relationships;

describe('An import of relationships', () => {
  const lines = [
    line('child', { note: 'Birth certificate', person: 'RelatedPerson/ana-of-child' }),
    line('teen'),
    line('teen', { email: family.noah.email, level: 'basics' }),
    line('undated'),
    line('adult'),
    line('barred'),
    line('own'),
    line('child', { email: 'rosa@example.org', name: 'Rosa Lind' }),
  ];
  const expected = [
    { line: 2, becomes: 'active', reason: null },
    { line: 3, becomes: 'proposed', reason: 'less' },
    { line: 4, becomes: 'active', reason: null },
    { line: 5, becomes: 'proposed', reason: 'unknown' },
    { line: 6, becomes: 'proposed', reason: 'refuses' },
    { line: 7, becomes: 'proposed', reason: 'blocked' },
  ];

  it('says in a dry run what becomes of each line, and changes nothing', async () => {
    const [{ id } = { id: '' }] = [
      (
        await admin.post(path, {
          ...{ email: family.ana.email, patient: 'barred' },
          ...{ basis: 'parental-responsibility', level: 'full' },
        })
      ).json<{ id: string }>(),
    ];
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
    await admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Police' });
    const answer = await run(lines, true);
    expect(answer).toMatchObject({ dryRun: true, ignored: ['Ward'], wrong: [] });
    expect(answer.lines.slice(0, 6)).toEqual(expected);
    expect(await stored('teen')).toEqual([]);
    expect(await portal.query("SELECT FROM account WHERE email = 'rosa@example.org'")).toEqual([]);
  });

  it('makes what the age table permits active, and proposes the rest; the one who imports is the decider', async () => {
    const answer = await run(lines, false);
    expect(answer.lines).toEqual([
      ...expected,
      { line: 8, becomes: 'proposed', reason: 'own-case' },
      { line: 9, becomes: 'active', reason: null },
    ]);
    const decidedBy = { kind: 'account', id: await portal.accountId(family.admin) };
    expect(await stored('child')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ status: 'active', note: 'Birth certificate', decidedBy },
          relatedPerson: 'RelatedPerson/ana-of-child',
        }),
        expect.objectContaining({ status: 'active', representativeName: 'Rosa Lind' }),
      ]),
    );
    for (const patient of ['undated', 'adult', 'own']) {
      expect(await stored(patient)).toMatchObject([{ status: 'proposed', decidedBy: null }]);
    }
    const [record] = await portal.query<{ detail: object }>(
      "SELECT detail FROM audit_event WHERE type = 'representation.imported'",
    );
    expect(record?.detail).toMatchObject({ active: 3, proposed: 5, known: 0, wrong: 0 });
  });

  it('leaves out what is there already', async () => {
    const { lines: again } = await run(lines, false);
    expect(new Set(again.map(({ becomes }) => becomes))).toEqual(new Set(['known']));
  });

  it('names each wrong line by its column, and imports the others', async () => {
    for (const id of ['last', 'p3', 'p4', 'p5']) portal.has(id);
    const { wrong, lines: right } = await run(
      [
        line('1'),
        line('nowhere'),
        line('p3', { level: 'everything' }),
        line('p4', { basis: 'friendship' }),
        line('p5', { end: '2020-01-01' }),
        line('leo', { end: 'soon' }),
        line('leo', { email: 'stranger@example.org' }),
        line('leo', { email: 'no-address' }),
        line('leo', { person: 'Patient/7' }),
        line('leo', { email: family.admin.email }),
        line('last'),
        line('last'),
      ],
      false,
    );
    expect(wrong.map((one) => [one.line, one.problems.map(({ column }) => column)])).toEqual([
      [2, ['patient']],
      [3, ['patient']],
      [4, ['level']],
      [5, ['basis']],
      [6, ['end']],
      [7, ['end']],
      [8, ['name']],
      [9, ['email']],
      [10, ['related_person']],
      [11, ['email']],
      [13, ['patient']],
    ]);
    expect(right).toEqual([{ line: 12, becomes: 'active', reason: null }]);
  });

  it('is refused without its columns', async () => {
    const answer = await admin.post(`${path}/import`, { csv: 'email,patient\na@b.example,1', dryRun: true });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('basis, level')]);
  });

  it('takes the file of the export', async () => {
    const answer = await admin.post(`${path}/export`, {});
    expect(answer.headers['content-type']).toContain('text/csv');
    expect(answer.text).toContain(`${family.ana.email},"Ana Duarte",,child,parental-responsibility,full,mother`);
    const again = (await admin.post(`${path}/import`, { csv: answer.text, dryRun: true })).json<RelationshipImport>();
    expect(again.wrong).toEqual([]);
    expect(new Set(again.lines.map(({ becomes }) => becomes))).toEqual(new Set(['known']));
  });
});

describe('An export of relationships', () => {
  it('has each relationship once, whichever end meanwhile', async () => {
    const account = await portal.accountId(family.noah);
    const { id } = await (portal.apps[0] as NonNullable<(typeof portal.apps)[0]>)
      .get(Relationships, { strict: false })
      .add(aNewRelationship(account, { patient: 'many-0' }));
    await portal.query(
      `INSERT INTO representation_relationship
        SELECT (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'patient', 'many-' || number))).*
          FROM representation_relationship AS one CROSS JOIN generate_series(1, 1100) AS number WHERE id = $1`,
      [id],
    );
    const lines = await portal.apps[0]?.get(RelationshipLists, { strict: false }).export();
    const exported: string[] = [];
    for await (const text of lines ?? []) {
      exported.push(...(/many-\d+/.exec(text) ?? []));
      if (exported.length !== 500) continue;
      await portal.query("UPDATE representation_relationship SET status = 'ended' WHERE patient = ANY ($1)", [
        exported,
      ]);
    }
    expect([exported.length, new Set(exported).size]).toEqual([1101, 1101]);
  });
});
