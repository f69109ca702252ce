import { newsOf } from '../choosing.js';
import { offered, pageOf } from './asked-page.js';
import { earlierTexts } from './earlier.js';

// In an English page, read from the left.
const page = { documentElement: { dir: 'ltr' } };
beforeAll(() => Object.assign(globalThis, { document: page }));
afterAll(() => Reflect.deleteProperty(globalThis, 'document'));

describe('A user who allowed an app before', () => {
  const now = new Date('2026-11-23T12:00:00Z');

  it.each([
    ['patient/Goal.rs', '', '2026-03-04', 'You decided about this app before: March. Nothing is new since then.'],
    ['patient/Goal.rs', '', '2025-03-04', 'You decided about this app before: March 2025. Nothing is new since then.'],
    [
      'openid profile launch patient/Goal.cruds patient/Flag.rs offline_access',
      'profile launch patient/Goal.cud patient/Flag.rs offline_access',
      '2026-11-04',
      'You decided about this app before: November 4. New since then: Goals (changes), Flag, Stay connected, Your profile.',
    ],
    [
      'patient/*.rs',
      fineGrainedOf('patient/Observation.rs'),
      '2026-03-04',
      'You decided about this app before: March. New since then: Test results and observations.',
    ],
    [
      'patient/*.rs',
      ['Condition', 'Observation'].map((type) => fineGrainedOf(`patient/${type}.rs`)).join(' ') +
        ' patient/Goal.rs patient/Patient.rs patient/Practitioner.rs',
      '2026-03-04',
      'You decided about this app before: March. New since then: Your whole health record.',
    ],
    [
      'patient/Goal.r patient/Flag.r patient/Task.r patient/Claim.r patient/Device.r',
      'patient/Goal.r patient/Flag.r patient/Task.r patient/Claim.r patient/Device.r',
      '2026-03-04',
      'You decided about this app before: March. New since then: Goals, Flag, Tasks, 2 more.',
    ],
  ])('sees what is new in %s: %s, since %s', (scopes, newScopes, at, text) => {
    const decidedAt = `${at}T10:00:00Z`;
    const page = pageOf({ scopes, fine: true }, { decidedAt, newScopes: newScopes.split(' ') });
    expect(earlierTexts(page.request, newsOf(page, page.request), now).join(' ')).toBe(text);
  });
});

function fineGrainedOf(text: string): string {
  return offered(text, true)
    .fineGrainedScopes.map(({ value }) => value)
    .join(' ');
}
