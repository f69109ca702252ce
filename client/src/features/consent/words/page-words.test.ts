import fc from 'fast-check';
import type { ApiScope, ConsentRequest } from '../../../../../src/contract/consent.js';
import { type AccessRow, accessRows } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { summaryOf } from '../../../../../src/contract/rules/scopes/access-summary.js';
import { dividedScopes, fineGrainedScopes } from '../../../../../src/contract/rules/scopes/scope-description.js';
import { parseScope, printScope } from '../../../../../src/contract/rules/scopes/smart-scope.js';
import { runs } from '../../../../../test/support/runs.js';
import { kindWord } from '../../../shared/scopes/scope-texts.js';
import './en.js';
import { kindsOf, newsOf } from '../choosing.js';
import { chipsOf } from '../selection/selection.js';
import { ConsentWords, distinctTitles } from './consent-words.js';
import { earlierText } from './earlier.js';
import { summaryText } from './summary.js';

const served = ['Condition', 'Goal', 'Observation', 'Patient', 'Practitioner'];
const patient = { id: 'Patient/1', name: 'Noah Reed', birthDate: null, recordNumber: null, canChange: true };
/** A scope with what is below it on the page. */
function offered(value: string, fine: boolean): ApiScope {
  const scope = parseScope(value);
  const below = () => {
    if (scope?.kind !== 'resource') return [];
    if (scope.type === '*') return served.map((type) => printScope({ ...scope, type }));
    return fine ? ([fineGrainedScopes(scope), dividedScopes(scope)].find((finer) => finer.length > 0) ?? []) : [];
  };
  const children = below().map((text) => offered(text, fine));
  return { value, displayName: '', description: '', required: false, fineGrainedScopes: children };
}

const category = 'http://terminology.hl7.org/CodeSystem/observation-category|';

interface Variant {
  scopes: string;
  /** A practitioner, with this patient or none; a patient by default. */
  practitionerOf?: typeof patient | null;
  fine?: boolean;
  lasting?: ConsentRequest['lasting'];
}

/** Titles with chips; those of parts are indented. */
function shown({ rows, words, titles }: ReturnType<typeof pageOf>, row: AccessRow, depth = 0): string[] {
  const all = new Set(row.leaves);
  const isKind = row.subject.is === 'kind' || row.subject.is === 'everything' || depth === 0;
  const chips = isKind ? chipsOf(all, row) : [];
  const help = depth === 0 ? words.description(row) : '';
  const text = [titles.get(row.key), ...chips.map((chip) => `[${chip}]`), ...(help ? [`(${help})`] : [])].join(' ');
  return [
    '  '.repeat(depth) + text,
    ...row.children.flatMap((child) => shown({ rows, words, titles } as ReturnType<typeof pageOf>, child, depth + 1)),
  ];
}

function pageOf({ scopes, practitionerOf, fine = false, lasting }: Variant, further: Partial<ConsentRequest> = {}) {
  const isIdentity = (text: string) => ['identity', 'launch'].includes(parseScope(text)?.kind ?? '');
  const texts = scopes.split(' ');
  const request: ConsentRequest = {
    clientName: 'App',
    identityScopes: texts
      .filter(isIdentity)
      .map((value) => ({ value, displayName: '', description: '', required: value === 'openid' })),
    apiScopes: texts.filter((text) => !isIdentity(text)).map((text) => offered(text, fine)),
    redirectHost: 'app.example',
    firstTime: true,
    decidedAt: null,
    leftOutBefore: [],
    newScopes: [],
    ownRecord: practitionerOf === undefined,
    sensitive: { whole: [], partly: [] },
    lasting: lasting ?? { seconds: null, until: null, offlineSeconds: null },
    patient: practitionerOf ?? null,
    contextVersion: '',
    legalCompanyName: null,
    contactUsUrl: null,
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    isTrial: false,
    ...further,
  };
  const rows = accessRows(request.apiScopes, request.ownRecord);
  const words = new ConsentWords(request);
  const titles = distinctTitles(words, [...rows.data, ...rows.other, ...rows.lasting]);
  return { request, rows, words, titles };
}

const ninetyDays = { seconds: 90 * 86_400, until: '2026-10-12T10:00:00Z', offlineSeconds: 90 * 86_400 };

const variants: [name: string, variant: Variant, sentence: string, rows: string[]][] = [
  [
    'a patient, several kinds, offline with an end',
    {
      scopes: 'openid patient/Condition.crus patient/Observation.rs patient/Goal.rs offline_access',
      lasting: ninetyDays,
    },
    'see 3 kinds of your health data and change your conditions, for 90 days, also when you are not there',
    [
      'Conditions [see] [change] (See, add and change your conditions and diagnoses)',
      'Test results and observations [see] (Your test results and observations)',
      'Goals [see] (Your health goals)',
    ],
  ],
  [
    'a patient, categories and changes apart',
    { scopes: 'patient/Condition.cruds', fine: true },
    'see and change your conditions, while you are signed in',
    [
      'Conditions [see] [change] (Your conditions and diagnoses)',
      '  Problem list',
      '  Diagnoses from visits',
      '  Health concerns',
      '  Let it change conditions',
    ],
  ],
  [
    'version 1, to read and to write apart',
    { scopes: 'patient/Goal.read patient/Goal.write patient/Flag.*' },
    'see and change your health goals and flag, while you are signed in',
    [
      'Goals [see] [change] (Your health goals)',
      '  Let it change health goals',
      'Flag [see] [change] (See, add, change and delete your flag)',
    ],
  ],
  [
    'several scopes of one kind',
    { scopes: 'patient/Goal.r patient/Goal.s patient/Goal.c patient/Goal.d' },
    'see and change your health goals, while you are signed in',
    ['Goals [see] [change] (Your health goals)', '  Let it add health goals', '  Let it delete health goals'],
  ],
  [
    'a wildcard, with the kinds that it brings and those that are named',
    { scopes: 'patient/Goal.cud patient/*.rs offline_access' },
    'see everything in your record and change your health goals, until you revoke it, also when you are not there',
    [
      'Everything in your record [see]',
      '  Goals [see] [change]',
      '    Let it change health goals',
      '  Conditions [see]',
      '  Test results and observations [see]',
      '  Personal details [see]',
      '  Practitioners [see]',
    ],
  ],
  [
    'a wildcard of a patient’s user scope',
    { scopes: 'user/*.cruds patient/Observation.rs' },
    'see and change everything in your record, while you are signed in',
    [
      'Everything in your record [see] [change]',
      '  Let it change your record',
      '  Test results and observations [see] [change]',
      '    Let it change test results and observations',
      '  Conditions [see] [change]',
      '  Goals [see] [change]',
      '  Personal details [see] [change]',
      '  Practitioners [see] [change]',
    ],
  ],
  [
    'a wildcard of a category',
    { scopes: 'patient/*.rs?category=laboratory' },
    'see 5 kinds of your health data, while you are signed in',
    [
      'Conditions, only category laboratory [see] (See your conditions)',
      'Goals, only category laboratory [see] (See your health goals)',
      'Laboratory [see] (Your laboratory results)',
      'Personal details, only category laboratory [see] (See your personal details)',
      'Practitioners, only category laboratory [see] (See your practitioners)',
    ],
  ],
  [
    'search parameters of one kind',
    { scopes: `patient/Observation.rs?category=${category}laboratory` },
    'see some of your test results and observations, while you are signed in',
    ['Laboratory [see] (Your laboratory results)'],
  ],
  [
    'search parameters beside the whole kind',
    { scopes: 'patient/Observation.rs?code=8867-4 patient/Observation.rs' },
    'see your test results and observations, while you are signed in',
    [
      'Test results and observations [see] (Your test results and observations)',
      '  Test results and observations, only code 8867-4',
      '  Other test results and observations',
    ],
  ],
  [
    'several search parameters of one kind',
    { scopes: 'patient/Observation.rs?category=laboratory patient/Observation.rs?status=final' },
    'see some of your test results and observations, while you are signed in',
    [
      'Test results and observations [see] (Test results and observations, only Laboratory; status final)',
      '  Laboratory',
      '  Test results and observations, only status final',
    ],
  ],
  [
    'unknown scopes and operations',
    {
      scopes: '__vendor https://vendor.example/all user/Patient.$everything user/Encounter.$everything patient/Goal.rs',
    },
    'see your health goals and use 4 other permissions, while you are signed in',
    [
      'Goals [see] (Your health goals)',
      'Operation everything',
      '  Operation everything (user/Patient.$everything)',
      '  Operation everything (user/Encounter.$everything)',
      'Other data',
      '  __vendor',
      '  https://vendor.example/all',
    ],
  ],
  ['sign-in only', { scopes: 'openid profile' }, 'know who you are, while you are signed in', []],
  [
    'nothing of data and no sign-in',
    { scopes: 'offline_access', lasting: ninetyDays },
    'see none of your health data, for 90 days, also when you are not there',
    [],
  ],
  [
    'an end, and no offline access',
    { scopes: 'openid patient/Goal.d online_access', lasting: { ...ninetyDays, offlineSeconds: null } },
    'change your health goals, while you are signed in, for 90 days at most',
    ['Goals [change] (Delete your health goals)'],
  ],
  [
    'a practitioner with a patient',
    { scopes: 'patient/*.rs patient/Goal.cu patient/Condition.c', practitionerOf: patient },
    "see everything in Noah Reed's record and change conditions and health goals, while you are signed in",
    [
      "Everything in Noah Reed's record [see]",
      '  Conditions [see] [change]',
      '    Let it change conditions',
      '  Goals [see] [change]',
      '    Let it change health goals',
      '  Test results and observations [see]',
      '  Personal details [see]',
      '  Practitioners [see]',
    ],
  ],
  [
    'a practitioner without a patient',
    { scopes: 'user/Goal.rs user/Condition.rs user/Observation.crs', practitionerOf: null },
    'see 3 kinds of the health data of every patient you may see and change test results and observations, while you are signed in',
    [
      'Goals [see] (The health goals of every patient you may see)',
      'Conditions [see] (The conditions and diagnoses of every patient you may see)',
      'Test results and observations [see] [change] (See and add the test results and observations of every patient you may see)',
    ],
  ],
  [
    'a practitioner with a patient, and every patient beside',
    { scopes: 'patient/Goal.cruds user/Goal.rs user/*.rs', practitionerOf: patient },
    "see and change Noah Reed's health goals and see everything in the record of every patient you may see, while you are signed in",
    [
      "Goals [see] [change] (See, add, change and delete Noah Reed's health goals)",
      'Everything in the record of every patient you may see [see]',
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
    'see your abc and abc, while you are signed in',
    ['Abc [see] (Your abc)', 'Abc (patient/Abc.rs) [see] (Your abc)'],
  ],
];

// In an English page, read from the left.
const page = { documentElement: { dir: 'ltr' } };
beforeAll(() => Object.assign(globalThis, { document: page }));
afterAll(() => Reflect.deleteProperty(globalThis, 'document'));

describe('The consent page says what is requested', () => {
  it.each(variants)('by %s', (_name, variant, sentence, expected) => {
    const page = pageOf(variant);
    expect(summaryText(page.request, page.words).replace(/<\/?b>/g, '')).toBe(`It wants to ${sentence}.`);
    const { data, other } = page.rows;
    expect([...data, ...other].flatMap((row) => shown(page, row))).toEqual(expected);
    expect(new Set(page.titles.values()).size).toBe(page.titles.size);
    expect(kindsOf(page.rows).every(({ subject }) => ['kind', 'part'].includes(subject.is))).toBe(true);
  });
});

describe('The sentence of any request', () => {
  const resource = fc
    .tuple(
      fc.constantFrom('patient', 'user'),
      fc.constantFrom('*', ...served, 'NutritionOrder'),
      fc.constantFrom('rs', 'cud', 'cruds', 'read', 'write', 'r', 'c', 'rs?category=laboratory', 'cud?status=final'),
    )
    .map(([subject, type, what]) => `${subject}/${type}.${what}`);
  const others = fc.constantFrom('openid', 'offline_access', '__vendor', 'user/Patient.$everything');
  const scopes = fc.array(fc.oneof({ weight: 3, arbitrary: resource }, others), { minLength: 1, maxLength: 7 });
  const people = fc.constantFrom(undefined, null, patient);
  const phrases = { see: 'see', change: 'change', both: 'see and change' };

  it('tells the kinds that are seen and changed, of which patients, for how long, and nothing else', () => {
    fc.assert(
      fc.property(scopes, people, fc.boolean(), fc.boolean(), (some, practitionerOf, fine, ends) => {
        const variant = {
          scopes: [...new Set(some)].join(' '),
          fine,
          ...(practitionerOf !== undefined && { practitionerOf }),
        };
        const { request, words } = pageOf(ends ? { ...variant, lasting: ninetyDays } : variant);
        const text = summaryText(request, words);
        const { asked, others: more, offline } = summaryOf(request.apiScopes, request.ownRecord);
        expect(text.includes('also when you are not there.')).toBe(offline);
        expect(text.includes('while you are signed in')).toBe(!offline);
        expect(text.includes('90 days')).toBe(ends);
        expect(text.includes(' other permission')).toBe(more > 0);
        const emphasised = [...text.matchAll(/<b>(.*?)<\/b>([^<]*)/g)].map(([, what = '', of = '']) => ({ what, of }));
        const named = asked.flatMap(({ reach, see, change }) => {
          const isSame = JSON.stringify(see) === JSON.stringify(change);
          const acts = isSame ? [['both', see] as const] : [['see', see] as const, ['change', change] as const];
          return acts.filter(([, kinds]) => kinds.length > 0).map(([act, kinds]) => ({ reach, act, kinds }));
        });
        for (const [index, { reach, act, kinds }] of named.entries()) {
          const { what, of } = emphasised[index] ?? { what: '', of: '' };
          expect(what).toMatch(new RegExp(`^${phrases[act]} `));
          if (kinds === 'everything') {
            expect([what, of]).toEqual([
              `${phrases[act]} everything`,
              expect.stringContaining(` in ${words.ownedBy(reach, 'record')}`),
            ]);
          } else if (kinds.length > 2) {
            expect([what, of]).toEqual([
              `${phrases[act]} ${kinds.length} kinds`,
              expect.stringContaining(` of ${words.ownedBy(reach, 'health data')}`),
            ]);
          } else {
            for (const { type } of kinds) expect(what).toContain(kindWord(type));
            expect(what.split('some of ').length - 1).toBe(kinds.filter(({ partly }) => partly).length);
          }
        }
        const isCounted = more > 0 || named.length === 0;
        expect(emphasised).toHaveLength(named.length + (isCounted ? 1 : 0));
      }),
      runs(400, 20_000),
    );
  });
});

describe('A user who allowed an app before', () => {
  const now = new Date('2026-11-23T12:00:00Z');

  it.each([
    ['patient/Goal.rs', '', '2026-03-04', 'You allowed this in March. Nothing is new since then.'],
    ['patient/Goal.rs', '', '2025-03-04', 'You allowed this in March 2025. Nothing is new since then.'],
    [
      'openid profile launch patient/Goal.cruds patient/Flag.rs offline_access',
      'profile launch patient/Goal.cud patient/Flag.rs offline_access',
      '2026-11-04',
      'You allowed this on November 4. New since then: Changes to Goals, Flag, Stay connected and Your profile.',
    ],
    [
      'patient/*.rs',
      fineGrainedOf('patient/Observation.rs'),
      '2026-03-04',
      'You allowed this in March. New since then: Test results and observations.',
    ],
    [
      'patient/*.rs',
      ['Condition', 'Observation'].map((type) => fineGrainedOf(`patient/${type}.rs`)).join(' ') +
        ' patient/Goal.rs patient/Patient.rs patient/Practitioner.rs',
      '2026-03-04',
      'You allowed this in March. New since then: Everything in your record.',
    ],
    [
      'patient/Goal.r patient/Flag.r patient/Task.r patient/Claim.r patient/Device.r',
      'patient/Goal.r patient/Flag.r patient/Task.r patient/Claim.r patient/Device.r',
      '2026-03-04',
      'You allowed this in March. New since then: Goals, Flag, Tasks and 2 more.',
    ],
  ])('sees what is new in %s: %s, since %s', (scopes, newScopes, at, text) => {
    const decidedAt = `${at}T10:00:00Z`;
    const page = pageOf({ scopes, fine: true }, { decidedAt, newScopes: newScopes.split(' ') });
    expect(earlierText(page.request, newsOf(page, page.request), now)).toBe(text);
  });
});

function fineGrainedOf(text: string): string {
  return offered(text, true)
    .fineGrainedScopes.map(({ value }) => value)
    .join(' ');
}
