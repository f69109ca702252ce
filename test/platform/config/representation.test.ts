import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ConfigError, loadConfig } from '../../../src/platform/config/load-config.js';
import { decide } from '../../../src/representation/domain/decision.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function load(config: object) {
  writeFileSync(join(folder, 'gatehouse.yaml'), stringify(config));
  return loadConfig({}, folder);
}

function problemsOf(config: object): string[] {
  try {
    load(config);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const locale = { timeZone: 'Europe/Amsterdam' };
const relations = [{ id: 'helper', representative: 'helper', patient: 'relative' }];
const full = { label: 'Full', kinds: 'full' };
const plain = { bases: { voluntary: { label: 'Chosen', relations } }, levels: { full } };
const withBasis = (more: object) => ({
  locale,
  representation: { ...plain, bases: { voluntary: { label: 'Chosen', relations, ...more } } },
});
const withLevel = (more: object) => ({
  locale,
  representation: { ...plain, levels: { full, few: { label: 'Few', kinds: ['Condition'], ...more } } },
});
const notAKind =
  'must be a resource type, one with ?category= and its values, ?_security= with labels, an element such as DiagnosticReport.presentedForm, or contact-details';

describe('The configuration of representation', () => {
  it('is off without its section', () => {
    expect(load({}).representation).toBeUndefined();
    expect(load({ locale }).representation).toBeUndefined();
  });

  it('has five bases and three levels of its own, which need a time zone and the gateway', () => {
    const { bases, levels, ownAccountFrom, source } = load({ locale, representation: {} }).representation ?? {};
    expect(Object.keys(bases ?? {})).toEqual([
      'parental-responsibility',
      'voluntary',
      'power-of-attorney',
      'court-appointed',
      'carer',
    ]);
    expect(Object.keys(levels ?? {})).toEqual(['full', 'daily', 'basics']);
    expect({ ownAccountFrom, source }).toEqual({ ownAccountFrom: 13, source: 'portal' });
    expect(problemsOf({ representation: {} })).toEqual([
      'locale.timeZone: is required with ages in representation, which change at midnight there',
    ]);
    const without = problemsOf({ locale, representation: {}, gateway: { enabled: false } });
    expect(without).toContain(
      'representation.levels.basics: needs gateway.enabled, because only the gateway reads it; without it only full is possible',
    );
    expect(without).toContain(
      'representation.bases.carer.ages: needs gateway.enabled, because only the gateway reads it',
    );
  });

  it('names from 13 on no medicine, visit, appointment, bill or laboratory result', () => {
    const { bases = {}, levels = {} } = load({ locale, representation: {} }).representation ?? {};
    for (const { ages } of [bases['parental-responsibility'], bases['court-appointed']].flatMap((one) => one ?? [])) {
      for (const { level } of ages.filter(({ from }) => from >= 13 && from < 18)) {
        const { kinds = 'full' } = levels[level ?? ''] ?? {};
        expect(kinds).not.toBe('full');
        expect(String(kinds)).not.toMatch(/Medication|Claim|ExplanationOfBenefit|Encounter|Appointment|laboratory/);
      }
    }
  });

  it('accepts full access without ages where the gateway is off', () => {
    expect(problemsOf({ representation: plain, gateway: { enabled: false } })).toEqual([]);
    expect(
      problemsOf({ ...withBasis({ keptPrivate: { types: ['Condition'] } }), gateway: { enabled: false } }),
    ).toEqual(['representation.bases.voluntary.keptPrivate: needs gateway.enabled, because only the gateway reads it']);
  });

  it('has the time zone of each tenant, or one for all', () => {
    const tenants = (timeZone?: string) => [{ id: 'north', name: 'North', baseUrl: 'https://n.example', timeZone }];
    const ages = withBasis({ ages: [{ from: 16 }] });
    expect(problemsOf({ ...ages, locale: {}, fhir: { tenants: tenants('America/New_York') } })).toEqual([]);
    expect(problemsOf({ ...ages, locale: {}, fhir: { tenants: tenants() } })).toEqual([
      'fhir.tenants.0.timeZone: is required with ages in representation, which change at midnight there, or locale.timeZone',
    ]);
    expect(problemsOf({ locale: { timeZone: 'Mars/Base' } })).toEqual([
      'locale.timeZone: must be a time zone of the IANA database, such as Europe/Amsterdam',
    ]);
  });

  it.each([
    [
      withBasis({ ages: [{ from: 13, level: 'some' }] }),
      'representation.bases.voluntary.ages.0.level: there is no level some',
    ],
    [
      withBasis({ ages: [{ from: 13 }, { from: 13 }] }),
      'representation.bases.voluntary.ages: must be in the order of the ages, each once',
    ],
    [
      withBasis({ relations: [...relations, ...relations] }),
      'representation.bases.voluntary.relations: two have the same id',
    ],
    [withBasis({ relations: [] }), 'representation.bases.voluntary.relations: must have 1 or more entries'],
    [withLevel({ change: ['Observation'] }), 'representation.levels.few.change: must be among the kinds of the level'],
    [withLevel({ kinds: ['observation'] }), `representation.levels.few.kinds.0: ${notAKind}`],
    [
      { locale, representation: { ...plain, levels: { full, ends: full } } },
      'representation.levels.ends: is a word of age tables and cannot be a level',
    ],
    [
      { locale, representation: { ...plain, tenants: { north: {} } } },
      'representation.tenants.north: is not a tenant of fhir.tenants',
    ],
    [
      {
        locale,
        representation: { ...plain, relationshipCodes: [{ code: 'MTH', basis: 'parent', level: 'some' }] },
      },
      'representation.relationshipCodes.0.basis: there is no basis parent',
    ],
  ])('is refused with a sentence: %#', (config, sentence) => {
    expect(problemsOf(config)).toContain(sentence);
  });

  it('has kinds of a known form', () => {
    const kinds = [
      'Condition',
      'Observation?category=laboratory,exam',
      '?_security=MH',
      'DiagnosticReport.presentedForm',
    ];
    expect(problemsOf(withLevel({ kinds: [...kinds, 'contact-details'] }))).toEqual([]);
  });
  const guide = readFileSync('docs/guides/acting-for-others.md', 'utf8');
  const samples = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, sample = '']) => sample);
  const numbered = samples.map((sample, index) => [index + 1, sample] as const);

  it.each(numbered)('takes sample %i of the guide', (_, sample) => {
    expect(samples).toHaveLength(5);
    expect(problemsOf(parse(sample))).toEqual([]);
  });

  it.each([
    [
      3,
      [
        [12, 'full'],
        [13, 'teen'],
        [17, 'teen'],
        [18, 'age'],
      ],
    ],
    [
      4,
      [
        [10, 'full'],
        [11, 'agreement'],
        [13, 'agreement'],
        [16, 'agreement'],
        [18, 'age'],
      ],
    ],
    [
      5,
      [
        [11, 'full'],
        [12, 'agreement'],
        [15, 'agreement'],
        [16, 'age'],
      ],
    ],
  ] as [number, [number, string][]][])('gives by sample %i of the guide what its text says', (number, expected) => {
    const { bases = {} } = load(parse(samples[number - 1] ?? '')).representation ?? {};
    const { ages = [] } = bases['parental-responsibility'] ?? {};
    const own = { level: 'full', withoutBirthDate: false, aboveTable: null, agreedSteps: [] };
    const at = (age: number) => {
      const facts = { birthDate: `${2026 - age}-06-01`, isDeceased: false, isActive: true, replacedBy: undefined };
      const decision = decide(own, { day: '2026-06-01', ages, facts, survivesDeath: false });
      return decision.permitted ? decision.levels.at(-1) : decision.cause;
    };
    expect(expected.map(([age]) => [age, at(age)])).toEqual(expected);
  });
});
