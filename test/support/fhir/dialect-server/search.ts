import type { Stored } from './records.js';

/** Search parameters of each type: a name, and the elements that it looks into. */
const ofRecord = (subject: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  patient: subject,
  ...(subject === 'subject' ? { subject } : {}),
  identifier: 'identifier',
  ...more,
});

const coded = { category: 'category', code: 'code', status: 'status', encounter: 'encounter' };
export const searchParameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Patient: {
    identifier: 'identifier',
    family: 'name.family',
    name: 'name.family',
    birthdate: 'birthDate',
    'general-practitioner': 'generalPractitioner',
    organization: 'managingOrganization',
  },
  Observation: ofRecord('subject', { ...coded, date: 'effectiveDateTime', performer: 'performer' }),
  Encounter: ofRecord('subject', { status: 'status', 'service-provider': 'serviceProvider' }),
  Condition: ofRecord('subject', { ...coded, recorder: 'recorder' }),
  AllergyIntolerance: ofRecord('patient'),
  Immunization: ofRecord('patient', { status: 'status' }),
  MedicationRequest: ofRecord('subject', { status: 'status', medication: 'medicationReference' }),
  DiagnosticReport: ofRecord('subject', { ...coded, result: 'result' }),
  DocumentReference: ofRecord('subject', {
    ...{ status: 'status', type: 'type', category: 'category' },
    ...{ date: 'date', period: 'context.period.start', format: 'content.format' },
  }),
  Binary: {},
  RelatedPerson: ofRecord('patient'),
  Provenance: { target: 'target', patient: 'target', agent: 'agent.who' },
  Appointment: { patient: 'participant.actor', actor: 'participant.actor', status: 'status', identifier: 'identifier' },
  AuditEvent: { patient: 'entity.what', agent: 'agent.who', entity: 'entity.what' },
  List: ofRecord('subject', { item: 'entry.item', status: 'status' }),
  Group: { member: 'member.entity', identifier: 'identifier' },
  Practitioner: { identifier: 'identifier', family: 'name.family', name: 'name.family' },
  Organization: { identifier: 'identifier', name: 'name' },
  Location: { identifier: 'identifier', name: 'name' },
  Medication: { identifier: 'identifier', code: 'code' },
  ValueSet: { url: 'url' },
};

/** A condition that the server does not know. */
export class UnknownParameter extends Error {}

type Parameter = readonly [name: string, value: string];

/**
 * The resources that fit all conditions. Throws {@link UnknownParameter} if `strict`; else ignores it (FHIR R4
 * §3.1.1.4).
 */
export function matching(
  all: readonly Stored[],
  type: string,
  parameters: readonly Parameter[],
  strict: boolean,
): Stored[] {
  const known = searchParameters[type] ?? {};
  const tests = parameters.flatMap(([written, value]) => {
    const related = relatedTo(all, type, [written, value], strict);
    if (related) return [related];
    const [name = '', modifier] = written.split(':');
    if (name === '_id') return [(resource: Stored) => value.split(',').includes(resource.id)];
    if (name.startsWith('_') || value === '') return [];
    const path = known[name];
    if (path === undefined) {
      if (strict) throw new UnknownParameter(name);
      return [];
    }
    const fits = (resource: Stored) =>
      value.split(',').some((one) => valuesAt(resource, path).some((found) => isMatch(found, one, name)));
    return [modifier === 'not' ? (resource: Stored) => !fits(resource) : fits];
  });
  return all.filter((resource) => resource.resourceType === type && tests.every((test) => test(resource)));
}

/** The test of a chain (`subject:Patient.family`) or a reverse chain (`_has:Observation:patient:code`). */
function relatedTo(
  all: readonly Stored[],
  type: string,
  [name, value]: Parameter,
  strict: boolean,
): ((resource: Stored) => boolean) | undefined {
  const [, referring, by = '', last = ''] = /^_has:(\w+):([\w-]+):(.+)$/.exec(name) ?? [];
  if (referring !== undefined) {
    const found = matching(all, referring, [[last, value]], strict);
    const path = searchParameters[referring]?.[by] ?? '';
    const named = new Set(found.flatMap((one) => valuesAt(one, path).map(addressIn)));
    return (resource) => named.has(addressOf(resource));
  }
  const [, reference = '', named, rest = ''] = /^([\w-]+)(?::(\w+))?\.(.+)$/.exec(name) ?? [];
  const path = searchParameters[type]?.[reference];
  if (rest === '' || path === undefined) return undefined;
  const types = Object.keys(searchParameters).filter((one) => searchParameters[one]?.[rest] !== undefined);
  const asked = named === undefined ? types : types.filter((one) => one === named);
  const addresses = new Set(asked.flatMap((one) => matching(all, one, [[rest, value]], strict)).map(addressOf));
  return (resource) => valuesAt(resource, path).some((one) => addresses.has(addressIn(one)));
}

/** Included resources for `_include` and `_revinclude` (FHIR R4 §3.1.1.5.1), without those that were found. */
export function included(all: readonly Stored[], found: readonly Stored[], parameters: readonly Parameter[]): Stored[] {
  const added = parameters.flatMap(([name, value]) => {
    const [type = '', parameter = ''] = value.split(':');
    const path = searchParameters[type]?.[parameter];
    if (path === undefined) return [];
    if (name.startsWith('_include')) {
      const named = new Set(
        found.filter((one) => one.resourceType === type).flatMap((one) => valuesAt(one, path).map(addressIn)),
      );
      return all.filter((one) => named.has(addressOf(one)));
    }
    if (!name.startsWith('_revinclude')) return [];
    const addresses = new Set(found.map(addressOf));
    return all.filter(
      (one) => one.resourceType === type && valuesAt(one, path).some((value) => addresses.has(addressIn(value))),
    );
  });
  return [...new Set(added)].filter((one) => !found.includes(one));
}

export function addressOf({ resourceType, id }: Stored): string {
  return `${resourceType}/${id}`;
}

/** The record of a patient, as `$everything` has it: the patient, what belongs to it, and what that refers to. */
export function everythingOf(all: readonly Stored[], id: string): Stored[] {
  const own = all.filter((one) => {
    if (one.resourceType === 'Patient') return one.id === id;
    const path = searchParameters[one.resourceType]?.patient;
    return path !== undefined && valuesAt(one, path).some((value) => addressIn(value) === `Patient/${id}`);
  });
  const text = JSON.stringify(own);
  const shared = all.filter((one) => !own.includes(one) && isOfNoRecord(one) && text.includes(`"${addressOf(one)}"`));
  return [...own, ...shared];
}

function isOfNoRecord({ resourceType }: Stored): boolean {
  return ['Practitioner', 'Organization', 'Medication', 'Location'].includes(resourceType);
}

function valuesAt(resource: unknown, path: string): unknown[] {
  return path
    .split('.')
    .reduce<unknown[]>(
      (values, name) => values.flatMap((value) => (value as Record<string, unknown> | undefined)?.[name] ?? []),
      [resource],
    );
}

function addressIn(value: unknown): string {
  const { reference } = (value ?? {}) as { reference?: unknown };
  return typeof reference === 'string' ? (/[A-Z][A-Za-z]+\/[A-Za-z0-9.-]+$/.exec(reference)?.[0] ?? '') : '';
}

function isMatch(found: unknown, value: string, name: string): boolean {
  if (typeof found === 'string')
    return name === 'date' || name === 'period'
      ? isDate(found, value)
      : found.toLowerCase().startsWith(value.toLowerCase());
  const { reference, coding, value: own, system } = (found ?? {}) as Record<string, unknown>;
  if (typeof reference === 'string') {
    const wanted = /[A-Za-z0-9.-]+$/.exec(value)?.[0];
    const type = /([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]+$/.exec(value)?.[1];
    const [ownType, id] = addressIn(found).split('/');
    return id === wanted && (name === 'patient' ? ownType === 'Patient' : type === undefined || type === ownType);
  }
  const tokens = Array.isArray(coding) ? coding.map((one) => [one.system, one.code]) : [[system, own]];
  const [first = '', code] = value.includes('|') ? value.split('|') : ['', value];
  return tokens.some((token) => token[1] === code && (first === '' || token[0] === first));
}

function isDate(found: string, value: string): boolean {
  const [, prefix = 'eq', date = ''] = /^(eq|ge|le|gt|lt)?(.+)$/.exec(value) ?? [];
  if (prefix === 'eq') return found.startsWith(date);
  return prefix.startsWith('g') ? found >= date : found <= date;
}

/** With the elements alone that `_elements` or `_summary` asks for (FHIR R4 §3.1.1.5.8, §3.1.1.5.9). */
export function trimmed(resource: Stored, parameters: readonly Parameter[]): Stored {
  const given = (wanted: string) => parameters.find(([name]) => name === wanted)?.[1];
  const summary = given('_summary');
  const elements =
    given('_elements')?.split(',') ?? { text: ['text'], true: ['status', 'code', 'name'] }[summary ?? ''];
  const isKept = (name: string) => elements?.includes(name) ?? !(summary === 'data' && name === 'text');
  const always = ['resourceType', 'id', 'meta'];
  const kept = Object.entries(resource).filter(([name]) => always.includes(name) || isKept(name));
  return Object.fromEntries(kept) as Stored;
}
