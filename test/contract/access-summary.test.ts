import { type Act, type AskedKinds, acts, summaryOf } from '../../src/contract/rules/scopes/access-summary.js';
import type { ChoosableScope } from '../../src/contract/rules/scopes/scope-choice.js';

const asked = (value: string, ...below: string[]): ChoosableScope => ({
  value,
  fineGrainedScopes: below.map((text) => asked(text)),
});
const all = (...texts: string[]) => texts.map((text) => asked(text));
/** What is asked for by each act; nothing by those that are not named. */
const by = (some: Partial<Record<Act, AskedKinds>>) => Object.fromEntries(acts.map((act) => [act, some[act] ?? []]));
const observation = 'patient/Observation';
const [lab, survey] = [`${observation}.rs?category=laboratory`, `${observation}.rs?category=survey`] as const;

describe('The sum of a request', () => {
  it('has the access to the data of all patients, operations, unknown scopes and the duration', () => {
    const requested = all(
      'system/Goal.rs',
      'user/Flag.cud',
      'system/*.$export',
      '__vendor',
      '__other',
      'online_access',
    );
    const flag = [{ type: 'Flag', partly: false }];
    expect(summaryOf(requested, false)).toEqual({
      asked: [
        { reach: 'many', ...by({ add: flag, change: flag, delete: flag }) },
        { reach: 'all', ...by({ see: [{ type: 'Goal', partly: false }] }) },
      ],
      others: 3,
      offline: false,
    });
    expect(summaryOf(all('offline_access'), false)).toEqual({ asked: [], others: 0, offline: true });
  });

  it('names kinds next to everything that is only seen', () => {
    const requested = [
      asked('patient/*.rs', 'patient/Goal.rs', 'patient/Flag.rs'),
      ...all('patient/Goal.cud', 'patient/Flag.c?status=final'),
    ];
    const goal = { type: 'Goal', partly: false };
    const add = [goal, { type: 'Flag', partly: true }];
    expect(summaryOf(requested, false).asked).toEqual([
      { reach: 'one', see: 'everything', add, change: [goal], delete: [goal] },
    ]);
  });

  it('names a kind as whole that was requested whole, also where its parts can be chosen, and where one of its scopes has no query', () => {
    const kinds = (...requested: ChoosableScope[]) => summaryOf(requested, false).asked.map(({ see }) => see);
    const whole = [[{ type: 'Observation', partly: false }]];
    expect(kinds(asked(`${observation}.rs`, lab, survey))).toEqual(whole);
    expect(kinds(asked(`${observation}.rs`), asked(lab))).toEqual(whole);
    expect(kinds(...all(lab, survey))).toEqual([[{ type: 'Observation', partly: true }]]);
  });

  it('names the part of a kind that a wildcard with a query selects', () => {
    const goal = [{ type: 'Goal', partly: false }];
    const requested = [asked('patient/*.rs?_id=1', 'patient/Goal.rs?_id=1'), asked('patient/Goal.cud')];
    expect(summaryOf(requested, false).asked).toEqual([
      { reach: 'one', see: [{ type: 'Goal', partly: true }], add: goal, change: goal, delete: goal },
    ]);
  });

  it('does not name the changes of all kinds as a kind', () => {
    const everything = by({ add: 'everything', change: 'everything', delete: 'everything' });
    const requested = [asked('patient/*.cruds', 'patient/Goal.rs', 'patient/Goal.cud')];
    expect(summaryOf(requested, true).asked).toEqual([{ reach: 'one', ...everything, see: 'everything' }]);
    const apart = [asked('patient/*.rs', 'patient/Goal.rs'), asked('patient/*.cud', 'patient/Goal.cud')];
    expect(summaryOf(apart, true).asked).toEqual([{ reach: 'one', ...everything, see: 'everything' }]);
    const only = [asked('patient/*.cud', 'patient/Goal.cud'), asked('patient/Goal.rs')];
    expect(summaryOf(only, true).asked).toEqual([
      { reach: 'one', ...everything, see: [{ type: 'Goal', partly: false }] },
    ]);
  });
});
