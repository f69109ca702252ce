import {
  type ActingFor,
  type Level,
  type Relationship,
  type Representation,
  type Without,
  zones,
} from '../decision/world.js';
import type { Random } from './random.js';
import { laboratory } from './resources.js';

const nothing: Without = { types: [], categories: [], securityLabels: [], codes: [] };
const level = (kinds: Level['kinds'], more: Partial<Level> = {}): Level => ({
  kinds,
  without: nothing,
  change: [],
  ...more,
});

const levels = {
  full: level('full'),
  changing: level('full', { change: 'full' }),
  open: level('full', {
    without: {
      types: ['Flag', 'Group'],
      categories: ['Observation/survey', 'Condition/laboratory', 'AllergyIntolerance/survey'],
      securityLabels: ['MH', 'urn:labels|SEX'],
      codes: [
        { element: 'Observation/code', codes: ['urn:codes|y'] },
        { element: 'MedicationRequest/medication', codes: ['x'] },
      ],
    },
    change: ['Observation', 'Condition', 'Patient', 'Binary', 'DocumentReference', 'Encounter'],
  }),
  daily: level(
    [
      ...[
        'Observation?category=laboratory,vital-signs',
        'Condition',
        'Encounter',
        'Provenance',
        'Appointment',
        'Device',
      ],
      ...['DiagnosticReport.presentedForm', 'DiagnosticReport', 'CareTeam', 'contact-details', '?_security=SEX'],
    ],
    { without: { ...nothing, securityLabels: ['MH'] }, change: ['Observation?category=laboratory', 'Condition'] },
  ),
  documents: level([
    ...['DocumentReference', `Observation?category=${laboratory}`, 'Media?category=survey', 'Composition', 'List'],
    ...['Condition', 'Binary', 'RelatedPerson', 'Consent', 'AuditEvent', 'DiagnosticReport'],
  ]),
  basics: level(['AllergyIntolerance', 'Observation?category=vital-signs'], {
    change: ['Patient', 'AllergyIntolerance'],
  }),
} satisfies Record<string, Level>;

/** The configuration of the gateways. */
export const representation: Representation = {
  levels,
  sensitive: { types: ['Media'], categories: ['Observation/survey'], securityLabels: ['SEX', 'MH', 'PSY'] },
  bases: {
    'parental-responsibility': {
      keptPrivate: { ...nothing, securityLabels: ['PSY'] },
      ages: [
        { from: 0, level: 'changing' },
        { from: 13, level: 'daily' },
        { from: 16, level: 'basics', agreement: true },
        { from: 18, level: 'ends' },
      ],
      afterDeath: 'ends',
    },
    voluntary: { keptPrivate: nothing, ages: [{ from: 16 }], afterDeath: 'ends' },
    'power-of-attorney': { keptPrivate: nothing, ages: [], afterDeath: 'continues' },
    'court-appointed': {
      keptPrivate: { ...nothing, types: ['Goal'] },
      ages: [{ from: 0, level: 'open' }, { from: 13, level: 'not-possible' }, { from: 18 }],
      afterDeath: 'ends',
    },
    carer: { keptPrivate: nothing, ages: [{ from: 18, level: 'daily' }], afterDeath: 'ends' },
  },
};

const days = [
  ...['2025-02-28', '2025-03-01', '2026-06-15', '2026-06-14', '2024-02-29', '2026-12-31', '2026-02-28', '2026-03-01'],
];
const birthDates = [
  ...['1944-05-05', '2020-06-15', '2013-06-15', '2013-06-16', '2010-06-15', '2009', '2009-02', '2008-06', '2012-02-29'],
  ...['2008-02-29', '2007-03-01', '2026', '2026-06-16', '2030-01-01', '2013-13-01', 'unknown', '2013-02-30'],
  ...['2008-06-15', '2008', '2010', '2012-02', '1900-02-29', '2013-06-31'],
];

/** Of a relationship that is suspended: for what the record says now, or until administrators or the patient decide. */
const suspensions = [
  ...['deceased', 'agreement', 'deceased', 'agreement', 'merged', 'deleted', 'patient-ended', 'unanswered'],
];

/** Texts that are not dates, and dates after one of the days: administrators decide without them. */
const unusable = ['2030-01-01', '2026-06-16', 'unknown', '2013-13-01'];

/** Kinds that can be chosen of some of the levels, and two that are of none. */
const kinds = [
  ...['Observation?category=laboratory', 'Observation?category=vital-signs', 'Condition', 'Encounter', 'Device'],
  ...['DocumentReference', 'MedicationRequest', 'DiagnosticReport', 'AllergyIntolerance', 'contact-details', 'List'],
  ...['Observation?category=survey', '?_security=SEX', '?_security=MH', 'Media', 'Media?category=survey', 'Provenance'],
  ...['Observation?category=laboratory,vital-signs', 'Composition', 'Consent', 'Binary', 'Basic', 'Observation'],
];

/** Some of the kinds, each once. */
function chosenKinds(random: Random): string[] {
  const share = random.of([20, 50, 80]);
  const chosen = kinds.filter(() => random.percent(share));
  return chosen.length > 0 ? chosen : ['Condition'];
}

/** A level of the configuration, a third of them with chosen kinds alone. */
export function levelOf(random: Random): Pick<Relationship, 'level' | 'chosen'> {
  const level = random.of(Object.keys(levels));
  return { level, ...(random.percent(33) && { chosen: chosenKinds(random) }) };
}

/** The first or the last minute of a day, in any of the time zones, or noon. */
export function onDay(random: Random, day: string): Pick<ActingFor, 'at' | 'zone'> {
  const zone = random.of(Object.keys(zones));
  const minute = random.of([0, 1439, 1439, 720]) - (zones[zone] ?? 0);
  return { at: new Date(Date.parse(`${day}T00:00Z`) + minute * 60_000).toISOString(), zone };
}

/** A relationship that permits something most of the time. */
export function relationshipOf(random: Random): ActingFor {
  if (random.percent(50)) {
    const basis = random.of(['power-of-attorney', 'power-of-attorney', 'parental-responsibility']);
    const facts = { birthDate: basis === 'power-of-attorney' ? '1944-05-05' : '2020-06-15' };
    const relationship = { basis, ...levelOf(random), status: 'active', agreed: [] };
    return { relationship, ...onDay(random, '2026-06-15'), facts };
  }
  const bases = Object.keys(representation.bases);
  const isUndated = random.percent(20);
  const status = random.percent(92)
    ? 'active'
    : random.of(['suspended', 'ended', 'proposed', 'more-needed', 'declined']);
  const relationship: Relationship = {
    basis: random.percent(99) ? random.of([...bases, 'power-of-attorney', 'power-of-attorney']) : 'unknown',
    ...(random.percent(99) ? levelOf(random) : { level: 'unknown' }),
    status,
    ...(status === 'suspended' && { reason: random.of(suspensions) }),
    ...(random.percent(10) && { start: random.of(days) }),
    ...(random.percent(10) && { end: random.of(days) }),
    agreed: random.percent(60) ? [16] : random.of([[], [13], [18]]),
    ...(random.percent(15) && {
      above: {
        step: random.of([0, 13, 13, 16, 16, 18]),
        ...(random.percent(50) && { until: random.of(days) }),
        ...(random.percent(60) && (random.percent(97) ? levelOf(random) : { level: 'unknown' })),
      },
    }),
    ...(isUndated && { isUndated }),
  };
  const facts = {
    ...(random.percent(95) && {
      birthDate: random.of(isUndated ? [...birthDates, ...unusable, ...unusable] : birthDates),
    }),
    ...(random.percent(3) && { isDeceased: true }),
    ...(random.percent(2) && { isInactive: true }),
    ...(random.percent(2) && { isReplaced: true }),
  };
  return { relationship, ...onDay(random, random.of(days)), facts };
}
