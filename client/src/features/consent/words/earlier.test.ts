import { allowedBefore, newsOf, sourcesOf } from '../choosing.js';
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
    const earlier = { allowed: allowedBefore(page, page.request), news: newsOf(page, page.request) };
    expect(earlierTexts(page.request, earlier, now).join(' ')).toBe(text);
  });
});

describe('A user who allowed a part of what an app asks for', () => {
  const decided = 'You decided about this app before: March.';
  const again = 'The rest is asked again. What you unchecked then is unchecked at first.';
  const [, ...rest] = fineGrainedOf('patient/Observation.rs').split(' ');

  it.each([
    [
      'patient/Condition.rs patient/Goal.rs',
      ['patient/Condition.rs'],
      [],
      'Allowed then: Goals.',
      'Nothing is new since then.',
    ],
    [
      'openid profile patient/Goal.rs',
      ['patient/Goal.rs', 'profile'],
      [],
      'Allowed then: Your sign-in identifier.',
      'Nothing is new since then.',
    ],
    ['patient/Goal.cruds', ['patient/Goal.cud'], [], 'Allowed then: Goals (in part).', 'Nothing is new since then.'],
    ['patient/Goal.cruds', ['patient/Goal.rs'], [], 'Allowed then: Goals (changes).', 'Nothing is new since then.'],
    ['patient/Observation.rs', rest, [], 'Allowed then: Laboratory.', 'Nothing is new since then.'],
    [
      'patient/*.rs',
      ['Goal', 'Observation', 'Patient', 'Practitioner'].map((type) => `patient/${type}.rs`),
      [],
      'Allowed then: Conditions.',
      'Nothing is new since then.',
    ],
    [
      'patient/*.cruds',
      ['patient/Goal.cruds', 'patient/Observation.cruds', 'patient/Patient.cruds', 'patient/Practitioner.cruds'],
      [],
      'Allowed then: Conditions.',
      'Nothing is new since then.',
    ],
    [
      'patient/Condition.rs patient/Goal.rs',
      ['patient/Condition.rs'],
      ['patient/Goal.rs'],
      '',
      'New since then: Goals.',
    ],
    [
      'patient/Goal.r patient/Flag.r patient/Task.r patient/Claim.r patient/Device.r patient/Condition.r',
      ['patient/Condition.r'],
      [],
      'Allowed then: Goals, Flag, Tasks, 2 more.',
      'Nothing is new since then.',
    ],
  ])(
    'sees what was allowed then of %s without %j, and that the rest is asked again',
    (scopes, leftOut, news, was, since) => {
      const page = pageOf(
        { scopes, fine: /Observation|Goal.cruds/.test(scopes) },
        { decidedAt: '2026-03-04T10:00:00Z', leftOutBefore: leftOut, newScopes: news },
      );
      const earlier = { allowed: allowedBefore(page, page.request), news: newsOf(page, page.request) };
      const texts = earlierTexts(page.request, earlier, new Date('2026-11-23T12:00:00Z'));
      expect(texts).toEqual([decided, ...(was ? [was] : []), again, since]);
    },
  );
});

describe('The technical details', () => {
  it('name the requested scope of a row that the app did not request itself', () => {
    const { request } = pageOf({ scopes: 'patient/*.read patient/*.rs patient/Goal.rs', fine: true });
    const sources = sourcesOf(request);
    expect(sources.get('patient/Condition.rs')).toEqual(['patient/*.rs']);
    expect(sources.get('patient/Condition.read')).toEqual(['patient/*.read']);
    expect(sources.get('patient/Goal.rs')).toBeUndefined();
    const divided = sourcesOf(pageOf({ scopes: 'patient/Observation.rs', fine: true }).request);
    expect(divided.get(fineGrainedOf('patient/Observation.rs').split(' ')[0] ?? '')).toEqual([
      'patient/Observation.rs',
    ]);
  });
});

function fineGrainedOf(text: string): string {
  return offered(text, true)
    .fineGrainedScopes.map(({ value }) => value)
    .join(' ');
}
