import { bundle, refusal, type SmallAnswer } from './answers.js';
import type { Json, Resource } from './records.js';
import { jsonIn, queryValue, type SmallRequest } from './request.js';
import { conditionsOf, matches, TYPES, type View } from './search.js';
import { isVisible, keyOf, referencesIn, type Store, valuesAt } from './store.js';

/** The parts of the gateway that operations need. */
export interface Carrier {
  readonly store: Store;
  has(flaw: string): boolean;
}

/** Answers an operation from what its token may see. */
export function answerOperation(gateway: Carrier, request: SmallRequest, view: View): SmallAnswer {
  const { parts, interaction } = request;
  if (interaction === 'everything') return everything(gateway, request, view);
  if (interaction === 'lastn')
    return { status: 200, body: bundle('searchset', ofPatient(request, view, 'Observation')) };
  if (interaction === 'graphql') return graph(gateway, request, view);
  const found = view.get(`${request.type}/${request.id}`);
  switch (parts.at(-1)) {
    case '$meta': {
      const all = [...view.values()].filter(({ resourceType }) => parts.length === 1 || resourceType === parts[0]);
      const tags = (parts.length === 3 ? [found] : all).flatMap((one) => one?.meta.tag ?? []);
      return parts.length < 3 || found ? parameters([{ name: 'return', valueMeta: { tag: tags } }]) : missing;
    }
    case '$validate':
      return parts.length < 3 || found
        ? { status: 200, body: { resourceType: 'OperationOutcome', issue: [] } }
        : missing;
    case '$summary':
    case '$document':
    case '$graph':
      return collected(request, view);
    case '$match': {
      const like = resourceIn(request);
      const wanted = valuesAt(like, 'identifier.value').concat(valuesAt(like, 'name.family'));
      const alike = [...view.values()].filter(
        (one) =>
          one.resourceType === 'Patient' &&
          [...valuesAt(one, 'identifier.value'), ...valuesAt(one, 'name.family')].some((value) =>
            wanted.includes(value),
          ),
      );
      return { status: 200, body: bundle('searchset', alike) };
    }
    case '$docref':
      return { status: 200, body: bundle('searchset', ofPatient(request, view, 'DocumentReference')) };
    case '$find':
      return { status: 200, body: bundle('searchset', ofPatient(request, view, 'List')) };
    case '$stats':
      return parameters([{ name: 'count', valueInteger: ofPatient(request, view, 'Observation').length }]);
    case '$diff': {
      const both = ['from', 'to'].map((name) => view.get(queryValue(request, name) ?? ''));
      return both.every(Boolean) ? parameters(both.map((resource) => ({ name: 'operation', resource }))) : missing;
    }
    default:
      return refusal(400, 'The request is not known.');
  }
}

/** Answers a search of a compartment. */
export function answerCompartment(gateway: Carrier, { type, id, parts, query }: SmallRequest, view: View): SmallAnswer {
  const asked = parts[2] ?? '';
  const key = `${type}/${id}`;
  if (!view.has(key)) return missing;
  const of = (all: View) =>
    [...all.values()]
      .filter((one) => asked === '*' || one.resourceType === asked)
      .filter((one) => (type === 'Patient' ? isVisible(one, id, gateway.store) : referencesIn(one).includes(key)));
  const isAll = gateway.has('compartment: a condition replaces it') && conditionsOf(query).length > 0;
  const inside = isAll ? gateway.store.current : new Map(of(view).map((one) => [keyOf(one), one]));
  const found = TYPES.includes(asked) ? matches(asked, query, inside, view) : [...inside.values()];
  const total = gateway.has('compartment: the total of all') ? of(gateway.store.current).length : found.length;
  const isCount = query.some(([name, value]) => name === '_summary' && value === 'count');
  return {
    status: 200,
    body: isCount ? { resourceType: 'Bundle', type: 'searchset', total } : bundle('searchset', found, total),
  };
}

const missing = refusal(404, 'There is no such resource.');
const parameters = (parameter: object[]): SmallAnswer => ({
  status: 200,
  body: { resourceType: 'Parameters', parameter },
});

function everything(gateway: Carrier, { type, id }: SmallRequest, view: View): SmallAnswer {
  const { store } = gateway;
  const isForAll = id === '$everything';
  if (!isForAll && !view.has(`${type}/${id}`)) return missing;
  const isAll = gateway.has('route: the own everything has all');
  const isOf = (one: Resource) =>
    type === 'Patient' ? isVisible(one, id, store) : referencesIn(one).includes(`${type}/${id}`);
  const of = (all: View) => [...all.values()].filter((one) => isForAll || isAll || isOf(one));
  const total = gateway.has('operation: the total of $everything') ? store.current.size : undefined;
  const found = of(isAll ? store.current : view);
  return { status: 200, body: bundle('searchset', found, total ?? found.length) };
}

/** The resources of a type, of the patient that an operation names. */
function ofPatient(request: SmallRequest, view: View, type: string): Resource[] {
  const named = ['patient', 'subject'].map((name) => queryValue(request, name) ?? parameterIn(request.body, name));
  const [wanted] = named.flatMap((one) => one?.replace(/^Patient\//, '') ?? []);
  return [...view.values()].filter(
    (one) => one.resourceType === type && (!wanted || (one.subject as Json)?.reference === `Patient/${wanted}`),
  );
}

/** A resource with what refers to it, or with what it refers to. */
function collected(request: SmallRequest, view: View): SmallAnswer {
  const { type, id, parts, query } = request;
  const [found] = parts.length === 3 ? [view.get(`${type}/${id}`)] : matches(type, query, view);
  if (!found) return missing;
  const near = [...view.values()].filter(
    (one) => referencesIn(one).includes(keyOf(found)) || referencesIn(found).includes(keyOf(one)),
  );
  return { status: 200, body: bundle('document', [found, ...near]) };
}

function graph(gateway: Carrier, request: SmallRequest, view: View): SmallAnswer {
  if (request.parts.length === 3) {
    const found = view.get(`${request.type}/${request.id}`);
    return { status: 200, body: { data: found ? { id: found.id } : null } };
  }
  const asked = queryValue(request, 'query') ?? String(jsonIn(request.body)?.query ?? '');
  const [, list = ''] = /\{\s*(?:\w+\s*:\s*)?([A-Z]\w+)List\s*\(/.exec(asked) ?? [];
  if (list) {
    const wanted = /"(?:Patient\/)?([\w-]+)"/.exec(asked)?.[1] ?? '';
    const found = [...view.values()].filter((one) => one.resourceType === list && JSON.stringify(one).includes(wanted));
    return { status: 200, body: { data: { [`${list}List`]: found.map((one) => ({ id: one.id })) } } };
  }
  const [, alias, type = '', id = ''] = /\{\s*(?:(\w+)\s*:\s*)?([A-Z]\w+)\s*\(id:\s*"([^"]+)"\)/.exec(asked) ?? [];
  const found = view.get(`${type}/${id}`);
  const data = { [alias || type || 'none']: found ? { id: found.id } : null };
  const isHidden = !found && gateway.store.current.has(`${type}/${id}`);
  const tells = isHidden && gateway.has('graphql: an error tells');
  return { status: 200, body: { data, ...(tells && { errors: [{ message: 'You may not see this.' }] }) } };
}

function resourceIn({ body }: SmallRequest): unknown {
  const sent = jsonIn(body);
  return ((sent?.parameter ?? []) as Json[]).find(({ resource }) => resource)?.resource ?? sent;
}

function parameterIn(text: string, name: string): string | undefined {
  const list = (jsonIn(text)?.parameter ?? []) as Json[];
  const found = list.find((one) => one.name === name);
  return found && String((found.valueReference as Json)?.reference ?? found.valueString ?? found.valueId);
}
