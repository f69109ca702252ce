/** Rule `chosen-kinds`: what is left of a level of which a patient chose single kinds (decision 0170). */
import type { Level, Representation, Without } from './world.js';

/** Of a level that permits everything these can be chosen, and what levels name of other types. */
const ofEverything = [
  ...['Appointment', 'MedicationRequest', 'AllergyIntolerance', 'Immunization', 'Observation?category=laboratory'],
  ...['Observation?category=vital-signs', 'Condition', 'Procedure', 'DiagnosticReport', 'Encounter', 'CarePlan'],
  ...['DocumentReference', 'Claim', 'contact-details'],
];

const typeOf = (kind: string) => kind.replace(/[?.].*/, '');

export function withChosen(
  level: Level,
  chosen: readonly string[] | undefined,
  { levels, sensitive }: Pick<Representation, 'levels' | 'sensitive'>,
): Level {
  if (!chosen) return level;
  const named = Object.values(levels).flatMap(({ kinds }) => (kinds === 'full' ? [] : kinds));
  const sensitiveKinds = [
    ...sensitive.types,
    ...sensitive.categories.map((one) => one.replace('/', '?category=')),
    ...sensitive.securityLabels.map((label) => `?_security=${label}`),
  ];
  const { kinds: own } = level;
  const isOwn = (kind: string) =>
    own === 'full'
      ? ofEverything.includes(kind) ||
        named.some((one) => one === kind && !ofEverything.map(typeOf).includes(typeOf(one)))
      : own.includes(kind);
  /** A sensitive part of what a level names. */
  const isPart = (kind: string) =>
    sensitiveKinds.includes(kind) &&
    (own === 'full' || own.includes(typeOf(kind)) || own.some((one) => isAmong(one, kind)));
  const kinds = chosen.filter(
    (kind) => !/\./.test(kind) && (isOwn(kind) || isPart(kind)) && !isKeptPrivate(kind, level.without),
  );
  const files = own === 'full' ? [] : own.filter((kind) => /\./.test(kind) && kinds.map(typeOf).includes(typeOf(kind)));
  const isOut = (kind: string) => !chosen.some((one) => one === kind || isAmong(one, kind));
  const without = {
    types: sensitive.types.filter((type) => !chosen.some((kind) => typeOf(kind) === type)),
    categories: sensitive.categories.filter((one) => isOut(one.replace('/', '?category='))),
    securityLabels: sensitive.securityLabels.filter((label) => isOut(`?_security=${label}`)),
  };
  return {
    kinds: [...kinds, ...files],
    change: [],
    without: {
      types: [...level.without.types, ...without.types],
      categories: [...level.without.categories, ...without.categories],
      securityLabels: [...level.without.securityLabels, ...without.securityLabels],
      codes: level.without.codes,
    },
  };
}

/** True if a kind with several values has that of another one. */
function isAmong(kind: string, one: string): boolean {
  const [base, values = ''] = kind.split('=');
  const [otherBase, value = ''] = one.split('=');
  return base === otherBase && values.split(',').includes(value);
}

/** True if the level keeps all of the kind private. */
function isKeptPrivate(kind: string, { types, categories, securityLabels }: Without): boolean {
  const [, label] = kind.split('?_security=');
  if (label !== undefined) return securityLabels.some((one) => one === label || label.endsWith(`|${one}`));
  const [, values = ''] = kind.split('?category=');
  const isOut = (value: string) => categories.includes(`${typeOf(kind)}/${value.replace(/.*\|/, '')}`);
  return types.includes(typeOf(kind)) || (values !== '' && values.split(',').every(isOut));
}
