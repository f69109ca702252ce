import { ago, longDate } from './dates.js';

const at = (year: number, month: number, date: number, hour: number, minute: number) =>
  new Date(year, month - 1, date, hour, minute).toISOString();

describe('a long date', () => {
  it.each([
    [at(2026, 10, 12, 9, 41), 'October 12, 2026', '9:41 AM'],
    [at(2026, 9, 3, 16, 5), 'September 3, 2026', '4:05 PM'],
    [at(2027, 1, 1, 0, 0), 'January 1, 2027', '12:00 AM'],
    [at(2027, 1, 1, 12, 0), 'January 1, 2027', '12:00 PM'],
  ])('%s has the American format with a 12-hour clock', (iso, date, time) => {
    expect(longDate(iso)).toEqual({ date, time });
  });

  it.each([null, '', 'not a date'])("is 'N/A' for %p", (value) => {
    expect(longDate(value)).toEqual({ date: 'N/A', time: '' });
  });
});

describe('how long ago something was', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  it.each([
    ['2026-11-23T12:00:20Z', 'this minute'],
    ['2026-11-23T11:59:01Z', 'this minute'],
    ['2026-11-23T11:58:59Z', '1 minute ago'],
    ['2026-11-23T11:00:01Z', '59 minutes ago'],
    ['2026-11-23T11:00:00Z', '1 hour ago'],
    ['2026-11-22T12:00:00Z', 'yesterday'],
    ['2026-03-03T12:00:00Z', '265 days ago'],
  ])('%s is %s', (iso, text) => {
    expect(ago(iso, now)).toBe(text);
  });
});
