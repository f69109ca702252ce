import { freshMs, isFresh } from '../../../src/representation/domain/patient-facts.js';

const at = new Date('2026-05-10T10:00:00Z');
const minute = 60_000;

describe('An answer of the FHIR server', () => {
  it.each([
    ['that was read now', freshMs, true],
    ['that is asked for again in a moment', 1, true],
    ['whose time is over', 0, false],
    ['that was read by a request that began later', freshMs + 1, true],
    ['that was read while the clock was a minute ahead', freshMs + minute, true],
    ['that was read while the clock was further ahead', freshMs + minute + 1, false],
    ['that was read while the clock was a day ahead', freshMs + 24 * 60 * minute, false],
  ])('%s: %i ms are left', (_, left, expected) => {
    expect(isFresh(at.getTime() + left, at)).toBe(expected);
  });
});
