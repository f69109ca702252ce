import { member } from '../../../contract/rules/resources/elements.js';
import { namedBy, type ServerNames } from '../patient-compartment.js';

/** Content that is nested more deeply names no inclusion. */
const deepest = 40;

/**
 * The included resources that stay in an answer of which matches are left out: those that a shown match names, or that
 * name one. Any other may be there for a match that is not shown, and would tell a reference of it.
 */
export class KeptInclusions {
  private readonly matches: ReadonlySet<string>;
  private readonly named = new Set<string>();

  /** `matches` as they are shown. */
  constructor(
    matches: readonly unknown[],
    private readonly server: ServerNames,
  ) {
    this.matches = new Set(matches.map(keyOf));
    for (const one of matches) for (const reference of referencesIn(one, server)) this.named.add(reference);
  }

  /** `included` as it is shown. */
  keeps(included: unknown): boolean {
    if (this.named.has(keyOf(included))) return true;
    return referencesIn(included, this.server).some((reference) => this.matches.has(reference));
  }
}

function keyOf(resource: unknown): string {
  return `${member(resource, 'resourceType')}/${member(resource, 'id')}`;
}

/** The resources of the server that a resource names, as `Type/id`. */
function referencesIn(value: unknown, server: ServerNames, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  const own = typeof member(value, 'reference') === 'string' ? namedBy(value, server)?.reference : undefined;
  return [
    ...(own === undefined ? [] : [own]),
    ...Object.values(value).flatMap((one) => referencesIn(one, server, depth + 1)),
  ];
}
