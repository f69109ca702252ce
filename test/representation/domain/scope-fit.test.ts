import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import { compareKinds, fitOf } from '../../../src/representation/domain/scope-fit.js';

const without = { types: [], categories: [], securityLabels: [], codes: [] };
const rule = (kinds: LevelRule['kinds'], more: Partial<LevelRule['without']> = {}) => ({
  ...{ id: 'x', label: 'X', kinds, change: [] },
  without: { ...without, ...more },
});
const full = rule('full');
const basics = rule(['AllergyIntolerance', 'Observation?category=vital-signs']);

describe('Kinds of two rules', () => {
  it('are compared by the rules alone', () => {
    const all = compareKinds({ now: [full], later: [full, basics], surely: [full] });
    expect(all.every(({ now }) => now)).toBe(true);
    expect(all.filter(({ later }) => later).map(({ kind }) => kind)).toEqual([
      'AllergyIntolerance',
      'Observation/vital-signs',
    ]);
    expect(compareKinds({ now: [full], later: [], surely: [] }).some(({ later, surely }) => later || surely)).toBe(
      false,
    );
  });
});

describe('Kinds that were chosen one by one', () => {
  const chosen = (...kinds: string[]) => ({ ...rule(kinds), chosen: kinds });

  it('are compared next to the usual ones', () => {
    const own = chosen('Goal', 'Observation?category=s|survey,exam', '?_security=http://x|MH', 'contact-details');
    const all = compareKinds({ now: [own], later: [own, basics], surely: [] });
    expect(all.filter(({ now }) => now)).toEqual(
      ['Goal', 'Observation/survey', 'Observation/exam', '?_security=http://x|MH', 'contact-details'].map((kind) => ({
        ...{ kind, now: true, surely: false },
        later: kind.startsWith('?'),
      })),
    );
  });

  it('are none where each of two rules permits another category', () => {
    const levels = [chosen('Observation?category=laboratory'), basics];
    const granted = { scopes: ['patient/Observation.rs', 'launch/patient'], requiredScopes: [] };
    expect(fitOf(granted, levels)).toEqual({ lost: ['Observation'], ends: true });
    expect(fitOf(granted, [chosen('Observation?category=laboratory,vital-signs'), basics]).ends).toBe(false);
  });
});

describe('The grant of an app', () => {
  const app = (scopes: string[], requiredScopes: string[] = []) => ({ scopes, requiredScopes });

  it.each<[string, ReturnType<typeof app>, LevelRule[], string[], boolean]>([
    ['continues where all is left', app(['patient/Encounter.rs']), [full], [], false],
    [
      'continues without a kind',
      app(['patient/Encounter.rs', 'patient/AllergyIntolerance.rs']),
      [basics],
      ['Encounter'],
      false,
    ],
    ['ends where nothing is left', app(['patient/Encounter.rs']), [basics], ['Encounter'], true],
    ['ends without a level', app(['patient/AllergyIntolerance.rs']), [], ['AllergyIntolerance'], true],
    [
      'ends without a kind that its client needs',
      app(['patient/Encounter.rs', 'patient/AllergyIntolerance.rs'], ['patient/Encounter.rs']),
      [basics],
      ['Encounter'],
      true,
    ],
    ['is compared by category', app(['patient/Observation.rs?category=http://x|vital-signs']), [basics], [], false],
    [
      'loses a category',
      app(['patient/Observation.rs?category=laboratory']),
      [basics],
      ['Observation/laboratory'],
      true,
    ],
    ['that names no kind continues', app(['openid', 'launch/patient', 'user/Encounter.rs']), [basics], [], false],
    ['needs the permission of each level', app(['patient/Encounter.rs']), [full, basics], ['Encounter'], true],
    [
      'loses an excluded type',
      app(['patient/Encounter.rs']),
      [rule('full', { types: ['Encounter'] })],
      ['Encounter'],
      true,
    ],
  ])('%s', (_, granted, levels, lost, ends) => {
    expect(fitOf(granted, levels)).toEqual({ lost, ends });
  });
});
