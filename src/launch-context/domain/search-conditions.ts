/** Search parameters that words are looked for in, the first one that the server has. */
const textParameters = ['name', 'title', 'description'];
const dateParameters = ['birthdate', 'date', 'started'];

type Condition = readonly [name: string, value: string];

/** True if rows of a type with these search parameters can be searched for. */
export function isSearchable(known: readonly string[]): boolean {
  return [...textParameters, ...dateParameters, 'identifier'].some((name) => known.includes(name));
}

/**
 * Turns the user's search text into conditions of a FHIR search, all of which have to hold: a date (YYYY-MM-DD) is a
 * date, a word with a digit is an identifier, and any other word part of a name. Undefined when no parameter fits a
 * word, so that nothing is found rather than everything.
 */
export function searchConditions(term: string, known: readonly string[]): Condition[] | undefined {
  const conditions = term
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word): Condition | undefined => {
      const name = parametersFor(word).find((parameter) => known.includes(parameter));
      return name === undefined ? undefined : [name, escaped(word)];
    });
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

function parametersFor(word: string): string[] {
  if (/^\d{4}-\d{2}(-\d{2})?$/.test(word)) return dateParameters;
  return /\d/.test(word) ? ['identifier', ...textParameters] : textParameters;
}

/** FHIR R4 §3.1.1.4.0.2: what would be a separator in a search value. */
function escaped(word: string): string {
  return word.replace(/[\\$,|]/g, '\\$&');
}
