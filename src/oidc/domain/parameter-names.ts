import { nearest } from '../../contract/rules/nearest.js';

/** Names that could be values are not kept. */
export const plainName = /^[A-Za-z][A-Za-z_-]{0,39}$/;
/** Names that other servers and libraries have for a parameter. */
const otherNames: Readonly<Record<string, readonly string[]>> = { aud: ['audience', 'iss', 'fhirServiceUrl'] };

/** The one of these names that was probably to be this parameter: one that could be a value is not told. */
export function similarName(parameter: string, names: readonly string[]): string | undefined {
  const plain = names.filter((name) => plainName.test(name));
  return (
    plain.find((name) => bare(name) === bare(parameter) || otherNames[parameter]?.includes(name)) ??
    nearest(parameter, plain)
  );
}

function bare(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
