import { addWords } from '../../i18n/add-words.js';

const list = {
  totalOf: '{{number}} in total',
  filter: 'Filter',
  filtersSetOf: 'Set: {{number}}',
  activeFilters: 'Active filters',
  removeFilter: 'Remove filter {{filter}}',
  clearFilters: 'Clear all',
  sortBy: 'Sort by',
  ascending: '{{column}}, ascending',
  descending: '{{column}}, descending',
  pages: 'Pages',
  range: '{{from}}–{{to}} of {{total}}',
  rangeOfMore: '{{from}}–{{to}} of {{total}} or more',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  page: 'Page {{page}}',
  pageSize: 'Rows per page',
  perPage: '{{size}} / page',
  shownOf: '{{shown}} of {{total}} are shown',
  showMore: 'Show more',
} as const;

export const words = addWords({ list });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/list': typeof words;
  }
}
