import fc from 'fast-check';
import type { AccessRow } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { type AskedKinds, acts, summaryOf } from '../../../../../src/contract/rules/scopes/access-summary.js';
import { runs } from '../../../../../test/support/runs.js';
import { kindName } from '../../../shared/scopes/scope-texts.js';
import { kindsOf } from '../choosing.js';
import { actionsOf } from '../selection/selection.js';
import { pageOf, patient, served, type Variant } from './asked-page.js';
import { summaryLines } from './summary.js';

const category = 'http://terminology.hl7.org/CodeSystem/observation-category|';

/** Titles with chips; those of parts are indented. */
function shown({ rows, words, titles }: ReturnType<typeof pageOf>, row: AccessRow, depth = 0): string[] {
  const all = new Set(row.leaves);
  const isKind = row.subject.is === 'kind' || row.subject.is === 'everything' || depth === 0;
  const actions = isKind ? actionsOf(all, row) : '';
  const changing = Object.entries({ c: 'add', u: 'change', d: 'delete' }).filter(([letter]) =>
    actions.includes(letter),
  );
  const chips = [...(/[rs]/.test(actions) ? ['see'] : []), changing.map(([, verb]) => verb).join(', ')].filter(Boolean);
  const help = depth === 0 ? words.description(row) : '';
  const text = [titles.get(row.key), ...chips.map((chip) => `[${chip}]`), ...(help ? [`(${help})`] : [])].join(' ');
  return [
    '  '.repeat(depth) + text,
    ...row.children.flatMap((child) => shown({ rows, words, titles } as ReturnType<typeof pageOf>, child, depth + 1)),
  ];
}

const ninetyDays = { seconds: 90 * 86_400, until: '2026-10-12T10:00:00Z', offlineSeconds: 90 * 86_400 };

const variants: [name: string, variant: Variant, lines: string, rows: string[]][] = [
  [
    'a patient, several kinds, offline with an end',
    {
      scopes: 'openid patient/Condition.crus patient/Observation.rs patient/Goal.rs offline_access',
      lasting: ninetyDays,
    },
    'Your health data | See: 3 kinds of data | Add and change: Conditions | How long: 90 days, also when you are not there',
    [
      'Conditions [see] [add, change] (Allowed: see, add, change)',
      'Test results and observations [see]',
      'Goals [see] (Health goals)',
    ],
  ],
  [
    'a patient, categories and changes apart',
    { scopes: 'patient/Condition.cruds', fine: true },
    'Your health data | See, add, change and delete: Conditions | How long: while you are signed in',
    [
      'Conditions [see] [add, change, delete] (Conditions and diagnoses)',
      '  Problem list',
      '  Diagnoses from visits',
      '  Health concerns',
      '  Changes: Conditions',
    ],
  ],
  [
    'version 1, to read and to write apart',
    { scopes: 'patient/Goal.read patient/Goal.write patient/Flag.*' },
    'Your health data | See, add, change and delete: Goals, Flag | How long: while you are signed in',
    [
      'Goals [see] [add, change, delete] (Health goals)',
      '  Changes: Goals',
      'Flag [see] [add, change, delete] (Allowed: see, add, change, delete)',
    ],
  ],
  [
    'several scopes of one kind',
    { scopes: 'patient/Goal.r patient/Goal.s patient/Goal.c patient/Goal.d' },
    'Your health data | See: Goals | Add: Goals | Delete: Goals | How long: while you are signed in',
    ['Goals [see] [add, delete] (Health goals)', '  Changes: Goals (add)', '  Changes: Goals (delete)'],
  ],
  [
    'a wildcard, with the kinds that it brings and those that are named',
    { scopes: 'patient/Goal.cud patient/*.rs offline_access' },
    'Your health data | See: everything | Add, change and delete: Goals | How long: until you take it back, also when you are not there',
    [
      'Your whole health record [see]',
      '  Goals [see] [add, change, delete]',
      '    Changes: Goals',
      '  Conditions [see]',
      '  Test results and observations [see]',
      '  Personal details [see]',
      '  Practitioners [see]',
    ],
  ],
  [
    'a wildcard of a patient’s user scope',
    { scopes: 'user/*.cruds patient/Observation.rs' },
    'Your health data | See, add, change and delete: everything | How long: while you are signed in',
    [
      'Your whole health record [see] [add, change, delete]',
      '  Changes: Your whole health record',
      '  Test results and observations [see] [add, change, delete]',
      '    Changes: Test results and observations',
      '  Conditions [see] [add, change, delete]',
      '  Goals [see] [add, change, delete]',
      '  Personal details [see] [add, change, delete]',
      '  Practitioners [see] [add, change, delete]',
    ],
  ],
  [
    'a wildcard of a category',
    { scopes: 'patient/*.rs?category=laboratory' },
    'Your health data | See: 5 kinds of data | How long: while you are signed in',
    [
      'Conditions, only: category laboratory [see] (Allowed: see)',
      'Goals, only: category laboratory [see] (Allowed: see)',
      'Laboratory [see] (Laboratory results)',
      'Personal details, only: category laboratory [see] (Allowed: see)',
      'Practitioners, only: category laboratory [see] (Allowed: see)',
    ],
  ],
  [
    'search parameters of one kind',
    { scopes: `patient/Observation.rs?category=${category}laboratory` },
    'Your health data | See: Test results and observations (in part) | How long: while you are signed in',
    ['Laboratory [see] (Laboratory results)'],
  ],
  [
    'search parameters next to the whole kind',
    { scopes: 'patient/Observation.rs?code=8867-4 patient/Observation.rs' },
    'Your health data | See: Test results and observations | How long: while you are signed in',
    [
      'Test results and observations [see]',
      '  Test results and observations, only: code 8867-4',
      '  Test results and observations: further data',
    ],
  ],
  [
    'several search parameters of one kind',
    { scopes: 'patient/Observation.rs?category=laboratory patient/Observation.rs?status=final' },
    'Your health data | See: Test results and observations (in part) | How long: while you are signed in',
    [
      'Test results and observations [see] (Test results and observations, only: Laboratory, status final)',
      '  Laboratory',
      '  Test results and observations, only: status final',
    ],
  ],
  [
    'unknown scopes and operations',
    {
      scopes: '__vendor https://vendor.example/all user/Patient.$everything user/Encounter.$everything patient/Goal.rs',
    },
    'Your health data | See: Goals | Also: 4 other permissions | How long: while you are signed in',
    [
      'Goals [see] (Health goals)',
      'Technical function: everything',
      '  Technical function: everything (user/Patient.$everything)',
      '  Technical function: everything (user/Encounter.$everything)',
      'Other data',
      '  __vendor',
      '  https://vendor.example/all',
    ],
  ],
  [
    'sign-in only',
    { scopes: 'openid profile' },
    'The app asks to know who you are. | How long: while you are signed in',
    [],
  ],
  [
    'nothing of data and no sign-in',
    { scopes: 'offline_access', lasting: ninetyDays },
    'The app asks for no health data. | How long: 90 days, also when you are not there',
    [],
  ],
  [
    'an end, and no offline access',
    { scopes: 'openid patient/Goal.d online_access', lasting: { ...ninetyDays, offlineSeconds: null } },
    'Your health data | Delete: Goals | How long: while you are signed in, 90 days at most',
    ['Goals [delete] (Allowed: delete)'],
  ],
  [
    'a practitioner with a patient',
    { scopes: 'patient/*.rs patient/Goal.cu patient/Condition.c', practitionerOf: patient },
    'Health data of Noah Reed | See: everything | Add: Conditions, Goals | Change: Goals | How long: while you are signed in',
    [
      'The whole health record of Noah Reed [see]',
      '  Conditions [see] [add]',
      '    Changes: Conditions',
      '  Goals [see] [add, change]',
      '    Changes: Goals',
      '  Test results and observations [see]',
      '  Personal details [see]',
      '  Practitioners [see]',
    ],
  ],
  [
    'a practitioner without a patient',
    { scopes: 'user/Goal.rs user/Condition.rs user/Observation.crs', practitionerOf: null },
    'Health data of every patient you may see | See: 3 kinds of data | Add: Test results and observations | How long: while you are signed in',
    [
      'Goals [see] (Health goals)',
      'Conditions [see] (Conditions and diagnoses)',
      'Test results and observations [see] [add] (Allowed: see, add)',
    ],
  ],
  [
    'a practitioner with a patient, and every patient besides',
    { scopes: 'patient/Goal.cruds user/Goal.rs user/*.rs', practitionerOf: patient },
    'Health data of Noah Reed | See, add, change and delete: Goals | Health data of every patient you may see | See: everything | How long: while you are signed in',
    [
      'Goals [see] [add, change, delete] (Allowed: see, add, change, delete)',
      'The whole health record of every patient you may see [see]',
      '  Goals (every patient) [see]',
      '  Conditions (every patient) [see]',
      '  Test results and observations (every patient) [see]',
      '  Personal details (every patient) [see]',
      '  Practitioners (every patient) [see]',
    ],
  ],
  [
    'types that only differ in capitals',
    { scopes: 'patient/ABc.rs patient/Abc.rs' },
    'Your health data | See: ABc, Abc | How long: while you are signed in',
    ['ABc [see]', 'Abc [see]'],
  ],
];

// In an English page, read from the left.
const page = { documentElement: { dir: 'ltr' } };
beforeAll(() => Object.assign(globalThis, { document: page }));
afterAll(() => Reflect.deleteProperty(globalThis, 'document'));

describe('The consent page says what is requested', () => {
  it.each(variants)('by %s', (_name, variant, lines, expected) => {
    const page = pageOf(variant);
    expect(
      summaryLines(page.request, page.words)
        .join(' | ')
        .replace(/<\/?b>/g, ''),
    ).toBe(lines);
    const { data, other } = page.rows;
    expect([...data, ...other].flatMap((row) => shown(page, row))).toEqual(expected);
    expect(new Set(page.titles.values()).size).toBe(page.titles.size);
    expect(kindsOf(page.rows).every(({ subject }) => ['kind', 'part'].includes(subject.is))).toBe(true);
  });
});

describe('The lines about any request', () => {
  const resource = fc
    .tuple(
      fc.constantFrom('patient', 'user'),
      fc.constantFrom('*', ...served, 'NutritionOrder'),
      fc.constantFrom(
        'rs',
        'cud',
        'cruds',
        'read',
        'write',
        'r',
        'c',
        'u',
        'd',
        'cu',
        'cd',
        'ud',
        'crs',
        'urs',
        'rs?category=laboratory',
        'cud?status=final',
      ),
    )
    .map(([subject, type, what]) => `${subject}/${type}.${what}`);
  const others = fc.constantFrom('openid', 'offline_access', '__vendor', 'user/Patient.$everything');
  const scopes = fc.array(fc.oneof({ weight: 3, arbitrary: resource }, others), { minLength: 1, maxLength: 7 });
  const people = fc.constantFrom(undefined, null, patient);
  const actsOf: Record<string, string> = {
    ...{ See: 'see', Add: 'add', Change: 'change', Delete: 'delete', 'Add and change': 'add change' },
    ...{ 'Add, change and delete': 'add change delete', 'See, add, change and delete': acts.join(' ') },
  };
  const kindsIn = (kinds: AskedKinds) => {
    if (kinds === 'everything') return 'everything';
    if (kinds.length > 2) return `${kinds.length} kinds of data`;
    return kinds.map(({ type, partly }) => kindName(type) + (partly ? ' (in part)' : '')).join(', ');
  };

  const lineOf = (line = '') => /^([^:]+): <b>(.*)<\/b>$/.exec(line) as [string, string, string] | null;

  it('tell the kinds of data by each act, of which patients, for how long, and nothing else', () => {
    fc.assert(
      fc.property(scopes, people, fc.boolean(), fc.boolean(), (some, practitionerOf, fine, ends) => {
        const variant = {
          scopes: [...new Set(some)].join(' '),
          fine,
          ...(practitionerOf !== undefined && { practitionerOf }),
        };
        const { request, words } = pageOf(ends ? { ...variant, lasting: ninetyDays } : variant);
        const lines = summaryLines(request, words);
        const { asked, others: more, offline } = summaryOf(request.apiScopes, request.ownRecord);
        const time = lines.at(-1) ?? '';
        expect(time).toMatch(/^How long: /);
        expect(time.includes('also when you are not there')).toBe(offline);
        expect(time.includes('while you are signed in')).toBe(!offline);
        expect(time.includes('90 days')).toBe(ends);
        const rest = lines.slice(0, -1);
        for (const of of asked) {
          expect(rest.shift()).toBe(words.owner(of.reach));
          const told: string[] = [];
          for (let line = lineOf(rest[0]); line && actsOf[line[1]]; rest.shift(), line = lineOf(rest[0]))
            told.push(...(actsOf[line[1]] ?? '').split(' ').map((act) => `${act} ${line?.[2]}`));
          const expected = acts.filter((act) => of[act].length > 0);
          expect(told).toEqual(expected.map((act) => `${act} ${kindsIn(of[act])}`));
        }
        expect(rest).toHaveLength(more > 0 || asked.length === 0 ? 1 : 0);
        if (more > 0) expect(rest[0]).toContain(`<b>${more} other permission`);
      }),
      runs(400, 20_000),
    );
  });
});
