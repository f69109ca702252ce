/** What levels permit of a patient's record (decision 0137). */
import { hasCategory, hasLabel } from './codes.js';
import { directory, recordless } from './definitions.js';
import {
  type Acting,
  at,
  type Json,
  type Level,
  local,
  type Names,
  namedBy,
  of,
  type Resource,
  type Without,
} from './world.js';

/** A level opens these only if it names the type. */
const documents =
  'DocumentReference DocumentManifest Composition Binary Media Communication CommunicationRequest QuestionnaireResponse ClinicalImpression List Bundle'.split(
    ' ',
  );
const persons = ['RelatedPerson', 'Person'];

function isOfNoRecord(type: string): boolean {
  return directory.includes(type) || recordless.has(type);
}

/** Rule `kept-private`: the type alone says that nothing of it is open. */
export function isTypeOpen({ levels, person = '' }: Acting, type: string, letter: string): boolean {
  if (type === 'AuditEvent' || (persons.includes(type) && !person.startsWith(`${type}/`))) return false;
  const isChange = 'cud'.includes(letter);
  return levels.every(
    (level) =>
      isOfNoRecord(type) ||
      (!level.without.types.includes(type) &&
        (namesType(level.kinds, type) || type === 'Patient' || persons.includes(type)) &&
        (!isChange || namesType(level.change, type))),
  );
}

function namesType(kinds: Level['kinds'], type: string): boolean {
  if (kinds === 'full') return true;
  return kinds.some((kind) => kind.split('?')[0] === type || (kind.startsWith('?') && !documents.includes(type)));
}

/** Rule `kept-private` for a search: true if each of the categories that it asks for is out. */
export function isCategoryClosed({ levels }: Acting, type: string, values: string): boolean {
  if (isOfNoRecord(type)) return false;
  return values.split(',').every((value) => levels.some((level) => !mayHaveCategory(level, type, value)));
}

export function mayHaveCategory({ kinds, without }: Level, type: string, value: string): boolean {
  const [code = '', system] = value.split('|').reverse();
  if (without.categories.includes(`${type}/${code}`)) return false;
  if (kinds === 'full' || type === 'Patient' || persons.includes(type)) return true;
  return kinds.some((kind) => {
    if (kind.startsWith('?')) return !documents.includes(type);
    const [own, list] = kind.split('?category=');
    const isSame = (one: string) => {
      const [ownCode, ownSystem] = one.split('|').reverse();
      return ownCode === code && (system === undefined || ownSystem === undefined || ownSystem === system);
    };
    return own === type && (list === undefined || list.split(',').some(isSame));
  });
}

/** Rules `level` and `other-representatives`: true if the resource may be seen, or changed. */
export function isWithinLevels(acting: Acting, resource: unknown, letter: string, server: Names): boolean {
  if (tellsOfOthers(resource, acting, server)) return false;
  const isChange = 'cud'.includes(letter);
  const isOpen = acting.levels.every(
    (level) => permits(level, resource) && (!isChange || level.change === 'full' || names(level.change, resource)),
  );
  return isOpen && containedIn(resource).every((one) => isWithinLevels(acting, one, 'r', server));
}

function containedIn(resource: unknown): unknown[] {
  const entries = of(resource, 'resourceType') === 'Bundle' ? at(resource, ['entry', 'resource']) : [];
  return [...at(resource, ['contained']), ...entries];
}

function permits(level: Level, resource: unknown): boolean {
  const type = of(resource, 'resourceType');
  if (typeof type !== 'string') return false;
  if (isOfNoRecord(type)) return true;
  if (isExcluded(level, resource)) return false;
  if (level.kinds === 'full' || type === 'Patient' || persons.includes(type)) return true;
  if (!names(level.kinds, resource)) return false;
  if (documents.includes(type)) return true;
  const kinds: readonly string[] = level.kinds;
  return Object.entries(resource as Json).every(
    ([name, value]) => name === 'contained' || kinds.includes(`${type}.${name}`) || !hasAttachment(name, value),
  );
}

function names(kinds: readonly string[], resource: unknown): boolean {
  const type = String(of(resource, 'resourceType'));
  return kinds.some((kind) => {
    const [own, condition = ''] = kind.split('?');
    const [name, values = ''] = condition.split(/=(.*)/);
    if (own === '') return name === '_security' && !documents.includes(type) && hasLabel(resource, values);
    return own === type && (name !== 'category' || hasCategory(resource, values));
  });
}

/** Labels, types, categories and codes that are private whatever kinds are named. */
export function isExcluded({ without }: Level, resource: unknown): boolean {
  const type = String(of(resource, 'resourceType'));
  return (
    without.types.includes(type) ||
    without.securityLabels.some((label) => hasLabel(resource, label)) ||
    without.categories.some((one) => {
      const [own, code = ''] = one.split('/');
      return own === type && hasCategory(resource, code);
    }) ||
    without.codes.some(({ element, codes }) => {
      const [own, name = ''] = element.split('/');
      return (
        own === type && at(codesOf(resource, name), []).some((coding) => codes.some((code) => isCode(coding, code)))
      );
    })
  );
}

function isCode(coding: unknown, wanted: string): boolean {
  const [code, system] = wanted.split('|').reverse();
  if (typeof coding === 'string') return coding === code && system === undefined;
  return of(coding, 'code') === code && (system === undefined || of(coding, 'system') === system);
}

/** An element as it is, or of one of several types. */
function codesOf(resource: unknown, name: string): unknown[] {
  const types = ['', 'CodeableConcept', 'Coding', 'Code', 'Reference', 'CodeableReference'];
  const values = types.flatMap((type) => at(resource, [name + type]));
  const named = values.flatMap((value) => [...at(value, ['reference']), ...at(value, ['reference', 'reference'])]);
  const contained = at(resource, ['contained']).filter((one) => named.includes(`#${of(one, 'id')}`));
  return [
    ...values,
    ...values.flatMap((one) => [...at(one, ['coding']), ...at(one, ['concept', 'coding'])]),
    ...contained.flatMap((one) => at(one, ['code', 'coding'])),
  ];
}

/** FHIR R4 §2.24.0.13: an Attachment, by the names that it has, or by its content type. */
function hasAttachment(name: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => hasAttachment(name, one));
  const isNamed = ['attachment', 'photo', 'presentedForm'].includes(name) || name.endsWith('Attachment');
  const isContent = ['content', 'document', 'form', 'image'].includes(name) && ('url' in value || 'data' in value);
  if (isNamed || isContent || typeof of(value, 'contentType') === 'string') return true;
  return Object.entries(value).some(([own, inner]) => hasAttachment(own, inner));
}

/** Rule `other-representatives`. */
function tellsOfOthers(resource: unknown, { patient, person }: Acting, server: Names): boolean {
  const type = String(of(resource, 'resourceType'));
  const own = `Patient/${patient}`;
  if (type === 'AuditEvent') return true;
  if (persons.includes(type)) return `${type}/${of(resource, 'id')}` !== person;
  if (at(resource, ['contained', 'resourceType']).some((one) => persons.includes(String(one)))) return true;
  if (type === 'Consent') {
    const named = references(resource).map(String);
    const isOther = (one: string) => /(?:^|\/)Patient\//.test(one) && namedBy({ reference: one }, server)?.here !== own;
    const isOfPerson = (one: string) => /(?:^|\/)(?:RelatedPerson|Person)\//.test(one);
    return named.some((one) => isOfPerson(one) || isOther(one)) || hasCodeOfRepresentation(resource);
  }
  if (type !== 'Provenance') return false;
  return objectsIn(resource).some((one) => {
    const named = namedBy(one, server);
    if (named?.type === 'Patient') return named.here !== own;
    return named !== undefined && persons.includes(named.type) && (named.here === undefined || named.here !== person);
  });
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

function references(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = of(value, 'reference') ?? `${String(of(value, 'type')).replace(/^.*\//, '')}/`;
  return [own, ...Object.values(value).flatMap(references)];
}

/** A power of attorney, a guardian, a person who decides for another one (LOINC, HL7 v3 RoleCode and RoleClass). */
const ofRepresentation =
  'POWATT DPOWATT HPOWATT SPOWATT RESPRSN GUADLTM GUARD DELEGATEE dpoa hcd http://loinc.org|64298-3'.split(' ');

function hasCodeOfRepresentation(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isOne = typeof of(value, 'code') === 'string' && ofRepresentation.some((wanted) => isCode(value, wanted));
  return isOne || Object.values(value).some(hasCodeOfRepresentation);
}

const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
const identifying = [
  'resourceType',
  'id',
  'identifier',
  'name',
  '_name',
  'gender',
  '_gender',
  'birthDate',
  '_birthDate',
];

/** Rule `contact-details`: true if of the patient only what identifies them is shown. */
export function isPatientInPart({ levels }: Acting): boolean {
  return levels.some(({ kinds }) => kinds !== 'full');
}

/** Rule `contact-details`: the elements of a Patient in part. */
export function shownOfPatient({ levels, basis }: Acting): string[] {
  const isDetailed = levels.every(({ kinds }) => kinds === 'full' || kinds.includes('contact-details'));
  const contact = basis === 'parental-responsibility' ? [] : ['contact'];
  return [...identifying, ...(isDetailed ? ['address', 'telecom', 'photo', 'link', ...contact] : [])];
}

/** Rule `other-representatives`: what tells of another patient of the same representative. */
function personFor({ patient }: Acting, person: Resource, server: Names): Resource {
  const links = at(person, ['link']);
  const own = links.filter((one) =>
    at(one, ['target']).every((two) => local(String(of(two, 'reference')), server) === `Patient/${patient}`),
  );
  if (own.length === links.length) return person;
  const { link: _link, text: _text, contained: _contained, ...rest } = person;
  const tag = [...at(person, ['meta', 'tag']).filter((one) => of(one, 'code') !== 'SUBSETTED'), subsetted];
  return { ...rest, ...(own.length > 0 && { link: own }), meta: { ...(person.meta as Json), tag } } as Resource;
}

/** Rule `contact-details`: the resource as it is shown. */
export function partFor(acting: Acting, resource: Resource, server: Names): Resource {
  if (resource.resourceType === 'Person') return personFor(acting, resource, server);
  if (resource.resourceType !== 'Patient') return resource;
  const isParent = acting.basis === 'parental-responsibility';
  const tag = [...at(resource, ['meta', 'tag']).filter((one) => of(one, 'code') !== 'SUBSETTED'), subsetted];
  const meta: Json = { ...(resource.meta as Json), tag };
  if (!isPatientInPart(acting)) {
    if (!isParent || resource.contact === undefined) return resource;
    const { contact, text: _text, contained, ...rest } = resource;
    const organizations = at(contact, ['organization', 'reference']);
    const left = at(contained, []).filter((one) => !organizations.includes(`#${of(one, 'id')}`));
    return { ...rest, ...(left.length > 0 && { contained: left }), meta } as Resource;
  }
  const kept = Object.entries(resource).filter(([name]) => shownOfPatient(acting).includes(name));
  const { identifier, ...part } = Object.fromEntries(kept);
  const typed = at(identifier, ['type']).length > 0;
  const numbers = at(identifier, []).filter((one) => !typed || at(one, ['type', 'coding', 'code']).includes('MR'));
  const { versionId, lastUpdated, profile, security } = meta;
  const told = Object.entries({ versionId, lastUpdated, profile, security, tag: [subsetted] });
  const ofMeta = Object.fromEntries(told.filter(([, value]) => value !== undefined));
  return { ...part, ...(numbers.length > 0 && { identifier: numbers }), meta: ofMeta } as unknown as Resource;
}

/** Rule `protected`: what decides about representatives, and is changed by this. */
export function changesProtected(
  stored: Resource,
  written: Resource,
  { categories, codes }: Pick<Without, 'categories' | 'codes'>,
): boolean {
  const { resourceType: type } = stored;
  if (type === 'Patient') {
    const names = ['active', 'birthDate', 'link', 'deceasedBoolean', 'deceasedDateTime'];
    // Of a primitive element the extensions have a name of their own (FHIR R4 §2.6.2.3).
    for (const name of names.flatMap((one) => [one, `_${one}`])) {
      if (JSON.stringify(stored[name]) !== JSON.stringify(written[name])) return true;
    }
  }
  const hasLost = codes.some(({ element, codes }) => {
    const [own, name = ''] = element.split('/');
    const has = (resource: Resource, code: string) => codesOf(resource, name).some((one) => isCode(one, code));
    return own === type && codes.some((code) => has(stored, code) && !has(written, code));
  });
  if (hasLost) return true;
  const labelled = at(stored, ['meta', 'security']).filter((one) => of(one, 'code') !== undefined);
  const labels = labelled.map((one) => `${of(one, 'system') ?? ''}|${of(one, 'code')}`);
  if (labels.some((label) => !hasLabel(written, label))) return true;
  return categories.some((one) => {
    const [own, code = ''] = one.split('/');
    return own === type && hasCategory(stored, code) && !hasCategory(written, code);
  });
}

/** Rule `protected`: no token of one patient writes these. */
export function isNeverWritten(type: string, letter: string): boolean {
  const isChange = 'cud'.includes(letter);
  const isOfRepresentatives = ['Consent', 'Person', 'AuditEvent', 'RelatedPerson'].includes(type);
  return isChange && (isOfRepresentatives || (type === 'Patient' && letter === 'd'));
}
