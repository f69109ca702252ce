import { type ListShape, parseList, writeList } from './list-state.js';

const shape: ListShape<'name' | 'email', 'type' | 'claim' | 'ward'> = {
  sortColumns: ['name', 'email'],
  defaultPageSize: 5,
  filters: { type: ['Patient', 'Practitioner'], claim: null, ward: /^[0-9]+[A-Z]$/ },
};
const usual = {
  searchTerm: '',
  page: 1,
  pageSize: 5,
  sortColumn: 'name',
  sortDirection: 0,
  filters: { type: [], claim: [], ward: [] },
};
const parse = (query: string) => parseList(new URLSearchParams(query), shape);

describe('the state of a list in the address', () => {
  it('is the default when the address has no parameters', () => {
    expect(parse('')).toEqual(usual);
  });

  it('is read back as written, and keeps the parameters of other lists', () => {
    const state = {
      searchTerm: 'ann & co',
      page: 3,
      pageSize: 25,
      sortColumn: 'email' as const,
      sortDirection: 1 as const,
      filters: { type: ['Patient', 'Practitioner'], claim: ['Patient/7'], ward: ['4B', '12A'] },
    };
    const written = writeList(new URLSearchParams('user=1&type=Practitioner'), state, shape);
    expect(parseList(written, shape)).toEqual(state);
    expect(written.get('user')).toBe('1');
  });

  it('leaves default values out', () => {
    expect(writeList(new URLSearchParams('page=2&type=Patient'), parse(''), shape).toString()).toBe('');
  });

  it.each([
    'page=0',
    'page=1.5',
    'page=x',
    'page=1000001',
    'pageSize=7',
    'sortColumn=password',
    'sortDirection=2',
    'type=Admin',
    'claim=',
    'ward=B4',
    'searchTerm=%00%20',
  ])('ignores %s', (query) => {
    expect(parse(query)).toEqual(usual);
  });
});
