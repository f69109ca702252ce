import { listOf, member } from '../../../contract/rules/resources/elements.js';
import type { Cancellation } from '../../../fhir-server/application/fhir-server.js';
import { Refusal } from '../../domain/refusal.js';
import type { ServerExchange } from '../server/server-exchange.js';

/** A value that names more than these is treated as naming resources that the server does not have. */
const mostReferences = 100;
/** A request for several of a type saves requests from this number on. */
const fewest = 3;
/** Fits into an address. */
const mostOfSearch = 50;
const atOnce = 4;

/** Finds the resources of the server that others name, with few requests, and only so many for one answer. */
export class NamedResources {
  private left = mostReferences;

  constructor(private readonly exchange: ServerExchange) {}

  /**
   * The resources by `Type/id`, without those that the server does not have. Throws a {@link Refusal} if it does not
   * answer.
   */
  async findByReference(references: readonly string[], cancellation: Cancellation): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    const wanted = new Set(references.slice(0, this.left));
    this.left -= wanted.size;
    await inTurn([...searchesFor(wanted)], async ([type, ids]) => {
      for (const resource of await this.search(type, ids, cancellation)) add(found, resource, wanted);
    });
    // A server may limit its pages, or not know the parameter.
    const missing = [...wanted].filter((reference) => !found.has(reference));
    await inTurn(missing, async (reference) => {
      add(found, await this.answerTo(`/${reference}`, cancellation), new Set([reference]));
    });
    return found;
  }

  private async search(type: string, ids: readonly string[], cancellation: Cancellation): Promise<readonly unknown[]> {
    const query = new URLSearchParams({ _id: ids.join(','), _count: String(ids.length) });
    const bundle = await this.answerTo(`/${type}?${query}`, cancellation);
    return listOf(member(bundle, 'entry')).map((entry) => member(entry, 'resource'));
  }

  /** The parsed answer to a read; undefined if the server refuses it, or answers with too much. */
  private async answerTo(path: string, cancellation: Cancellation): Promise<unknown> {
    const headers = { 'cache-control': 'no-cache' };
    try {
      const { text } = await this.exchange.sendAndRead({ method: 'GET', path, headers, cancellation });
      return JSON.parse(text);
    } catch (error) {
      const isMissing = error instanceof Refusal && (error.status < 500 || error.code === 'too-long');
      if (isMissing || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function* searchesFor(references: ReadonlySet<string>): Generator<[type: string, ids: string[]]> {
  const byType = new Map<string, string[]>();
  for (const reference of references) {
    const [type = '', id = ''] = reference.split('/');
    byType.set(type, [...(byType.get(type) ?? []), id]);
  }
  for (const [type, ids] of byType) {
    if (ids.length < fewest) continue;
    for (let from = 0; from < ids.length; from += mostOfSearch) yield [type, ids.slice(from, from + mostOfSearch)];
  }
}

function add(found: Map<string, unknown>, resource: unknown, wanted: ReadonlySet<string>): void {
  const reference = `${member(resource, 'resourceType')}/${member(resource, 'id')}`;
  if (wanted.has(reference)) found.set(reference, resource);
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    await Promise.all(items.slice(from, from + atOnce).map(work));
  }
}
