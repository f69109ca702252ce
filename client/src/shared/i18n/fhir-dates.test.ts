import { display } from './fhir-dates.js';

describe('a value of a FHIR resource', () => {
  it.each([
    ['1948-03-14', 'Mar 14, 1948'],
    ['1948-03', 'Mar 1948'],
    ['1948', '1948'],
    ['2026-13-45', '2026-13-45'],
    ['NB204118', 'NB204118'],
    ['Female', 'Female'],
    ['', ''],
  ])('%j is shown as %j', (value, text) => {
    expect(display(value)).toBe(text);
  });

  it.each([
    ['1948-03-14', 'March 14, 1948'],
    ['1948-03', 'March 1948'],
    ['1948', '1948'],
  ])('%j is shown in full as %j', (value, text) => {
    expect(display(value, 'long')).toBe(text);
  });

  it('that is a date with a time is shown with its time', () => {
    expect(display('2026-02-03T09:15:00Z')).toMatch(/^Feb \d, 2026, \d{1,2}:\d{2} [AP]M$/);
  });
});
