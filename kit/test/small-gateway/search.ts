import type { Json, Resource } from './records.js';
import { keyOf, valuesAt } from './store.js';

/** A search is carried out on the resources that it gets: what is not among them does not exist for it. */
export type View = ReadonlyMap<string, Resource>;

interface Parameter {
  path: string;
  kind: 'reference' | 'token' | 'text' | 'date';
}

const PATIENT: Record<string, string> = {
  Appointment: 'participant.actor',
  AuditEvent: 'entity.what',
  Coverage: 'beneficiary',
  Provenance: 'target',
  RelatedPerson: 'patient',
  Device: 'patient',
  AllergyIntolerance: 'patient',
};
const to = (path: string): Parameter => ({ path, kind: 'reference' });
const token = (path: string): Parameter => ({ path, kind: 'token' });
const OWN: Record<string, Record<string, Parameter>> = {
  Patient: {
    family: { path: 'name.family', kind: 'text' },
    name: { path: 'name.family', kind: 'text' },
    birthdate: { path: 'birthDate', kind: 'date' },
    telecom: token('telecom.value'),
    gender: token('gender'),
    active: token('active'),
    'general-practitioner': to('generalPractitioner'),
    organization: to('managingOrganization'),
    link: to('link.other'),
  },
  Encounter: {
    participant: to('participant.individual'),
    location: to('location.location'),
    'service-provider': to('serviceProvider'),
  },
  Observation: {
    encounter: to('encounter'),
    performer: to('performer'),
    focus: to('focus'),
    code: token('code.coding.code'),
    category: token('category.coding.code'),
    date: { path: 'effectiveDateTime', kind: 'date' },
  },
  Condition: { encounter: to('encounter'), code: token('code.coding.code'), category: token('category.coding.code') },
  MedicationRequest: { medication: to('medicationReference'), requester: to('requester') },
  DiagnosticReport: { result: to('result') },
  List: { item: to('entry.item') },
  Provenance: { target: to('target'), agent: to('agent.who') },
  AuditEvent: { entity: to('entity.what'), agent: to('agent.who') },
  Appointment: { actor: to('participant.actor') },
  CareTeam: { participant: to('participant.member') },
  Coverage: { beneficiary: to('beneficiary') },
  Group: { member: to('member.entity') },
  Practitioner: { family: { path: 'name.family', kind: 'text' } },
  Organization: { name: { path: 'name', kind: 'text' } },
  Location: { name: { path: 'name', kind: 'text' } },
  Medication: { code: token('code.coding.code') },
  DocumentReference: {},
  RelatedPerson: {},
  Device: {},
  AllergyIntolerance: {},
  Subscription: {},
};
const BY_SUBJECT = [
  'Encounter',
  'Observation',
  'Condition',
  'MedicationRequest',
  'DiagnosticReport',
  'DocumentReference',
  'List',
  'CareTeam',
];

/** The parameters of all types. */
const ANY: Record<string, Parameter> = {
  _id: token('id'),
  _tag: token('meta.tag.code'),
  _security: token('meta.security.code'),
  _profile: { path: 'meta.profile', kind: 'text' },
  _source: { path: 'meta.source', kind: 'text' },
  identifier: token('identifier.value'),
};

export const TYPES = [...Object.keys(OWN), 'Binary'];

/** The search parameters of a type. */
export function parametersOf(type: string): Record<string, Parameter> {
  const subject: Record<string, Parameter> = BY_SUBJECT.includes(type)
    ? { patient: to('subject'), subject: to('subject') }
    : {};
  const patient: Record<string, Parameter> = PATIENT[type] ? { patient: to(PATIENT[type]) } : {};
  return { ...ANY, ...subject, ...patient, ...OWN[type] };
}

/** The parameters of a search that are not conditions. */
const RESULT =
  /^(?:_count|_offset|_total|_summary|_elements|_sort|_format|_pretty|_include|_revinclude|_include:iterate|_revinclude:iterate|_include:recurse|_revinclude:recurse|_contained|_containedType|_query|_since|_getpages|_method|metadata|access_token)$/;

export class BadRequest extends Error {}

export type Query = [name: string, value: string][];

/** The conditions of a search; one without a value does not count. */
export const conditionsOf = (query: Query) => query.filter(([name, value]) => !RESULT.test(name) && value !== '');

/** The matches of a search; chained conditions look at `reach`. @throws BadRequest for what it does not know */
export function matches(type: string, query: Query, view: View, reach = view): Resource[] {
  const conditions = conditionsOf(query);
  for (const [name] of conditions) {
    const [code = ''] = name.split(/[.:]/);
    if (!/^_(?:has|list|content|text|filter|lastUpdated)$/.test(code) && !parametersOf(type)[code])
      throw new BadRequest(`the parameter ${code} is not known`);
  }
  return [...view.values()].filter(
    (resource) =>
      resource.resourceType === type && conditions.every(([name, value]) => meets(resource, name, value, reach)),
  );
}

function meets(resource: Resource, name: string, value: string, view: View): boolean {
  if (name === '_has' || name.startsWith('_has:')) return meetsHas(resource, name.slice('_has:'.length), value, view);
  if (name === '_lastUpdated') return true;
  if (name === '_list') return meetsList(resource, value, view);
  if (name === '_content' || name === '_text') return JSON.stringify(resource).includes(value);
  if (name === '_filter') return meetsFilter(resource, value);
  const [first = '', ...chain] = name.split('.');
  const [code = '', modifier = ''] = first.split(':');
  const parameter = parametersOf(resource.resourceType)[code];
  if (!parameter) throw new BadRequest(`the parameter ${code} is not known`);
  const values = valuesAt(resource, parameter.path);
  if (modifier === 'missing') return (values.length === 0) === (value === 'true');
  if (chain.length > 0) return meetsChain(values, chain.join('.'), value, view);
  const wanted = value.split(',');
  if (modifier === 'not') return !wanted.some((one) => isEqual(values, one, parameter));
  if (modifier === 'identifier') return meetsChain(values, 'identifier', value, view);
  if (modifier === 'text') return JSON.stringify(resource[code] ?? '').includes(`"text":"${value}`);
  if (modifier === 'contains') return values.some((one) => String(one).toLowerCase().includes(value.toLowerCase()));
  if (modifier === 'exact') return values.includes(value);
  if (modifier === 'of-type') return values.includes(value.split('|')[2]);
  if (modifier !== '' && !/^[A-Z]/.test(modifier)) throw new BadRequest(`the modifier ${modifier} is not known`);
  return wanted.some((one) => isEqual(values, one, parameter, modifier || undefined));
}

function isEqual(values: unknown[], wanted: string, { kind }: Parameter, target = 'Patient'): boolean {
  if (kind === 'reference') {
    const key = /([A-Z][A-Za-z]+\/[^/|]+)$/.exec(wanted.replace(/\/_history\/.*$/, ''))?.[1] ?? `${target}/${wanted}`;
    return values.some((one) => (one as Json)?.reference === key);
  }
  if (kind === 'date') {
    const [, prefix, day = ''] = /^(gt|lt|ge|le|ne)?(.*)$/.exec(wanted) ?? [];
    return values.some((one) =>
      prefix === 'gt' || prefix === 'ge'
        ? String(one) >= day
        : prefix
          ? String(one) <= day
          : String(one).startsWith(day),
    );
  }
  // Any value of a system; all of a kind have the same.
  if (wanted.endsWith('|')) return values.length > 0;
  const bare = wanted.slice(wanted.indexOf('|') + 1);
  return values.some((one) =>
    kind === 'text' ? String(one).toLowerCase().startsWith(bare.toLowerCase()) : String(one) === bare,
  );
}

function meetsChain(values: unknown[], rest: string, value: string, view: View): boolean {
  return values.some((one) => {
    const target = view.get(String((one as Json)?.reference));
    return target !== undefined && meetsOr(target, rest, value, view);
  });
}

/** A chain asks all types that it may lead to, and not all of them know the parameter. */
function meetsOr(target: Resource, name: string, value: string, view: View): boolean {
  const known = name.startsWith('_has') || (name.split(/[.:]/)[0] ?? '') in parametersOf(target.resourceType);
  return known && meets(target, name, value, view);
}

function meetsHas(resource: Resource, rest: string, value: string, view: View): boolean {
  const [, type = '', code = '', inner = ''] = /^([A-Za-z]+):([a-z-]+):(.+)$/.exec(rest) ?? [];
  const parameter = parametersOf(type)[code];
  if (!parameter) throw new BadRequest('the reverse chain is not known');
  return [...view.values()].some(
    (one) =>
      one.resourceType === type &&
      valuesAt(one, parameter.path).some((target) => (target as Json)?.reference === keyOf(resource)) &&
      meetsOr(one, inner, value, view),
  );
}

function meetsList(resource: Resource, id: string, view: View): boolean {
  const list = view.get(`List/${id}`);
  return list !== undefined && valuesAt(list, 'entry.item').some((one) => (one as Json).reference === keyOf(resource));
}

function meetsFilter(resource: Resource, filter: string): boolean {
  const [, name = '', operator, text = ''] = /^(\w+) (eq|ne) "?([^" ]+)"?$/.exec(filter) ?? [];
  const parameter = parametersOf(resource.resourceType)[name];
  if (!parameter) throw new BadRequest('the filter is not known');
  return isEqual(valuesAt(resource, parameter.path), text, parameter) === (operator === 'eq');
}

/** The resources that the matches include, in one step and further ones. */
export function included(found: Resource[], query: Query, view: View): Resource[] {
  const all = new Map(found.map((one) => [keyOf(one), one]));
  for (let step = 0; step < 2; step++) {
    for (const resource of [...all.values()]) {
      for (const [name, value] of query) {
        if (step > 0 && !/:(?:iterate|recurse)$/.test(name)) continue;
        if (name.startsWith('_include')) for (const one of forward(resource, value, view)) all.set(keyOf(one), one);
        if (name.startsWith('_revinclude')) for (const one of backward(resource, value, view)) all.set(keyOf(one), one);
      }
    }
  }
  for (const one of found) all.delete(keyOf(one));
  return [...all.values()];
}

function forward(resource: Resource, value: string, view: View): Resource[] {
  const [type, code] = value.split(':');
  if (value !== '*' && type !== resource.resourceType) return [];
  const parameters = parametersOf(resource.resourceType);
  const wanted = code && code !== '*' ? [parameters[code]] : Object.values(parameters);
  return wanted
    .filter((one) => one?.kind === 'reference')
    .flatMap((one) => valuesAt(resource, one?.path ?? ''))
    .flatMap((one) => view.get(String((one as Json)?.reference)) ?? []);
}

function backward(resource: Resource, value: string, view: View): Resource[] {
  const [type, code] = value.split(':');
  return [...view.values()].filter(
    (one) =>
      (value === '*' || one.resourceType === type) &&
      forward(one, code && code !== '*' ? value : '*', new Map([[keyOf(resource), resource]])).length > 0,
  );
}
