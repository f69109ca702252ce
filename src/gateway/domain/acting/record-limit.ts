/** The limit that a relationship sets to a token whose user acts for the patient. */
export interface RecordLimit {
  /** True if some resource of the type may be seen. */
  permitsType(type: string): boolean;
  /** True if some resource of the type may be changed. */
  permitsChangeOf(type: string): boolean;
  /** True if some resource of the type with this category, `code` or `system|code`, may be seen. */
  permitsCategory(type: string, category: string): boolean;
  /** True for a resource that may be seen, at least in part. */
  permits(resource: unknown): boolean;
  permitsChange(resource: unknown): boolean;
  /** True for a resource that is private although its kind may be permitted. */
  excludes(resource: unknown): boolean;
  /** The resource as it is shown: itself or a part. Takes JSON of any parser. */
  shown(resource: unknown): unknown;
  /** True if of a Patient only some elements are shown, and of its identifiers only the record number. */
  readonly isPatientInPart: boolean;
  /** True if this element of a Patient is shown: its name, or `meta.source` or `meta.tag`. */
  showsOfPatient(element: string): boolean;
}

/** The part of the record that a permission includes, besides patient and categories. */
export interface RecordPart {
  includes(resource: unknown): boolean;
  /** The resource as it is shown: itself or a part. */
  shown(resource: unknown): unknown;
}

/** Content that a token of one patient must not change, because it decides who may act for the patient, and how far. */
export interface RecordProtection {
  /** Categories that a level excludes, `Type/code`. */
  categories: readonly string[];
  /** Codes that a level excludes, of an element `Type/element`. */
  codes: readonly { element: string; codes: readonly string[] }[];
}

/** Types that decide about representatives, or tell of them. */
const ofRepresentatives: ReadonlySet<string> = new Set(['AuditEvent', 'Consent', 'Person', 'RelatedPerson']);

/** True for a type that no level opens beyond the user's own part of it. */
export function tellsOfRepresentatives(type: string): boolean {
  return ofRepresentatives.has(type);
}

/** True for a change that no token of one patient may make while accounts may act for patients. */
export function isProtectedChange(type: string, action: string): boolean {
  return isChange(action) && (ofRepresentatives.has(type) || (type === 'Patient' && action === 'd'));
}

export function isChange(action: string): boolean {
  return 'cud'.includes(action);
}
