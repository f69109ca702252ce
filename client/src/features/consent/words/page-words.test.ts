import fc from 'fast-check';
import type { ApiScope, ConsentRequest } from '../../../../../src/contract/consent.js';
import { type AccessRow, accessRows } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { type AskedOf, summaryOf } from '../../../../../src/contract/rules/scopes/access-summary.js';
import { dividedScopes, fineGrainedScopes } from '../../../../../src/contract/rules/scopes/scope-description.js';
import { parseScope, printScope } from '../../../../../src/contract/rules/scopes/smart-scope.js';
import { runs } from '../../../../../test/support/runs.js';
import { kindName } from '../../../shared/scopes/scope-texts.js';
import './en.js';
import { kindsOf, newsOf } from '../choosing.js';
import { chipsOf } from '../selection/selection.js';
import { ConsentWords, distinctTitles } from './consent-words.js';
import { earlierTexts } from './earlier.js';
import { summaryLines } from './summary.js';

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

const variants: [name: string, variant: Variant, lines: string, rows: string[]][] = [
  [
    'a patient, several kinds, offline with an end',
    {
      scopes: 'openid patient/Condition.crus patient/Observation.rs patient/Goal.rs offline_access',
      lasting: ninetyDays,
    },
    'Your health data | See: 3 kinds of data | Change: Conditions | How long: 90 days, also when you are not there',
    [
      'Conditions [see] [change] (Allowed: see, add, change)',
      'Test results and observations [see]',
      'Goals [see] (Health goals)',
    ],
  ],
  [
    'a patient, categories and changes apart',
    { scopes: 'patient/Condition.cruds', fine: true },
    'Your health data | See and change: Conditions | How long: while you are signed in',
    [
      'Conditions [see] [change] (Conditions and diagnoses)',
      '  Problem list',
      '  Diagnoses from visits',
      '  Health concerns',
      '  Changes: Conditions',
    ],
  ],
  [
    'version 1, to read and to write apart',
    { scopes: 'patient/Goal.read patient/Goal.write patient/Flag.*' },
    'Your health data | See and change: Goals, Flag | How long: while you are signed in',
    [
      'Goals [see] [change] (Health goals)',
      '  Changes: Goals',
      'Flag [see] [change] (Allowed: see, add, change, delete)',
    ],
  ],
  [
    'several scopes of one kind',
    { scopes: 'patient/Goal.r patient/Goal.s patient/Goal.c patient/Goal.d' },
    'Your health data | See and change: Goals | How long: while you are signed in',
    ['Goals [see] [change] (Health goals)', '  Changes: Goals (add)', '  Changes: Goals (delete)'],
  ],
  [
    'a wildcard, with the kinds that it brings and those that are named',
    { scopes: 'patient/Goal.cud patient/*.rs offline_access' },
    'Your health data | See: everything | Change: Goals | How long: until you take it back, also when you are not there',
    [
      'Your whole health record [see]',
      '  Goals [see] [change]',
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
    'Your health data | See and change: everything | How long: while you are signed in',
    [
      'Your whole health record [see] [change]',
      '  Changes: Your whole health record',
      '  Test results and observations [see] [change]',
      '    Changes: Test results and observations',
      '  Conditions [see] [change]',
      '  Goals [see] [change]',
      '  Personal details [see] [change]',
      '  Practitioners [see] [change]',
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
    'search parameters beside the whole kind',
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
    'Your health data | Change: Goals | How long: while you are signed in, 90 days at most',
    ['Goals [change] (Allowed: delete)'],
  ],
  [
    'a practitioner with a patient',
    { scopes: 'patient/*.rs patient/Goal.cu patient/Condition.c', practitionerOf: patient },
    'Health data of Noah Reed | See: everything | Change: Conditions, Goals | How long: while you are signed in',
    [
      'The whole health record of Noah Reed [see]',
      '  Conditions [see] [change]',
      '    Changes: Conditions',
      '  Goals [see] [change]',
      '    Changes: Goals',
      '  Test results and observations [see]',
      '  Personal details [see]',
      '  Practitioners [see]',
    ],
  ],
  [
    'a practitioner without a patient',
    { scopes: 'user/Goal.rs user/Condition.rs user/Observation.crs', practitionerOf: null },
    'Health data of every patient you may see | See: 3 kinds of data | Change: Test results and observations | How long: while you are signed in',
    [
      'Goals [see] (Health goals)',
      'Conditions [see] (Conditions and diagnoses)',
      'Test results and observations [see] [change] (Allowed: see, add)',
    ],
  ],
  [
    'a practitioner with a patient, and every patient beside',
    { scopes: 'patient/Goal.cruds user/Goal.rs user/*.rs', practitionerOf: patient },
    'Health data of Noah Reed | See and change: Goals | Health data of every patient you may see | See: everything | How long: while you are signed in',
    [
      'Goals [see] [change] (Allowed: see, add, change, delete)',
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
      fc.constantFrom('rs', 'cud', 'cruds', 'read', 'write', 'r', 'c', 'rs?category=laboratory', 'cud?status=final'),
    )
    .map(([subject, type, what]) => `${subject}/${type}.${what}`);
  const others = fc.constantFrom('openid', 'offline_access', '__vendor', 'user/Patient.$everything');
  const scopes = fc.array(fc.oneof({ weight: 3, arbitrary: resource }, others), { minLength: 1, maxLength: 7 });
  const people = fc.constantFrom(undefined, null, patient);
  const labels = { see: 'See', change: 'Change', both: 'See and change' };
  const kindsIn = (kinds: AskedOf['see']) => {
    if (kinds === 'everything') return 'everything';
    if (kinds.length > 2) return `${kinds.length} kinds of data`;
    return kinds.map(({ type, partly }) => kindName(type) + (partly ? ' (in part)' : '')).join(', ');
  };

  it('tell the kinds that are seen and changed, of which patients, for how long, and nothing else', () => {
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
        const expected = asked.flatMap(({ reach, see, change }) => {
          const isSame = JSON.stringify(see) === JSON.stringify(change);
          const acts = isSame ? [['both', see] as const] : [['see', see] as const, ['change', change] as const];
          return [
            words.owner(reach),
            ...acts
              .filter(([, kinds]) => kinds.length > 0)
              .map(([act, kinds]) => `${labels[act]}: <b>${kindsIn(kinds)}</b>`),
          ];
        });
        const rest = lines.slice(expected.length, -1);
        expect(lines.slice(0, expected.length)).toEqual(expected);
        expect(rest).toHaveLength(more > 0 || expected.length === 0 ? 1 : 0);
        if (more > 0) expect(rest[0]).toContain(`<b>${more} other permission`);
      }),
      runs(400, 20_000),
    );
  });
});

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
