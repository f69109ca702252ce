import { isSame, type Merge } from './merge.js';

/**
 * A form's knowledge of its record next to the values of its fields: where the draft began, and the last attempt to
 * save it.
 */
export interface RecordDraft<Form> {
  /** The draft was entered before its page was left. */
  isBroughtBack: boolean;
  /** The stored record that the draft began with; leaving compares with it. */
  base: Form;
  /** The merge with a change that another administrator saved first. */
  merged: Merge<Form> | null;
  /** Errors of the last attempt that belong to no field. */
  errors: string[];
}

export function beginDraft<Form>(stored: Form, kept: Form | undefined): RecordDraft<Form> {
  return { isBroughtBack: kept !== undefined, base: kept ?? stored, merged: null, errors: [] };
}

/** The draft is sent: the problems of the attempt before are removed. */
export const sent = { merged: null, errors: [] };

/** The draft continues from the version that another administrator saved. */
export const rebased = <Form>(merged: Merge<Form>) => ({ base: merged.stored, merged });

export const discarded = <Form>(base: Form) => ({ isBroughtBack: false, base, merged: null });

/** True if saving replaces values that another administrator saved. */
export function replacesStored<Form>({ merged }: RecordDraft<Form>, draft: Form): boolean {
  return merged?.kept.some((field) => !isSame(draft[field], merged.stored[field])) ?? false;
}
