import { Days } from '../../../src/audit/domain/days.js';

const iso = (date: Date) => date.toISOString();

describe('The days of a time zone', () => {
  it.each([
    ['UTC', '2026-11-22T13:00:00Z', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-22T23:30:00Z', '2026-11-22T23:00:00.000Z', '2026-11-23T23:00:00.000Z'],
    ['America/New_York', '2026-11-22T03:00:00Z', '2026-11-21T05:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-22T18:30:00Z', '2026-11-22T18:30:00.000Z', '2026-11-23T18:30:00.000Z'],
    ['Pacific/Apia', '2026-11-22T11:00:00.001Z', '2026-11-22T11:00:00.000Z', '2026-11-23T11:00:00.000Z'],
    // The clock goes forward and back there on these days.
    ['Europe/Berlin', '2026-03-29T20:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T22:30:00Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    // The clock goes forward at the beginning of a month.
    ['Africa/Cairo', '2014-08-01T10:00:00Z', '2014-07-31T22:00:00.000Z', '2014-08-01T21:00:00.000Z'],
    ['Mars/Olympus', '2026-11-22T13:00:00Z', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ])('of %s begin and end at midnight there: %s', (timeZone, moment, begin, end) => {
    const days = new Days(timeZone);
    expect([iso(days.beginOf(new Date(moment))), iso(days.endOf(new Date(moment)))]).toEqual([begin, end]);
  });

  it('before a midnight are found one by one, the earliest first', () => {
    const found = new Days('Europe/Berlin').startsBefore(new Date('2026-10-26T23:00:00Z'), 3);
    expect(found.map(iso)).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    expect(new Days('UTC').startsBefore(new Date('2026-10-26T00:00:00Z'), 0)).toEqual([]);
  });
});
