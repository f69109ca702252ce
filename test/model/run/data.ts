import { searchedBy } from '../decision/definitions.js';
import { at, type Json, local, of, type Query, type Resource, type Server } from '../decision/world.js';

/** The base at which the gateway has the FHIR server, and the one that apps see. */
export const serverBase = 'http://server.test/r4';
export const appBase = 'http://portal.test/fhir';

/** What a FHIR server has: the versions of each resource, oldest first, by `Type/id`. */
export interface Data {
  versions: Readonly<Record<string, readonly Resource[]>>;
  /** The places of those that were deleted after their last version. */
  deleted?: readonly string[];
  /** True for a server that ignores the conditions of a search, but for its type. */
  ignores: boolean;
}

/** The capabilities are the same in all cases: they are read when the gateway starts. */
export interface Capabilities {
  types: readonly string[];
  listed(type: string): readonly string[];
  conditional(type: string): readonly string[];
  makesByUpdate(type: string): boolean;
  operations: readonly { name: string; type: string | null }[];
}

/** A FHIR server with this data. */
export class DataServer implements Server {
  readonly bases = [serverBase, appBase];
  readonly types: Capabilities['types'];
  readonly operations: Capabilities['operations'];
  private readonly all: readonly Resource[];

  constructor(
    private readonly data: Data,
    private readonly capabilities: Capabilities,
  ) {
    this.types = capabilities.types;
    this.operations = capabilities.operations;
    const places = Object.keys(data.versions).filter((place) => !data.deleted?.includes(place));
    this.all = places.flatMap((place) => data.versions[place]?.at(-1) ?? []);
  }

  listed(type: string): readonly string[] {
    return this.capabilities.listed(type);
  }

  conditional(type: string): readonly string[] {
    return this.capabilities.conditional(type);
  }

  makesByUpdate(type: string): boolean {
    return this.capabilities.makesByUpdate(type);
  }

  stored(type: string, id: string): Resource | undefined {
    return this.isDeleted(type, id) ? undefined : this.versions(type, id).at(-1);
  }

  isDeleted(type: string, id: string): boolean {
    return this.data.deleted?.includes(`${type}/${id}`) === true;
  }

  versions(type: string, id: string): readonly Resource[] {
    return this.data.versions[`${type}/${id}`] ?? [];
  }

  ofType(type: string): readonly Resource[] {
    return this.all.filter((one) => one.resourceType === type);
  }

  find(type: string, query: Query): readonly Resource[] {
    const all = this.ofType(type);
    return this.data.ignores ? all : all.filter((one) => query.every((condition) => this.matches(one, condition)));
  }

  included(found: readonly Resource[], query: Query): readonly Resource[] {
    const keys = new Set(found.map(keyOf));
    const named = new Set<string>();
    for (const [name, value] of query) {
      const [source = '', parameter = '', target = ''] = value.split(':');
      const isReverse = name.startsWith('_revinclude');
      if (!isReverse && !name.startsWith('_include')) continue;
      if (isReverse) {
        for (const one of this.ofType(source)) {
          if (this.namedIn(one, parameter).some((reference) => keys.has(reference))) named.add(keyOf(one));
        }
      } else
        for (const one of found.filter(({ resourceType }) => resourceType === source))
          for (const reference of this.namedIn(one, parameter))
            if (reference.startsWith(target && `${target}/`)) named.add(reference);
    }
    return this.all.filter((one) => named.has(keyOf(one)) && !keys.has(keyOf(one)));
  }

  everything(id: string): readonly Resource[] {
    if (id === '') return this.all;
    return this.all.filter((one) => keyOf(one) === `Patient/${id}` || JSON.stringify(one).includes(`Patient/${id}"`));
  }

  private matches(resource: Resource, [name, value]: Query[number]): boolean {
    const [base = '', modifier] = name.split(':');
    if (base === '_id') return value.split(',').some((one) => one.replace('Patient/', '') === resource.id);
    if (base.startsWith('_') || name.includes('.') || ofOperations.has(base)) return true;
    const { paths = [], target } = searchedBy(resource.resourceType, base) ?? {};
    const values = paths.flatMap((path) => at(resource, path));
    const own = target === undefined ? values : values.filter((one) => this.placeOf(one)?.startsWith(`${target}/`));
    if (modifier === 'missing') return (own.length === 0) === (value === 'true');
    const isMatch = own.some((one) => value.split(',').some((wanted) => this.isSame(one, wanted, modifier)));
    return modifier === 'not' ? !isMatch : isMatch;
  }

  private isSame(value: unknown, wanted: string, modifier: string | undefined): boolean {
    const reference = this.placeOf(value);
    if (reference !== undefined) {
      const plain = local(wanted, this);
      const typed = modifier && /^[A-Z]/.test(modifier) && !plain.includes('/') ? `${modifier}/${plain}` : plain;
      return reference === typed || (!typed.includes('/') && reference.endsWith(`/${typed}`));
    }
    const [code, system] = wanted.split('|').reverse();
    const codings = [value, ...at(value, ['coding'])];
    return codings.some(
      (one) =>
        (one === code || of(one, 'code') === code || of(one, 'value') === code) &&
        (system === undefined || typeof one === 'string' || (of(one, 'system') ?? '') === system),
    );
  }

  private placeOf(value: unknown): string | undefined {
    const reference = of(value, 'reference');
    return typeof reference === 'string' ? local(reference, this).replace(/\/_history\/.*$/, '') : undefined;
  }

  private namedIn(resource: Resource, parameter: string): string[] {
    const { paths = [] } = searchedBy(resource.resourceType, parameter) ?? {};
    return paths.flatMap((path) => at(resource, path)).flatMap((one) => this.placeOf(one) ?? []);
  }
}

/** Of `$lastn` and `$docref`, without those that are conditions as well. */
const ofOperations: ReadonlySet<string> = new Set(['max', 'start', 'end', 'on-demand', 'profile']);

function keyOf({ resourceType, id }: Json): string {
  return `${resourceType}/${id}`;
}
