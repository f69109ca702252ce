import type { ServerResponse } from 'node:http';
import { startUpstream, type Upstream } from './gateway.js';
import { sendFhir } from './scripted-server.js';
import { searchedBy, searchedTypes, searchParametersOf } from './search-definitions.js';

export interface Stored {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

const control = new Set([
  ...['_id', '_count', '_offset', '_sort', '_include', '_revinclude', '_lastUpdated', '_type'],
  ...['_total', '_summary', '_elements'],
]);

const ofMeta = new Set(['_profile', '_security', '_source', '_tag']);

/**
 * A FHIR server that matches searches by whatever it has, as servers do that know nothing of tokens. It answers changes
 * as carried out, and makes none.
 */
export class RecordServer {
  upstream!: Upstream;
  /** True for a server that answers each search with all resources of the type. */
  ignores = false;
  /** What it cannot answer at the moment. */
  fails: RegExp | undefined;
  /** More on one page are not answered, whatever is asked for. */
  longestPage = 1_000;
  /** Every version of each resource, oldest first. */
  private versions = new Map<string, Stored[]>();

  /** `own` are search parameters that no other server has. */
  constructor(private readonly own: readonly string[] = []) {}

  async start(): Promise<this> {
    this.upstream = await startUpstream(({ method = '', url = '' }, response, body) =>
      this.answer(method, url, body, response),
    );
    return this;
  }

  /** Has these resources and no others. */
  have(...resources: Stored[]): void {
    this.versions = new Map();
    for (const one of resources) this.add(one);
  }

  /** A resource with an id that is known gets another version. */
  add(resource: Stored): void {
    const key = `${resource.resourceType}/${resource.id}`;
    const before = this.versions.get(key) ?? [];
    const meta = { ...(resource.meta as object | undefined), versionId: String(before.length + 1) };
    this.versions.set(key, [...before, { ...resource, meta }]);
  }

  private all(): Stored[] {
    return [...this.versions.values()].flatMap((versions) => versions.at(-1) ?? []);
  }

  private answer(method: string, url: string, body: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [type = '', id, history, version] = pathname.slice('/r4/'.length).split('/');
    const versions = this.versions.get(`${type}/${id}`);
    if (this.fails?.test(pathname)) response.writeHead(500).end();
    else if (type === 'metadata') sendFhir(response, metadata(this.own));
    else if (history === '$everything') {
      const about = this.all().filter((one) => JSON.stringify(one).includes(`"Patient/${id}"`) || one.id === id);
      const named = new Set(about.map((one) => `${one.resourceType}/${one.id}`));
      const origins = this.all().filter(
        (one) => !about.includes(one) && referencesOf(one, 'target').some((reference) => named.has(reference)),
      );
      const types = searchParams.get('_type')?.split(',');
      const found = [...about, ...origins].filter(({ resourceType }) => types?.includes(resourceType) ?? true);
      const { page, links } = this.pageOf(found, searchParams, pathname.slice('/r4'.length));
      sendFhir(response, this.bundle('searchset', page, url, links));
    } else if (id === undefined && method === 'POST' && body.startsWith('{')) {
      sendFhir(response, { ...JSON.parse(body), id: 'made' }, type === '' ? 200 : 201);
    } else if (id === undefined || method === 'POST') {
      this.search(type, new URLSearchParams([...searchParams, ...new URLSearchParams(body)]), response);
    } else if (history === '_history' && version === undefined && versions) {
      sendFhir(response, this.bundle('history', [...versions].reverse(), url));
    } else {
      const found = version === undefined ? versions?.at(-1) : versions?.[Number(version) - 1];
      const { versionId } = (found?.meta ?? {}) as { versionId?: string };
      if (found) sendFhir(response, found, 200, { ETag: `W/"${versionId}"` });
      else sendFhir(response, { resourceType: 'OperationOutcome', issue: [] }, 404);
    }
  }

  private search(type: string, parameters: URLSearchParams, response: ServerResponse): void {
    const found = this.all().filter(
      (one) =>
        one.resourceType === type &&
        (this.ignores || [...parameters].every(([name, value]) => matches(one, name, value))),
    );
    const sort = parameters.get('_sort');
    if (sort !== null) found.sort((one, other) => (sortKey(one, sort) < sortKey(other, sort) ? -1 : 1));
    const { page, links } = this.pageOf(found, parameters, `/${type}`);
    const bundle = this.bundle('searchset', page, `/r4/${type}?${parameters}`, links);
    const included = this.included(page, parameters).map((resource) => ({ resource, search: { mode: 'include' } }));
    sendFhir(response, { ...bundle, total: found.length, entry: [...bundle.entry, ...included] });
  }

  private pageOf(found: readonly Stored[], parameters: URLSearchParams, path: string) {
    const from = Number(parameters.get('_offset') ?? 0);
    const size = Math.min(this.longestPage, Number(parameters.get('_count') ?? 50));
    const next = new URLSearchParams(parameters);
    next.set('_offset', String(from + size));
    const link = { relation: 'next', url: `${this.upstream.url}${path}?${next}` };
    return { page: found.slice(from, from + size), links: from + size < found.length ? [link] : [] };
  }

  private included(page: readonly Stored[], parameters: URLSearchParams): Stored[] {
    const named = new Set(page.map((one) => `${one.resourceType}/${one.id}`));
    const refersToPage = (one: Stored, value: string) => {
      const [type, name = ''] = value.split(':');
      return one.resourceType === type && referencesOf(one, name).some((reference) => named.has(reference));
    };
    const referred = new Set(
      page.flatMap((one) =>
        parameters.getAll('_include').flatMap((value) => referencesOf(one, value.split(':')[1] ?? '')),
      ),
    );
    return this.all().filter(
      (one) =>
        !named.has(`${one.resourceType}/${one.id}`) &&
        (referred.has(`${one.resourceType}/${one.id}`) ||
          parameters.getAll('_revinclude').some((value) => refersToPage(one, value))),
    );
  }

  private bundle(type: string, resources: readonly Stored[], url: string, links: object[] = []) {
    return {
      resourceType: 'Bundle',
      type,
      total: resources.length,
      link: [{ relation: 'self', url: this.upstream.url + url.slice('/r4'.length) }, ...links],
      entry: resources.map((resource) => ({
        fullUrl: `${this.upstream.url}/${resource.resourceType}/${resource.id}`,
        resource,
      })),
    };
  }
}

function metadata(own: readonly string[]): object {
  const resource = [...searchedTypes, 'Binary'].map((type) => ({
    type,
    searchParam: ['_id', ...searchParametersOf(type), ...own].map((name) => ({ name })),
  }));
  const operation = [{ name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' }];
  const exporting = (level: string) => [
    { name: 'export', definition: `http://hl7.org/fhir/uv/bulkdata/OperationDefinition/${level}-export` },
  ];
  const of: Record<string, object[]> = { Patient: [...operation, ...exporting('patient')], Group: exporting('group') };
  const withOperations = resource.map((one) => ({ ...one, ...(of[one.type] && { operation: of[one.type] }) }));
  const rest = [{ mode: 'server', resource: withOperations, operation: exporting('system') }];
  return { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest };
}

function matches(resource: Stored, nameWithModifier: string, value: string): boolean {
  const [name = '', modifier] = nameWithModifier.split(':');
  if (name === '_id') return value.split(',').includes(resource.id);
  if (ofMeta.has(name)) return JSON.stringify(resource.meta ?? {}).includes(`"${value}"`);
  if (control.has(name)) return true;
  const values = valuesOf(resource, name);
  if (modifier === 'missing') return (values.length === 0) === (value === 'true');
  const isMatch = values.some((one) => value.split(',').some((wanted) => isSame(one, wanted, modifier)));
  return modifier === 'not' ? !isMatch : isMatch;
}

function isSame(value: unknown, wanted: string, modifier: string | undefined): boolean {
  if (typeof value !== 'object' || value === null) return String(value) === wanted;
  const { reference, identifier, coding, value: own } = value as Record<string, unknown>;
  if (modifier === 'identifier') return (identifier as { value?: unknown } | undefined)?.value === wanted;
  if (typeof reference === 'string') {
    const typed = modifier && /^[A-Z]/.test(modifier) ? `${modifier}/${wanted}` : wanted;
    return reference === typed || (!typed.includes('/') && reference.endsWith(`/${typed}`));
  }
  const [code, of] = wanted.split('|').reverse();
  const { system } = value as { system?: unknown };
  if (own !== undefined && of !== undefined && system !== of) return false;
  if (own !== undefined && (own === code || code === '')) return true;
  if (coding !== undefined) {
    const all = coding as { system?: unknown; code?: unknown }[];
    return all.some((one) => one.code === code && (of === undefined || one.system === of));
  }
  return Object.values(value).flat().includes(wanted);
}

function referencesOf(resource: Stored, name: string): string[] {
  return valuesOf(resource, name).flatMap((value) => (value as { reference?: string }).reference ?? []);
}

function valuesOf(resource: Stored, name: string): unknown[] {
  const { paths = [], target } = searchedBy(resource.resourceType, name) ?? {};
  const values = paths.flatMap((path) => valuesAt(resource, path));
  if (target === undefined) return values;
  return values.filter((value) => String((value as { reference?: unknown }).reference).startsWith(`${target}/`));
}

function valuesAt(resource: unknown, path: readonly string[]): unknown[] {
  return path.reduce<unknown[]>((values, name) => values.flatMap((value) => elementOf(value, name) ?? []), [resource]);
}

/** An element by its name, or by the one that it has for its type (`deceasedDateTime`). */
function elementOf(value: unknown, name: string): unknown {
  const all = (value ?? {}) as Record<string, unknown>;
  return all[name] ?? all[`${name}DateTime`];
}

function sortKey(resource: Stored, sort: string): string {
  return JSON.stringify(valuesOf(resource, sort.replace(/^-/, '')));
}
