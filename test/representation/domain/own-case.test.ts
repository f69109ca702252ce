import { mayBeSame, type Party } from '../../../src/representation/domain/own-case.js';

const ana: Party = {
  accounts: ['a1'],
  addresses: ['Ana@Example.org '],
  records: ['Patient/1', 'RelatedPerson/mother'],
  names: ['Ana Duarte', 'Ana Costa'],
  birthDate: '1990-01-02',
};
const stranger: Party = {
  accounts: ['b1'],
  addresses: ['bea@example.org'],
  records: ['Patient/2'],
  names: ['Bea Lind'],
  birthDate: undefined,
};

describe('An administrator may be a side', () => {
  it.each([
    ['by account', { accounts: ['b1', 'a1'] }, true],
    ['by mail address, however it is written', { addresses: ['other@example.org', ' ana@example.ORG'] }, true],
    ['by record', { records: ['RelatedPerson/mother'] }, true],
    ['by name, where no birth date tells them apart', { names: ['Duarte, Ana'] }, true],
    ['by an earlier name', { names: ['ana costa'] }, true],
    ['by name with birth date', { names: ['Ana Duarte'], birthDate: '1990-01-02' }, true],
    ['by name with a part of the birth date', { names: ['Ana Duarte'], birthDate: '1990' }, true],
    ['not by a name with another birth date', { names: ['Ana Duarte'], birthDate: '1990-01-03' }, false],
    ['not by a birth date alone', { birthDate: '1990-01-02' }, false],
    ['not by nothing', { accounts: [], addresses: [], records: [], names: [] }, false],
    ['not by an empty name', { names: [''] }, false],
    ['not by a part of a name', { names: ['Ana'] }, false],
  ])('%s', (_, more, same) => {
    const other = { ...stranger, ...more };
    expect(mayBeSame(ana, other)).toBe(same);
    expect(mayBeSame(other, ana)).toBe(same);
  });
});
