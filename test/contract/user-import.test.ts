import type { FieldProblem } from '../../src/contract/messages/message.js';
import { message } from '../../src/contract/messages/message.js';
import {
  columnsOf,
  formOf,
  importColumns,
  keptReasons,
  longestImport,
  mostImported,
  mostKeptNamed,
  problemsByColumn,
} from '../../src/contract/rules/users/user-import.js';

const header = ['name', 'email', 'type', 'fhir_user'];
const columns = columnsOf(header);

describe('A file with users', () => {
  it('has at most 5,000 lines and 1,000,000 characters, with the columns of the export', () => {
    expect([mostImported, longestImport]).toEqual([5_000, 1_000_000]);
    expect(importColumns).toEqual(header);
  });

  it('names at most 50 users that an undo keeps, which were used or changed', () => {
    expect([mostKeptNamed, keptReasons]).toEqual([50, ['used', 'changed']]);
  });
});

describe('The columns of a file with users', () => {
  it.each([
    ['name', ['name', 'fullname', 'displayname', 'Full name', ' Display_Name ', 'full-name', 'FULL.NAME']],
    ['email', ['email', 'mail', 'E-Mail', 'e mail']],
    ['type', ['type', 'usertype', 'role', 'User type', 'ROLE']],
    ['fhir_user', ['fhiruser', 'fhir_user', 'reference', 'FHIR user', 'Reference']],
  ])('are %s by the titles %j', (is, titles) => {
    for (const title of titles) expect([title, ...columnsOf([title])]).toEqual([title, { is }]);
  });

  it.each(['', 'id', 'names', 'emails', 'claim', 'user', 'the name', 'x-claim:tenant', 'names:claim:'])(
    'are none by the title %j',
    (title) => {
      expect(columnsOf([title])).toEqual([undefined]);
    },
  );

  it.each([
    ['claim:tenant', 'tenant'],
    [' CLAIM: Tenant Id ', 'Tenant Id'],
    ['claim:name', 'name'],
    ['claim:', ''],
  ])('are claims by the title %j', (title, claim) => {
    expect(columnsOf([title])).toEqual([{ claim }]);
  });

  it('have a meaning each in their order, the first of two with the same title', () => {
    expect(columnsOf(['mail', 'claim:a', 'id', 'email', 'type', 'role', 'claim:a'])).toEqual([
      ...[{ is: 'email' }, { claim: 'a' }, undefined, undefined, { is: 'type' }, undefined, { claim: 'a' }],
    ]);
  });
});

describe('The form of a line', () => {
  it('is filled in from its columns, wherever they stand', () => {
    const mixed = columnsOf(['claim:tenant', 'role', 'id', 'reference', 'name', 'mail', 'claim:ward']);
    const cells = [' north ', 'patient', '17', 'Patient/1', ' Ada Abel ', 'ada@a.example', '7'];
    expect(formOf(mixed, cells)).toEqual({
      fullName: 'Ada Abel',
      email: 'ada@a.example',
      userType: 'Patient',
      claims: [
        { name: 'fhirUser', value: 'Patient/1' },
        { name: 'tenant', value: 'north' },
        { name: 'ward', value: '7' },
      ],
    });
  });

  it('is empty where there is no column or no cell, and has no claims without a value', () => {
    const empty = { fullName: '', email: '', userType: '', claims: [{ name: 'fhirUser', value: '' }] };
    expect(formOf([], ['Ada'])).toEqual(empty);
    expect(formOf([...columns, { claim: 'tenant' }, { claim: 'ward' }], ['', ' ', '', '', ' \t'])).toEqual(empty);
  });

  it.each([
    ['Patient', 'Patient'],
    ['PATIENT', 'Patient'],
    ['practitioner', 'Practitioner'],
    ['Doctor', 'Doctor'],
    ['Pat', 'Pat'],
  ])('has for the type %j the type %j', (cell, userType) => {
    expect(formOf(columns, ['', '', cell, '']).userType).toBe(userType);
  });

  it.each([
    ["'=Ada", '=Ada'],
    ["'+Ada", '+Ada'],
    ["'-Ada", '-Ada'],
    ["'@Ada", '@Ada'],
    ["'|Ada", '|Ada'],
    ["'%Ada", '%Ada'],
    ["'＝Ada", '＝Ada'],
    ["'＋Ada", '＋Ada'],
    ["'－Ada", '－Ada'],
    ["'＠Ada", '＠Ada'],
    ["' \t\u200B=Ada", '\u200B=Ada'],
    ["'Ada", "'Ada"],
    ["O'=Ada", "O'=Ada"],
    ["''=Ada", "''=Ada"],
  ])('has for the cell %j, which an export may have changed, the text %j', (cell, text) => {
    expect(formOf([...columns, { claim: 'a' }], [cell, '', '', '', cell])).toMatchObject({
      fullName: text,
      claims: [{}, { name: 'a', value: text }],
    });
  });
});

describe('A problem of a line', () => {
  const required = message('field-required');
  const long = message('too-long', { maximum: 200 });
  const titles = ['Reference', 'claim:a', 'id', 'Full name', 'claim:b', 'Mail', 'Role'];
  const placed = (field: string | null, given = titles) => {
    const problems = [{ field, messages: [required, long] }] as unknown as FieldProblem[];
    const [found, ...further] = problemsByColumn(problems, given, columnsOf(given));
    expect([found?.messages, further]).toEqual([[required, long], []]);
    return found?.column;
  };

  it.each([
    ['fullName', 'Full name'],
    ['email', 'Mail'],
    ['userType', 'Role'],
    ['claims', 'Reference'],
    ['claims.0', 'Reference'],
    ['claims.0.value', 'Reference'],
    ['claims.1', 'claim:a'],
    ['claims.1.name', 'claim:a'],
    ['claims.2.value', 'claim:b'],
    ['claims.3', null],
    ['somethingElse', null],
    ['email.1', 'Mail'],
    [null, null],
  ])('of the field %j is in the column %j', (field, column) => {
    expect(placed(field)).toBe(column);
  });

  it('is of the whole line without such a column', () => {
    expect(['fullName', 'email', 'userType', 'claims', 'claims.1'].map((field) => placed(field, ['id']))).toEqual(
      Array(5).fill(null),
    );
  });

  it('keeps its place among others', () => {
    const problems = ['email', 'fullName'].map((field) => ({ field, messages: [required] }));
    expect(problemsByColumn(problems, header, columns)).toEqual([
      { column: 'email', messages: [required] },
      { column: 'name', messages: [required] },
    ]);
  });
});
