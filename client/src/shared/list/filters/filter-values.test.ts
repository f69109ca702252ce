import { limitsOfPeriod } from './filter-values.js';

const hour = 3_600_000;
const none = { period: [], from: [], to: [] };

it('a period begins at a whole minute, its length ago, and has no end', () => {
  const { from = '', ...others } = limitsOfPeriod({ ...none, period: ['hour'] }, { hour });
  expect(from).toMatch(/:00\.000Z$/);
  const ago = Date.now() - Date.parse(from);
  expect(ago).toBeGreaterThanOrEqual(hour);
  expect(ago).toBeLessThan(hour + 61_000);
  expect(others).toEqual({});
});

it('a period takes the place of the days', () => {
  const limits = limitsOfPeriod({ period: ['hour'], from: ['2026-01-01'], to: ['2026-01-02'] }, { hour });
  expect(Date.parse(limits.from ?? '')).toBeGreaterThan(Date.now() - 2 * hour);
  expect(limits.to).toBeUndefined();
});

it('days are whole in the time zone of the browser', () => {
  expect(limitsOfPeriod({ ...none, from: ['2026-02-28'], to: ['2026-02-28'] }, { hour })).toEqual({
    from: new Date(2026, 1, 28).toISOString(),
    to: new Date(2026, 2, 1).toISOString(),
  });
});

it.each([
  ['a first day', { from: ['2026-03-01'] }, ['from']],
  ['a last day', { to: ['2026-03-01'] }, ['to']],
  ['nothing', {}, []],
  ['an unknown period', { period: ['age'] }, []],
])('%s limits no more than it names', (_, filters, limited) => {
  expect(Object.keys(limitsOfPeriod({ ...none, ...filters }, { hour }))).toEqual(limited);
});
