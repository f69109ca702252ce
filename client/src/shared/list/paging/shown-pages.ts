/** The pages around this one, the first and the last; a gap is a single null. */
export function shownPages(page: number, last: number): (number | null)[] {
  const near = [page - 1, page, page + 1].filter((one) => one > 1 && one < last);
  const shown = [...new Set([1, ...near, last])];
  return shown.flatMap((one, index) => (index > 0 && one - (shown[index - 1] ?? one) > 1 ? [null, one] : [one]));
}
