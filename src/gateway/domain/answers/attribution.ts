/** Finds the patients whose data is in resources, for the record of accesses (decision 0061). */

import { mostPatientsOfEvent, type SeenKinds } from '../../../contract/audit/access-detail.js';
import { scopeWords } from '../../../contract/rules/scopes/scope-words.js';
import { isInPatientCompartment, patientNamed, patientsOf } from '../patient-compartment.js';

/** Patients of one event, with what was seen of each. */
export interface SeenPatients {
  patients: string[];
  seen: SeenKinds[];
}

type Json = Record<string, unknown>;

/** A resource within another one. */
interface Nested {
  value: unknown;
  /** A contained resource is not a resource of the server, and its id is not known there (FHIR R4 §2.3.0.9). */
  isContained: boolean;
  /** Ids of the patients of the surrounding Bundle, by the `urn:` that its entries refer to them by. */
  aliases: ReadonlyMap<string, string>;
}

/** Collects the patients whose data is in resources, with the number of resources by kind. */
export class Attribution {
  private seen = new Map<string, SeenKinds>();
  /** Patients in events that were taken. An answer about more of them names one again: the memory is limited. */
  private readonly named = new Set<string>();
  /** By patient and kind: the number of changed resources. */
  private readonly changed = new Map<string, number>();
  /**
   * By resource, the number of its appearances that have not come again, as it is now or as it is answered; these are
   * not counted again.
   */
  private again = new Map<string, number>();

  /** References are resolved against these bases: the server's and the one that clients see. */
  constructor(private readonly bases: readonly string[]) {}

  /** Adds a resource, or an entry of a Bundle, with all resources in it. */
  add(value: unknown): void {
    this.walk(value, (patient, kind) => {
      if (this.again.size === 0 || !this.isRepeated(`${patient} ${kind}`)) this.count(patient, kind);
    });
  }

  /** Adds changed resources, as they were or as they are now. One that is added again, or answered, is counted once. */
  addChanged(values: readonly unknown[]): void {
    for (const value of values) {
      this.walk(value, (patient, kind) => {
        const key = `${patient} ${kind}`;
        if (this.isRepeated(key)) return;
        this.changed.set(key, (this.changed.get(key) ?? 0) + 1);
        this.count(patient, kind);
      });
    }
    this.again = new Map(this.changed);
  }

  /** Adds JSON as it was sent. Text that is not JSON is searched for names of patients. */
  addText(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch {
      this.addUnreadable(text, new Set());
      return;
    }
    this.add(value);
  }

  /** Adds the patients that a text names, except for those in `known`, and adds them there. */
  addUnreadable(text: string, known: Set<string>): void {
    const [, type = ''] = /"resourceType"\s*:\s*"([A-Za-z]+)"/.exec(text) ?? [];
    const [, own] = type === 'Patient' ? (/"id"\s*:\s*"([A-Za-z0-9.-]{1,64})"/.exec(text) ?? []) : [];
    const kind = isInPatientCompartment(type) ? type : 'Patient';
    for (const id of [...(own === undefined ? [] : [own]), ...namesIn(text)]) {
      if (known.has(id)) continue;
      known.add(id);
      this.count(id, kind);
    }
  }

  /** True if a patient was added who is in no event yet. */
  get hasUnnamed(): boolean {
    for (const patient of this.seen.keys()) if (!this.named.has(patient)) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.seen.size === 0;
  }

  /** Takes what was added since the last time, as one event or several. */
  takeEvents(): SeenPatients[] {
    const all = [...this.seen];
    this.seen = new Map();
    const events: SeenPatients[] = [];
    for (let from = 0; from < all.length; from += mostPatientsOfEvent) {
      const part = all.slice(from, from + mostPatientsOfEvent);
      events.push({ patients: part.map(([patient]) => patient), seen: part.map(([, kinds]) => kinds) });
      if (this.named.size + part.length > mostPatientsOfEvent) this.named.clear();
      for (const [patient] of part) this.named.add(patient);
    }
    return events;
  }

  private isRepeated(key: string): boolean {
    const rest = this.again.get(key) ?? 0;
    if (rest > 0) this.again.set(key, rest - 1);
    return rest > 0;
  }

  private count(patient: string, kind: string): void {
    let kinds = this.seen.get(patient);
    if (!kinds) {
      kinds = {};
      this.seen.set(patient, kinds);
    }
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }

  /** Visits each patient of each resource. Not recursive: a server may nest resources as deeply as it likes. */
  private walk(value: unknown, visit: (patient: string, kind: string) => void): void {
    const all: Nested[] = [{ value, isContained: false, aliases: noAliases }];
    // The list grows while it is walked.
    for (const next of all) {
      if (!isObject(next.value)) continue;
      const { value: found, aliases } = next;
      if (typeof found.resourceType !== 'string') this.visitEntry(found, visit);
      else if (!(next.isContained && found.resourceType === 'Patient')) {
        const kind = kindOf(found);
        for (const patient of patientsOf(found, this.bases, aliases)) visit(patient, kind);
      }
      addNested(next, all);
    }
  }

  /**
   * An entry without a resource: a deletion in a history, or the outcome of a change, which names a patient by its
   * address.
   */
  private visitEntry({ resource, request, response }: Json, visit: (patient: string, kind: string) => void): void {
    if (resource !== undefined) return;
    const addresses = [member(request, 'url'), member(response, 'location')];
    const named = addresses.map((address) =>
      typeof address === 'string' ? patientNamed(address, this.bases) : undefined,
    );
    const patient = named.find((one) => one !== undefined);
    if (patient !== undefined) visit(patient, 'Patient');
  }
}

/** Adds the resources within a value: entries, parameters, contained resources. */
function addNested({ value, isContained, aliases }: Nested, open: Nested[]): void {
  const { resourceType, contained, entry, parameter, part, resource } = value as Json;
  for (const one of listOf(contained)) open.push({ value: one, isContained: true, aliases });
  if (resourceType === 'Bundle') {
    const inBundle = aliasesIn(entry);
    for (const one of listOf(entry)) open.push({ value: one, isContained, aliases: inBundle });
  }
  if (resourceType === 'Parameters')
    for (const one of listOf(parameter)) open.push({ value: one, isContained, aliases });
  if (resourceType !== undefined) return;
  if (Array.isArray(value)) for (const one of value) open.push({ value: one, isContained, aliases });
  // An entry of a Bundle, or a parameter.
  open.push({ value: resource, isContained, aliases });
  for (const one of listOf(part)) open.push({ value: one, isContained, aliases });
}

const noAliases: ReadonlyMap<string, string> = new Map();

function aliasesIn(entries: unknown): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const entry of listOf(entries)) {
    const name = member(entry, 'fullUrl');
    if (typeof name !== 'string' || !name.startsWith('urn:')) continue;
    const resource = member(entry, 'resource');
    if (member(resource, 'resourceType') !== 'Patient') continue;
    for (const id of patientsOf(resource, [])) aliases.set(name, id);
  }
  return aliases;
}

/** A type, with the first category that the consent page has words for. */
function kindOf({ resourceType, category }: Json): string {
  for (const concept of listOf(category)) {
    for (const coding of listOf(member(concept, 'coding'))) {
      const code = member(coding, 'code');
      if (typeof code === 'string' && Object.hasOwn(scopeWords.categories, code)) return `${resourceType}/${code}`;
    }
  }
  return String(resourceType);
}

function namesIn(text: string): string[] {
  const matches = text.matchAll(/(?<![A-Za-z0-9])Patient\\?\/([A-Za-z0-9.-]{1,64})(?![A-Za-z0-9.-])/g);
  return [...matches].map(([, id]) => String(id));
}

/** Servers may send a single value in place of a list, which an app may read nevertheless. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
