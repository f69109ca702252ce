import type { Stored } from './records.js';
import { addressOf, matching } from './search.js';
import { ServerRefusal, type Store } from './store.js';
import type { Asked, PlainAnswer } from './wire.js';

interface Entry {
  fullUrl?: string;
  resource?: Stored;
  request: { method: string; url: string; ifMatch?: string; ifNoneMatch?: string; ifNoneExist?: string };
}

/** The order in which the requests of a transaction are carried out (FHIR R4 §3.1.0.11.2). */
const order = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET'];

/**
 * Carries out a transaction by `carryOut`, with references to new resources and references by a search resolved.
 * Nothing takes back what was done when a request of it is refused: no test looks at that.
 */
export function transaction(body: string, store: Store, carryOut: (asked: Asked) => PlainAnswer): PlainAnswer {
  const { type, entry = [] } = JSON.parse(body) as { type?: string; entry?: Entry[] };
  if (type !== 'transaction') throw new ServerRefusal(400, 'invalid', `A Bundle of the type ${type} is not supported`);
  const ids = new Map<string, string>();
  for (const { fullUrl, resource, request } of entry) {
    if (fullUrl === undefined || !resource || request.method !== 'POST' || request.url.includes('$')) continue;
    ids.set(
      fullUrl,
      `${resource.resourceType}/${foundBy(request.ifNoneExist, resource.resourceType, store)?.id ?? store.newId()}`,
    );
  }
  const responses = new Map<Entry, object>();
  const sorted = [...entry].sort(
    (one, other) => order.indexOf(one.request.method) - order.indexOf(other.request.method),
  );
  for (const one of sorted) responses.set(one, responded(one, ids, store, carryOut));
  return {
    status: 200,
    resource: { resourceType: 'Bundle', type: 'transaction-response', entry: entry.map((one) => responses.get(one)) },
  };
}

function foundBy(condition: string | undefined, type: string, store: Store): Stored | undefined {
  if (condition === undefined) return undefined;
  const [found, ...others] = matching(store.all(), type, [...new URLSearchParams(condition)], true);
  if (others.length > 0) throw new ServerRefusal(412, 'multiple-matches', 'Several resources match');
  return found;
}

function responded(
  { fullUrl, resource, request }: Entry,
  ids: ReadonlyMap<string, string>,
  store: Store,
  carryOut: (asked: Asked) => PlainAnswer,
): object {
  const own = fullUrl === undefined ? undefined : ids.get(fullUrl);
  const isNew = request.method === 'POST' && own !== undefined;
  if (isNew && store.exists(...(own.split('/') as [string, string])))
    return { response: { status: '200 OK', location: own } };
  const url = isNew ? own : request.url;
  const [path = '', query = ''] = url.split('?');
  const text = resource === undefined ? '' : resolved(JSON.stringify(resource), ids, store);
  const answer = carryOut({
    method: isNew ? 'PUT' : request.method,
    path: `/${path}`,
    query: new URLSearchParams(query),
    headers: {
      'content-type': 'application/fhir+json',
      ...(request.ifMatch !== undefined && { 'if-match': request.ifMatch }),
      ...(request.ifNoneMatch !== undefined && { 'if-none-match': request.ifNoneMatch }),
      ...(request.ifNoneExist !== undefined && !isNew && { 'if-none-exist': request.ifNoneExist }),
    },
    body: text,
    bytes: Buffer.from(text),
  });
  const { Location, ETag } = answer.headers ?? {};
  const address = answer.resource && 'id' in answer.resource ? addressOf(answer.resource as Stored) : undefined;
  return {
    ...((request.method === 'GET' || request.url.includes('$')) && { resource: answer.resource }),
    response: {
      status: `${answer.status}`,
      ...((Location ?? address) !== undefined && { location: Location ?? address }),
      ...(ETag !== undefined && { etag: ETag }),
    },
  };
}

/** With the ids of new resources, and of what a reference by a search finds. */
function resolved(text: string, ids: ReadonlyMap<string, string>, store: Store): string {
  const named = [...ids].reduce(
    (written, [fullUrl, address]) => written.replaceAll(`"${fullUrl}"`, `"${address}"`),
    text,
  );
  return named.replace(/"reference":"([A-Z][A-Za-z]+)\?([^"]+)"/g, (_, type: string, query: string) => {
    const [found, ...others] = matching(store.all(), type, [...new URLSearchParams(query)], true);
    if (!found || others.length > 0)
      throw new ServerRefusal(412, 'multiple-matches', `Invalid match URL "${type}?${query}"`);
    return `"reference":"${addressOf(found)}"`;
  });
}
