import type { RelationshipImport } from '../../../src/contract/representation/import.js';
import { family } from '../../support/representation/family-portal.js';
import {
  aProposal,
  expectTold,
  longText,
  noId,
  relationshipsPath as path,
  startWrongInputPortal,
  type WrongInputPortal,
} from '../../support/representation/wrong-input.js';
import { wrongProposals } from '../../support/representation/wrong-proposals.js';

let portal: WrongInputPortal;

beforeAll(async () => {
  portal = await startWrongInputPortal();
});

afterAll(() => portal.close());

const aDecision = (more: object = {}) => ({ decision: 'approve', note: 'Seen', ...more });
const told = (...[send, expected]: Parameters<typeof expectTold> extends [unknown, ...infer Rest] ? Rest : never) =>
  expectTold(portal, send, expected);

const callers = {
  'by an administrator': () => ({}),
  'with a management token': () => ({ headers: { authorization: `Bearer ${portal.token}` } }),
};

describe.each(Object.entries(callers))('A proposal %s', (name, send) => {
  const by = () => (name === 'by an administrator' ? portal.admin : portal.stranger);

  it.each(wrongProposals)('with %s is told at its field', async (_, more, field, code) => {
    await told(() => by().post(path, { ...aProposal, ...more }, send()), { field, code });
  });

  it.each([
    ['a second one of a pair that has an active one', { patient: 'kim' }, 409],
    ['a second one of a pair that has a suspended one', { patient: 'ben' }, 409],
    ['a second one of a pair that has a proposal', { patient: 'mia' }, 409],
    ['for an account that is not there', { email: undefined, account: '9a5f4e53-6a31-4f53-9a4b-7a6ff4c7b7a1' }, 404],
    ['for an account id that is none', { email: undefined, account: 'ana' }, 404],
  ])('%s is refused', async (_, more, status) => {
    await told(() => by().post(path, { ...aProposal, ...more }, send()), { status });
  });
});

describe('A file of relationships', () => {
  const columns = ['email', 'name', 'tenant', 'patient', 'basis', 'level', 'relation', 'start', 'end', 'note'] as const;
  const titles = [...columns, 'related_person'].join(',');
  const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const line = (more: Record<string, unknown> = {}) => {
    const one: Record<string, unknown> = { ...aProposal, ...more };
    const cells = { ...one, name: one.fullName, related_person: one.relatedPerson } as Record<string, unknown>;
    return [...columns, 'related_person'].map((column) => cell(cells[column])).join(',');
  };
  const send = (csv: unknown, dryRun: unknown) => portal.admin.post(`${path}/import`, { csv, dryRun });
  const columnOf: Record<string, string> = { fullName: 'name', relatedPerson: 'related_person' };
  const inCsv = wrongProposals.filter(([, more]) =>
    // A NUL is refused with the whole file; half a character is none in the bytes of a file.
    Object.values(more).every((value) => typeof value === 'string' && !/[\0\p{Surrogate}]/u.test(value)),
  );

  describe.each([true, false])('with dryRun %s', (dryRun) => {
    it.each(inCsv)('tells a line with %s at its column', async (_, more, field, code) => {
      const before = await portal.everything();
      const answer = await send(`${titles}\n${line(more)}`, dryRun);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      const { wrong, lines } = answer.json<RelationshipImport>();
      expect([lines, wrong.map((one) => [one.line, one.problems.map(({ column }) => column)])]).toEqual([
        [],
        [[2, [columnOf[field] ?? field]]],
      ]);
      if (code) expect(wrong[0]?.problems[0]?.messages[0]).toMatchObject({ code });
      expect(wrong[0]?.cells).toHaveLength(columns.length + 1);
      expect(await portal.everything()).toEqual(before);
    });
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n \n'],
    ['the mark of UTF-8 alone', '\uFEFF'],
    ['a text', 'Dear Sir or Madam'],
    ['another separator than its columns', 'email|patient|basis|level\na|b|c|d'],
    ['a quote that never ends', `${titles}\n"${family.ana.email},leo`],
    ['columns that are missing', 'email,patient\na@example.org,leo'],
    ['a line too many', `${titles}\n${`${line()}\n`.repeat(1001)}`],
    ['a text with NUL', `${titles}\n${line({ note: 'Se\0en' })}`],
  ])('that has %s is refused as a whole', async (_, csv) => {
    await told(() => send(csv, true), { field: 'csv' });
  });

  it.each([
    ['a hundred thousand lines', `${titles}\n${`${line()}\n`.repeat(100_000)}`],
    ['a text that is longer than can be sent', 'x'.repeat(3_000_000)],
  ])('that has %s is refused before it is read', async (_, csv) => {
    await told(() => send(csv, true), { status: 413 });
  });

  it.each([
    ['a list', ['a']],
    ['a number', 7],
    ['an object', {}],
  ])('that is %s is refused', async (_, csv) => {
    await told(() => send(csv, true), { field: 'csv' });
  });

  it('whose trial is asked for by a word is refused', async () => {
    await told(() => send(`${titles}\n${line()}`, 'yes'), { field: 'dryRun' });
  });

  it.each([
    ['the mark of UTF-8', (csv: string) => `\uFEFF${csv}`],
    ['semicolons', (csv: string) => csv.replaceAll(',', ';')],
    ['tabs', (csv: string) => csv.replaceAll(',', '\t')],
    ['lines of other systems', (csv: string) => csv.replaceAll('\n', '\r\n')],
    ['empty lines', (csv: string) => `${csv}\n\n\n`],
    ['titles in capitals', (csv: string) => csv.replace(titles, titles.toUpperCase())],
  ])('with %s is read', async (_, change) => {
    const answer = await send(change(`${titles}\n${line()}`), true);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { wrong: [], lines: [{ line: 2, becomes: 'active', reason: null }] },
    ]);
  });

  it('that names a pair twice tells it at the second line, and has the others', async () => {
    const lines = [line(), line(), line({ patient: 'mia' }), line({ patient: 'kim' })];
    const answer = (await send([titles, ...lines].join('\n'), true)).json<RelationshipImport>();
    expect(answer.wrong.map((one) => [one.line, one.problems[0]?.column])).toEqual([[3, 'patient']]);
    expect(answer.lines).toEqual([
      { line: 2, becomes: 'active', reason: null },
      { line: 4, becomes: 'known', reason: null },
      { line: 5, becomes: 'known', reason: null },
    ]);
  });
});

type Row = [what: string, members: object, field: string];

describe('A decision of an administrator', () => {
  const notes: Row[] = [
    ['no reason', { note: '' }, 'note'],
    ['blanks for a reason', { note: '  \n ' }, 'note'],
    ['a reason of 10,000 characters', { note: longText }, 'note'],
    ['a reason with NUL', { note: 'Se\u0000en' }, 'note'],
    ['a reason with half a character', { note: 'Se\ud83den' }, 'note'],
    ['a list of reasons', { note: ['Seen'] }, 'note'],
  ];

  it.each<Row>([
    ...notes,
    ['an unknown decision', { decision: 'maybe' }, 'decision'],
    ['an unknown level', { level: 'everything' }, 'level'],
    ['a list of levels', { level: ['full'] }, 'level'],
    ['a day that no calendar has', { exceedsTable: true, exceedsUntil: '2040-02-30' }, 'exceedsUntil'],
    ['a day in the past', { exceedsTable: true, exceedsUntil: '2020-01-01' }, 'exceedsUntil'],
    ['a word for yes', { withoutBirthDate: 'yes' }, 'withoutBirthDate'],
    ['a number for what was seen', { seenChange: 7 }, 'seenChange'],
  ])('about a proposal with %s is told at its field', async (_, more, field) => {
    await told(() => portal.admin.post(`${path}/${portal.proposal}/decision`, aDecision(more)), { field });
  });

  it('about a proposal whose last day has passed while it waited is told', async () => {
    const proposed = await portal.admin.post(path, { ...aProposal, patient: 'nora' });
    const { id } = proposed.json<{ id: string }>();
    await portal.query("UPDATE representation_relationship SET ends_on = '2020-01-01' WHERE id = $1", [id]);
    await told(() => portal.admin.post(`${path}/${id}/decision`, aDecision()), {
      ...{ field: 'decision', code: 'representation-period-past' },
    });
  });

  it.each<Row>([
    ...notes,
    ['an unknown reason of the end', { reason: 'because' }, 'reason'],
    ['the reason of the other side', { reason: 'patient' }, 'reason'],
  ])('that ends one with %s is told at its field', async (_, more, field) => {
    const form = { reason: 'administrator', note: 'Over', ...more };
    await told(() => portal.admin.post(`${path}/${portal.acted}/end`, form), { field });
  });

  it.each<Row>([
    ...notes,
    ['a path in place of an id', { patient: '../leo', replaced: 'ben' }, 'patient'],
    ['an unknown cause', { reason: 'lost' }, 'reason'],
  ])('that continues one with %s is told at its field', async (_, more, field) => {
    await told(() => portal.admin.post(`${path}/${portal.suspended}/confirmation`, { note: 'Back', ...more }), {
      field,
    });
  });

  it.each<Row>([
    ...notes,
    ['a text for ids', { relationships: 'all' }, 'relationships'],
    ['a number for an id', { relationships: [7] }, 'relationships'],
    ['201 ids', { relationships: Array.from({ length: 201 }, () => 'x') }, 'relationships'],
    ['an unknown cause', { reason: 'lost' }, 'reason'],
    ['a text for merged records', { merged: 'all' }, 'merged'],
  ])('that continues many with %s is told at its field', async (_, more, field) => {
    const form = { relationships: [portal.suspended], note: 'Back', ...more };
    await told(() => portal.admin.post(`${path}/confirmations`, form), { field });
  });

  it.each<Row>([
    ...notes,
    ['no answer', { isAgreed: null }, 'isAgreed'],
    ['an age of 10,000', { step: 10_000 }, 'step'],
    ['a number for what was seen', { seenChange: 7 }, 'seenChange'],
  ])('that records an agreement with %s is told at its field', async (_, more, field) => {
    const form = { step: 16, isAgreed: true, note: 'By letter', ...more };
    await told(() => portal.admin.post(`${path}/${portal.acted}/agreement`, form), { field });
  });

  it.each<Row>([
    ...notes,
    ['a negative version', { version: -1 }, 'version'],
    ['a text for a version', { version: '0' }, 'version'],
    ['an unknown decision', { decision: 'maybe' }, 'decision'],
    ['a path in place of an id', { patient: '../leo' }, 'patient'],
    ['a day that no calendar has', { end: '2040-02-30' }, 'end'],
    ['files that are no ids', { seen: ['x'] }, 'seen'],
  ])('about a request with %s is told at its field', async (_, more, field) => {
    const form = { version: 0, decision: 'decline', note: 'No', ...more };
    await told(() => portal.admin.post(`/api/admin/requests/${portal.asked}/decision`, form), { field });
  });

  it.each(notes)('that corrects an approval with %s is told at its field', async (_, more, field) => {
    const form = { version: 0, note: 'Wrong child', ...more };
    await told(() => portal.admin.post(`/api/admin/requests/${portal.asked}/error`, form), { field });
  });

  it.each([
    ['POST', `${path}/:id/decision`, aDecision()],
    ['POST', `${path}/:id/end`, { reason: 'administrator', note: 'Over' }],
    ['POST', `${path}/:id/confirmation`, { note: 'Back' }],
    ['POST', `${path}/:id/agreement`, { step: 16, isAgreed: true, note: 'By letter' }],
    ['POST', `${path}/:id/block/lift`, {}],
    ['GET', `${path}/:id`, undefined],
    ['GET', `${path}/account/:id`, undefined],
    ['PUT', `${path}/account/:id/references`, { references: [] }],
    ['POST', `${path}/account/:id/record`, { patient: 'leo', note: 'Came' }],
    ['GET', '/api/admin/requests/:id', undefined],
    ['GET', '/api/admin/requests/:id/files/4b3ad1b5-7c0e-4a64-9f3f-8f1e7f0b1a11', undefined],
    ['POST', '/api/admin/requests/:id/decision', { version: 0, decision: 'decline', note: 'No' }],
    ['POST', '/api/admin/requests/:id/error', { version: 0, note: 'No' }],
  ])('about what is not there is told: %s %s', async (method, call, body) => {
    for (const id of [noId, 'x', 'x'.repeat(2_000)]) {
      const answer = await portal.admin.send(call.replace(':id', id), { method, body });
      expect([id.slice(0, 40), answer.status, answer.text]).toEqual([id.slice(0, 40), 404, expect.any(String)]);
    }
  });

  it.each([
    ['a Patient', { references: ['Patient/1'] }, 'references'],
    ['a URL', { references: ['https://other.example/RelatedPerson/1'] }, 'references'],
    ['NUL', { references: ['Person/a\u0000'] }, 'references'],
    ['a text', { references: 'Person/a' }, 'references'],
    ['101', { references: Array.from({ length: 101 }, (_, index) => `Person/${index}`) }, 'references'],
  ])('that names %s as the resources of a user is told at its field', async (_, form, field) => {
    const account = await portal.accountId(family.ana);
    const send = () => portal.admin.send(`${path}/account/${account}/references`, { method: 'PUT', body: form });
    await told(send, { field });
  });

  it.each([
    ['status=lost', 'status'],
    ['page=0', 'page'],
    ['pageSize=7', 'pageSize'],
    [`patient=${'x'.repeat(65)}`, 'patient'],
    ['searchTerm=a&searchTerm=b', 'searchTerm'],
    [`searchTerm=${'x'.repeat(201)}`, 'searchTerm'],
  ])('after a list by %s is told at its field', async (query, field) => {
    await told(() => portal.admin.get(`${path}?${query}`), { field });
  });

  it.each([
    ['on=2040-02-30', 'on', 'day-only'],
    ['on=soon', 'on', 'day-only'],
    ['on=2040-01-01&birthDate=x', 'birthDate', 'day-only'],
    ['on=2040-01-01&tenant=west', 'tenant', undefined],
    ['on=2040-01-01&basis=__proto__', 'basis', undefined],
  ])('after a trial of the age rules with %s is told at its field', async (query, field, code) => {
    const basis = query.includes('basis') ? '' : 'basis=voluntary&';
    await told(() => portal.admin.get(`${path}/age-rules/trial?${basis}${query}`), { field, code });
  });
});
