import fc from 'fast-check';
import { isSameName } from '../../../src/contract/rules/same-name.js';
import { compare, type PatientRecord } from '../../../src/requests/domain/comparison.js';
import { runs } from '../../support/runs.js';

const leo: PatientRecord = { id: 'leo', birthDate: '2022-03-09', names: ['Leo Duarte'], identifiers: ['NB310922'] };
const written = { name: 'Leo Duarte', birthDate: '2022-03-09', recordNumber: 'NB310922' };

describe('What a user wrote of a patient', () => {
  it.each([
    ['all of it fits', written, [leo], 'fits', 'leo'],
    ['a number with blanks and small letters fits', { ...written, recordNumber: 'nb 310-922' }, [leo], 'fits', 'leo'],
    ['without a number name and birth date fit', { ...written, recordNumber: null }, [leo], 'fits', 'leo'],
    ['the name differs', { ...written, name: 'Leo Costa' }, [leo], 'differs', 'leo'],
    ['the birth date differs', { ...written, birthDate: '2022-09-03' }, [leo], 'differs', 'leo'],
    ['the record has no birth date', written, [{ ...leo, birthDate: undefined }], 'differs', 'leo'],
    ['name and birth date differ', { ...written, name: 'X', birthDate: '2000-01-01' }, [leo], 'none', null],
    ['the number differs', { ...written, recordNumber: 'NB1' }, [leo], 'none', null],
    ['without a number the name differs', { ...written, recordNumber: null, name: 'Leo Costa' }, [leo], 'none', null],
    [
      'an empty number is none',
      { ...written, recordNumber: ' - ' },
      [{ ...leo, identifiers: ['', '-'] }],
      'none',
      null,
    ],
    ['there is no record', written, [], 'none', null],
    ['two records fit', written, [leo, { ...leo, id: 'twin' }], 'several', null],
    ['one of two records fits', written, [{ ...leo, id: 'twin', names: ['Mia Duarte'] }, leo], 'fits', 'leo'],
    [
      'two records have the number and differ',
      { ...written, name: 'Leo Costa' },
      [leo, { ...leo, id: 'twin' }],
      'several',
      null,
    ],
  ] as const)('is compared: %s', (_, asked, records, result, patient) => {
    expect(compare(asked, records)).toMatchObject({ result, patient });
  });

  it('is told item by item, and what the record has where it differs', () => {
    expect(compare({ ...written, birthDate: '2022-09-03' }, [leo]).items).toEqual([
      { item: 'record-number', result: 'fits', asked: 'NB310922', inRecord: null },
      { item: 'name', result: 'fits', asked: 'Leo Duarte', inRecord: null },
      { item: 'birth-date', result: 'differs', asked: '2022-09-03', inRecord: '2022-03-09' },
    ]);
    expect(compare({ ...written, recordNumber: null }, [leo]).items[0]).toEqual({
      ...{ item: 'record-number', result: 'unsaid', asked: null, inRecord: null },
    });
    const items = compare(written, [{ ...leo, names: [], birthDate: undefined }]).items;
    expect(items).toEqual([]);
    expect(compare(written, [{ ...leo, names: [] }]).items[1]).toMatchObject({ result: 'missing', inRecord: null });
    expect(compare(written, [{ ...leo, birthDate: undefined }]).items[2]).toMatchObject({ result: 'missing' });
    expect(compare({ ...written, name: 'Leo Costa' }, [leo]).items[1]).toMatchObject({ inRecord: 'Leo Duarte' });
  });
});

describe('A name', () => {
  it.each([
    ['José Müller', 'jose muller', true],
    ['Duarte, Leo', 'Leo Duarte', true],
    ['Anna-Lena Berg', 'Anna Lena Berg', true],
    ['Leo Duarte', 'Leo M. Duarte', false],
    ['Leo Duarte', 'Leo', false],
    ['', '', false],
    ['山田 太郎', '太郎 山田', true],
  ])('%p and %p: %p', (one, other, same) => {
    expect(isSameName(one, other)).toBe(same);
    expect(isSameName(other, one)).toBe(same);
  });
});

test('No record is named unless its number fits, or name and birth date do', () => {
  const text = fc.constantFrom('Leo Duarte', 'Mia Duarte', 'Leo Costa');
  const date = fc.constantFrom('2022-03-09', '2022-03-10');
  const number = fc.constantFrom('1', '2');
  const record = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    birthDate: fc.option(date, { nil: undefined }),
    names: fc.array(text, { maxLength: 2 }),
    identifiers: fc.array(number, { maxLength: 2 }),
  });
  const asked = fc.record({ name: text, birthDate: date, recordNumber: fc.option(number) });
  fc.assert(
    fc.property(asked, fc.array(record, { maxLength: 4 }), (one, records) => {
      const { result, patient } = compare(one, records);
      expect(patient !== null).toBe(result === 'fits' || result === 'differs');
      if (patient === null) return;
      const found = records.filter(({ id }) => id === patient);
      const hasName = found.some(({ names }) => names.includes(one.name));
      const hasDate = found.some(({ birthDate }) => birthDate === one.birthDate);
      const hasNumber = found.some(({ identifiers }) => identifiers.some((each) => each === one.recordNumber));
      expect(hasNumber ? hasName || hasDate : hasName && hasDate && one.recordNumber === null).toBe(true);
    }),
    runs(500, 20_000),
  );
});
