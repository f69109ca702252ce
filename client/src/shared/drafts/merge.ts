export interface Merge<Form> {
  form: Form;
  /** The version that both changed. */
  before: Form;
  /** The stored version. */
  stored: Form;
  /** The fields that were changed there, and not here: taken over. */
  taken: (keyof Form & string)[];
  /** The fields that were changed in both places, differently: as they were typed here. */
  kept: (keyof Form & string)[];
}

export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Merges two administrators' changes: `typed` from `before`, while `stored` was saved. Nothing typed is lost. */
export function mergeFields<Form extends object>(before: Form, typed: Form, stored: Form): Merge<Form> {
  const fields = Object.keys(before) as (keyof Form & string)[];
  const changedThere = fields.filter((field) => !isSame(before[field], stored[field]));
  const taken = changedThere.filter((field) => isSame(before[field], typed[field]));
  const kept = changedThere.filter((field) => !taken.includes(field) && !isSame(typed[field], stored[field]));
  const form = { ...typed, ...Object.fromEntries(taken.map((field) => [field, stored[field]])) };
  return { form, before, stored, taken, kept };
}
