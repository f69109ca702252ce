import { listOf, member } from '../../contract/rules/resources/elements.js';
import { markedAsPart } from '../../contract/rules/resources/parts.js';
import { CompiledLevel } from './compiled-level.js';
import type { LevelRule } from './level.js';
import { mayShowType, type Self, tellsOfOthers } from './other-representatives.js';

/** The basis on which nothing of others is shown that the patient's record keeps about its contacts. */
const parental = 'parental-responsibility';
/** Resources are not contained in contained ones (FHIR R4 §2.4.2); entries of a Bundle contain. */
const deepestContained = 3;

/** Elements of a Patient that each level shows; the record number is an identifier. */
const ofPatient = [
  ...['resourceType', 'id', 'meta', 'identifier', 'name', '_name', 'gender', '_gender', 'birthDate', '_birthDate'],
];
const contactDetails = ['address', 'telecom', 'contact', 'photo', 'link'];
const medicalRecord = 'MR';
const shownMeta = ['versionId', 'lastUpdated', 'profile', 'security'];

/** The part of one patient's record that a representative may see and change: all levels must permit it. */
export class PermittedRecord {
  private readonly levels: readonly CompiledLevel[];
  private readonly hidesContacts: boolean;

  constructor(
    { levels, basis }: { levels: readonly LevelRule[]; basis: string },
    private readonly self: Self,
  ) {
    this.levels = levels.map((rule) => CompiledLevel.from(rule));
    this.hidesContacts = basis === parental;
  }

  /** True if a Patient is shown with the elements alone that each level shows. */
  get isPatientInPart(): boolean {
    return this.levels.some(({ isFull }) => !isFull);
  }

  /** True if this element of a Patient is shown: its name, or `meta.source` or `meta.tag`. */
  showsOfPatient(element: string): boolean {
    if (this.hidesContacts && element === 'contact') return false;
    return !this.isPatientInPart || this.elementsInPart.includes(element);
  }

  /** True if some resource of the type may be seen. */
  permitsType(type: string): boolean {
    return mayShowType(type, this.self) && this.levels.every((level) => level.permitsType(type));
  }

  /** True if some resource of the type may be changed. */
  permitsChangeOf(type: string): boolean {
    return mayShowType(type, this.self) && this.levels.every((level) => level.permitsChangeOf(type));
  }

  /** True if some resource of the type with this category, `code` or `system|code`, may be seen. */
  permitsCategory(type: string, category: string): boolean {
    return this.levels.every((level) => level.permitsCategory(type, category));
  }

  /** True for a resource that may be seen, a Patient at least in part. */
  permits(resource: unknown): boolean {
    return this.includes(resource, 0);
  }

  /** True for a resource that an exclusion keeps private, whatever kinds are permitted. */
  excludes(resource: unknown): boolean {
    return this.levels.some((level) => level.excludes(resource));
  }

  permitsChange(resource: unknown): boolean {
    return this.permits(resource) && this.levels.every((level) => level.permitsChange(resource));
  }

  /** The resource as it is shown: itself, or a part of a Patient or a Person. Takes JSON of any parser. */
  shown(resource: unknown): unknown {
    const type = member(resource, 'resourceType');
    if (type === 'Person') return this.withoutOtherLinks(resource as Json);
    if (type !== 'Patient') return resource;
    if (this.isPatientInPart) return this.partOfPatient(resource as Json);
    return this.hidesContacts ? withoutContacts(resource as Json) : resource;
  }

  private includes(resource: unknown, depth: number): boolean {
    if (tellsOfOthers(resource, this.self)) return false;
    if (!this.levels.every((level) => level.permits(resource))) return false;
    const contained = containedIn(resource);
    return (
      contained.length === 0 || (depth < deepestContained && contained.every((one) => this.includes(one, depth + 1)))
    );
  }

  /** A representative of two patients is one Person, which does not tell an app for one of them of the other. */
  private withoutOtherLinks(person: Json): Json {
    const { patient, local } = this.self;
    const links = listOf(person.link);
    const isOwn = (target: unknown) => local(String(member(target, 'reference'))) === `Patient/${patient}`;
    const own = links.filter((link) => listOf(member(link, 'target')).every(isOwn));
    if (own.length === links.length) return person;
    const { link: _link, text: _text, contained: _contained, ...rest } = person;
    return { ...rest, ...(own.length > 0 && { link: own }), meta: markedAsPart(person.meta) };
  }

  /** The elements of a Patient of which a part is shown. */
  private get elementsInPart(): readonly string[] {
    return this.levels.every((level) => level.showsContactDetails) ? [...ofPatient, ...contactDetails] : ofPatient;
  }

  private partOfPatient(patient: Json): Json {
    const kept = this.elementsInPart.filter((name) => this.showsOfPatient(name));
    const part = Object.fromEntries(Object.entries(patient).filter(([name]) => kept.includes(name)));
    const identifier = recordNumbersOf(patient);
    if (identifier.length > 0) part.identifier = identifier;
    else delete part.identifier;
    return { ...part, meta: markedAsPart(ofMeta(patient.meta)) };
  }
}

type Json = Record<string, unknown>;

/** Without tags, source and extensions, which may tell anything. */
function ofMeta(meta: unknown): Json {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => shownMeta.includes(name)));
}

/** The contained resources, and the entries of a stored Bundle. */
function containedIn(resource: unknown): readonly unknown[] {
  const contained = listOf(member(resource, 'contained'));
  if (member(resource, 'resourceType') !== 'Bundle') return contained;
  return [...contained, ...listOf(member(resource, 'entry')).flatMap((entry) => member(entry, 'resource') ?? [])];
}

/** Those that say so; of a server that gives its identifiers no types, all. */
function recordNumbersOf({ identifier }: Json): readonly unknown[] {
  const all = listOf(identifier);
  const isTyped = (one: unknown) => member(one, 'type') !== undefined;
  const isRecordNumber = (one: unknown) =>
    listOf(member(member(one, 'type'), 'coding')).some((coding) => member(coding, 'code') === medicalRecord);
  return all.some(isTyped) ? all.filter(isRecordNumber) : all;
}

/** A narrative may tell of contacts, and what is contained may be one. */
function withoutContacts(patient: Json): unknown {
  if (patient.contact === undefined) return patient;
  const { contact, text: _text, contained, ...rest } = patient;
  const named = listOf(contact).map((one) => member(member(one, 'organization'), 'reference'));
  const left = listOf(contained).filter((one) => !named.includes(`#${member(one, 'id')}`));
  return { ...rest, ...(left.length > 0 && { contained: left }), meta: markedAsPart(patient.meta) };
}
