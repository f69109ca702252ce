import { shownPages } from './shown-pages.js';

it.each<[page: number, last: number, shown: (number | null)[]]>([
  [1, 1, [1]],
  [1, 2, [1, 2]],
  [1, 9, [1, 2, null, 9]],
  [4, 9, [1, null, 3, 4, 5, null, 9]],
  [3, 4, [1, 2, 3, 4]],
  [9, 9, [1, null, 8, 9]],
])('the pager on page %d of %d links to %j', (page, last, shown) => {
  expect(shownPages(page, last)).toEqual(shown);
});
