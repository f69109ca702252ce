import { z } from 'zod';
import { shippedBases, shippedLevels } from './representation-defaults.js';

const id = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens');
const label = z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
const type = '[A-Z][A-Za-z]{0,63}';
const code = '[^|,%\\s/]+';
const labelText = '(?:[^|,%\\s]*\\|)?[^|,%\\s]+';
const kindPattern = new RegExp(
  `^(?:${type}(?:\\?category=${labelText}(?:,${labelText})*|\\.[a-z][A-Za-z]{0,63})?|\\?_security=${labelText}(?:,${labelText})*|contact-details)$`,
);
const kind = z
  .string()
  .regex(
    kindPattern,
    'must be a resource type, one with ?category= and its values, ?_security= with labels, an element such as DiagnosticReport.presentedForm, or contact-details',
  );
const kinds = z.union([z.literal('full'), z.array(kind)]);

/** Kinds of data that a rule keeps from a representative. */
const exclusion = z.strictObject({
  sensitive: z.boolean().default(false).describe('True for the data of `consent.sensitive` as well.'),
  types: z.array(z.string().regex(new RegExp(`^${type}$`), 'must be a resource type')).default([]),
  categories: z.array(z.string().regex(new RegExp(`^${type}/${code}$`), 'must be {type}/{code}')).default([]),
  securityLabels: z.array(z.string().regex(/^\S+$/, 'must be a code, or {system}|{code}')).default([]),
  codes: z
    .array(
      z.strictObject({
        element: z
          .string()
          .regex(
            new RegExp(`^${type}/[a-z][A-Za-z]{0,63}$`),
            'must be {type}/{element}, such as MedicationRequest/medication',
          ),
        codes: z.array(z.string().regex(/^\S+$/, 'must be a code, or {system}|{code}')).min(1),
      }),
    )
    .default([]),
});

const level = z.strictObject({
  label,
  kinds,
  without: exclusion.prefault({}),
  change: kinds.default([]),
});

const age = z.number().int().min(0).max(150);
const ageSteps = z.array(z.strictObject({ from: age, level: id.optional(), agreement: z.boolean().default(false) }));

const asked = z.enum(['needed', 'optional', 'none']).default('optional');

const basis = z.strictObject({
  label,
  relations: z
    .array(z.strictObject({ id, representative: label, patient: label }))
    .min(1)
    .max(50),
  endedBy: z.array(z.enum(['representative', 'patient', 'patient-suspends'])).default(['representative']),
  askedBy: z.array(z.enum(['invitation', 'form', 'administrator'])).default(['administrator']),
  evidence: z.strictObject({ recordNumber: asked, statement: asked, files: asked }).prefault({}),
  keptPrivate: exclusion.prefault({}),
  ages: ageSteps.default([]),
  afterDeath: z.enum(['ends', 'continues']).default('ends'),
});

/** Section `representation`: who may act for a patient, and how far. Without the section no account can. */
export const representation = z.strictObject({
  bases: z
    .record(id, basis)
    .default(shippedBases)
    .describe(
      'The grounds on which an account acts for a patient, by id: `label`, `relations` (words such as mother and child, by `id`; the first is neutral), `endedBy`, `askedBy`, `evidence` (`recordNumber`, `statement` and `files`, each `needed`, `optional` or `none`: what the form asks for next to name and birth date), `keptPrivate` (as `without` of a level, at every level), `ages` (steps `{from, level, agreement}` by completed years; `level` is a level, `not-possible` or `ends`, and without it the level of the relationship is the only limit; below the first step nothing is possible), `afterDeath`.',
    ),
  levels: z
    .record(id, level)
    .default(shippedLevels)
    .describe(
      'How far an account may act, by id: `label`, `kinds` (`full`, or a list of what is permitted, and nothing else), `without` (`sensitive`, `types`, `categories`, `securityLabels`, `codes`), `change` (kinds that may be changed).',
    ),
  accountsByRequest: z
    .boolean()
    .default(true)
    .describe(
      'True: users without an account can ask to act for a patient on a basis with `askedBy: form`. They get one of type RelatedPerson once their address is proven, which sees nothing before an approval.',
    ),
  ownAccountFrom: age
    .default(13)
    .describe('The age from which a patient with an account sees what representatives did, ends apps and is told.'),
  tenants: z
    .record(z.string(), z.strictObject({ ownAccountFrom: age.optional(), ages: z.record(id, ageSteps).default({}) }))
    .default({})
    .describe('Differences at a tenant, by its id: `ownAccountFrom`, and `ages` by basis.'),
  source: z
    .enum(['portal', 'server'])
    .default('portal')
    .describe('Whether RelatedPerson resources of the FHIR server make relationships as well (`server`).'),
  relationshipCodes: z
    .array(z.strictObject({ code: z.string().regex(/^\S+$/), basis: id, level: id, relation: id.optional() }))
    .default([])
    .describe('Basis and level of a RelatedPerson by its `relationship` (`{system}|{code}`); any other gives nothing.'),
});

type Representation = z.infer<typeof representation>;

/** True if users without an account can ask to act for a patient: they choose a password for the one that they get. */
export function takesAskers({
  representation: section,
  account,
}: {
  representation?: Representation | undefined;
  account: { localLogin: boolean };
}): boolean {
  if (!section?.accountsByRequest || !account.localLogin) return false;
  return Object.values(section.bases).some(({ askedBy }) => askedBy.includes('form'));
}

interface Zoned {
  timeZone?: string | undefined;
}

/** Sections that the representation depends on. */
interface Surroundings {
  representation?: Representation | undefined;
  fhir: { baseUrl?: string | undefined; tenants: (Zoned & { id: string })[] };
  gateway: { enabled: boolean };
  locale: Zoned;
}

const reservedLevels = ['not-possible', 'ends'];

/** Contradictions of the section with itself and with others. */
export function representationProblems({ representation: section, fhir, gateway, locale }: Surroundings): string[] {
  if (!section) return [];
  return [
    ...levelProblems(section),
    ...basisProblems(section),
    ...tenantProblems(section, fhir.tenants),
    ...timeZoneProblems(section, fhir, locale),
    ...(gateway.enabled ? [] : withoutGateway(section)),
  ];
}

/** All age tables with the place that they are written at. */
function tablesOf({ bases, tenants }: Representation) {
  return [
    ...Object.entries(bases).map(([name, { ages }]) => ({ at: `bases.${name}.ages`, ages, tenant: undefined })),
    ...Object.entries(tenants).flatMap(([tenant, own]) =>
      Object.entries(own.ages).map(([name, ages]) => ({ at: `tenants.${tenant}.ages.${name}`, ages, tenant })),
    ),
  ].map((table) => ({ ...table, at: `representation.${table.at}` }));
}

function levelProblems({ levels }: Representation): string[] {
  return Object.entries(levels).flatMap(([name, { kinds: seen, change }]) => {
    const at = `representation.levels.${name}`;
    const isMore = seen !== 'full' && (change === 'full' || change.some((one) => !seen.includes(one)));
    return [
      ...(reservedLevels.includes(name) ? [`${at}: is a word of age tables and cannot be a level`] : []),
      ...(isMore ? [`${at}.change: must be among the kinds of the level`] : []),
    ];
  });
}

function basisProblems(section: Representation): string[] {
  const { bases, levels, relationshipCodes } = section;
  const unknownLevel = (at: string, name: string | undefined) =>
    name === undefined || Object.hasOwn(levels, name) ? [] : [`${at}: there is no level ${name}`];
  return [
    ...Object.entries(bases).flatMap(([name, { relations }]) =>
      new Set(relations.map((one) => one.id)).size < relations.length
        ? [`representation.bases.${name}.relations: two have the same id`]
        : [],
    ),
    ...tablesOf(section).flatMap(({ at, ages }) => [
      ...ages.flatMap(({ level: name }, index) =>
        name !== undefined && reservedLevels.includes(name) ? [] : unknownLevel(`${at}.${index}.level`, name),
      ),
      ...(ages.some(({ from }, index) => index > 0 && from <= (ages[index - 1]?.from ?? 0))
        ? [`${at}: must be in the order of the ages, each once`]
        : []),
    ]),
    ...relationshipCodes.flatMap((one, index) => {
      const at = `representation.relationshipCodes.${index}`;
      const known = bases[one.basis];
      return [
        ...(known ? [] : [`${at}.basis: there is no basis ${one.basis}`]),
        ...unknownLevel(`${at}.level`, one.level),
        ...(known && one.relation !== undefined && !known.relations.some((word) => word.id === one.relation)
          ? [`${at}.relation: the basis has no such relation`]
          : []),
      ];
    }),
  ];
}

function tenantProblems({ tenants, bases }: Representation, known: Surroundings['fhir']['tenants']): string[] {
  return Object.entries(tenants).flatMap(([tenant, { ages }]) => [
    ...(known.some((one) => one.id === tenant)
      ? []
      : [`representation.tenants.${tenant}: is not a tenant of fhir.tenants`]),
    ...Object.keys(ages)
      .filter((name) => !Object.hasOwn(bases, name))
      .map((name) => `representation.tenants.${tenant}.ages.${name}: there is no basis ${name}`),
  ]);
}

/** An age changes at midnight where the hospital is. */
function timeZoneProblems(
  section: Representation,
  { baseUrl, tenants }: Surroundings['fhir'],
  locale: Zoned,
): string[] {
  const hasAges = tablesOf(section).some(({ ages }) => ages.length > 0);
  if (!hasAges || locale.timeZone !== undefined) return [];
  const reason = 'is required with ages in representation, which change at midnight there';
  return [
    ...(baseUrl !== undefined || tenants.length === 0 ? [`locale.timeZone: ${reason}`] : []),
    ...tenants.flatMap(({ timeZone }, index) =>
      timeZone === undefined ? [`fhir.tenants.${index}.timeZone: ${reason}, or locale.timeZone`] : [],
    ),
  ];
}

/** Without the gateway nothing reads levels: they would promise what is not kept. */
function withoutGateway(section: Representation): string[] {
  const reason = 'needs gateway.enabled, because only the gateway reads it';
  const isKept = ({ sensitive, ...lists }: z.infer<typeof exclusion>) =>
    sensitive || Object.values(lists).some((list) => list.length > 0);
  return [
    ...Object.entries(section.levels)
      .filter(([, { kinds: seen, without }]) => seen !== 'full' || isKept(without))
      .map(([name]) => `representation.levels.${name}: ${reason}; without it only full is possible`),
    ...Object.entries(section.bases)
      .filter(([, { keptPrivate }]) => isKept(keptPrivate))
      .map(([name]) => `representation.bases.${name}.keptPrivate: ${reason}`),
    ...tablesOf(section)
      .filter(({ ages }) => ages.length > 0)
      .map(({ at }) => `${at}: ${reason}`),
  ];
}
