/**
 * Changes that no test can notice, because the changed code does the same. Each with its reason; `text` is the whole line without
 * its indentation, so that an entry goes with its line.
 *
 * @type {{ file: string, text: string, before: string, after: string, why: string }[]}
 */
export const equivalentMutants = [];
