/** Data that a rule keeps from a representative. */
export interface Exclusion {
  /** Resource types. */
  types: readonly string[];
  /** Categories of a type, by their code: `Observation/social-history`. */
  categories: readonly string[];
  /** Codes of `meta.security`: a code, or `{system}|{code}`. */
  securityLabels: readonly string[];
  /** Codes of an element: `MedicationRequest/medication` in a list of `{system}|{code}`, or of codes alone. */
  codes: readonly CodeList[];
}

interface CodeList {
  /** `{Type}/{element}`; an element of several types (`medication[x]`) without its type. */
  element: string;
  codes: readonly string[];
}

/**
 * The content that a level lets a representative see and change, with what the basis keeps private added to `without`.
 * The same level and basis are the same object as long as the node runs.
 */
export interface LevelRule {
  /** Id of the level in the configuration. */
  id: string;
  label: string;
  /**
   * `full`: everything but `without`. Otherwise the kinds that are permitted, and nothing else of the record: `Type`,
   * `Type?category={code},…`, `?_security={label},…` (whatever has one of the labels), `contact-details` (address,
   * telecom, contact, photo and link of the patient), `{Type}.{element}` (an attachment in this element).
   */
  kinds: 'full' | readonly string[];
  without: Exclusion;
  /** Kinds that may be created, changed and deleted as well, written as in `kinds`; of `full`, `full` means all. */
  change: 'full' | readonly string[];
  /** The kinds that were chosen of the level one by one, as they are shown; left out for the whole level. */
  chosen?: readonly string[];
}

/** An exclusion of everything that one of these excludes. */
export function allOf(exclusions: readonly Exclusion[]): Exclusion {
  const once = <T>(values: T[]): T[] => [...new Set(values)];
  return {
    types: once(exclusions.flatMap(({ types }) => types)),
    categories: once(exclusions.flatMap(({ categories }) => categories)),
    securityLabels: once(exclusions.flatMap(({ securityLabels }) => securityLabels)),
    codes: once(exclusions.flatMap(({ codes }) => codes)),
  };
}
