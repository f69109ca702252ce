import { type Holder, refusal, type SmallAnswer } from './answers.js';
import { answerExport } from './exports.js';
import type { Json, Resource } from './records.js';
import { jsonIn, type SmallRequest } from './request.js';
import { matches, type Query, type View } from './search.js';
import { isVisible, keyOf, referencesIn, SHARED_TYPES, valuesAt } from './store.js';
import { permits, type Rights } from './tokens.js';

const ACTIONS: Record<string, string> = { create: 'c', delete: 'd', 'conditional delete': 'd' };

/** Answers what changes something: the changed and the new resource have to be of the token's patient. */
export function answerChange(gateway: Holder, request: SmallRequest, rights: Rights, view: View): SmallAnswer {
  const { interaction, type } = request;
  if (interaction.startsWith('export')) return answerExport(gateway, request, rights, view);
  if (!permits(rights, type, ACTIONS[interaction] ?? 'u') && !gateway.has('write: the scope is not checked'))
    return refusal(403, 'The scopes do not permit this.');
  if (interaction.startsWith('conditional')) return answerConditional(gateway, request, rights, view);
  if (interaction === 'create') return create(gateway, request, rights, view);
  if (interaction === 'operation') return addMeta(gateway, request, view);
  return changeOne(gateway, request, `${type}/${request.id}`, rights, view);
}

function create(gateway: Holder, request: SmallRequest, rights: Rights, view: View): SmallAnswer {
  const condition = request.headers['if-none-exist'];
  if (condition) {
    const query: Query = [...new URLSearchParams(String(condition))];
    const seen = gateway.has('write: a conditional create looks at all') ? gateway.store.current : view;
    const found = matches(request.type, query, seen);
    if (found[0]) return { status: 200, body: found[0] };
  }
  const body = jsonIn(request.body) as Resource | undefined;
  if (body?.resourceType !== request.type) return refusal(400, 'The resource is not valid.');
  if (isTaken(gateway, body)) return refusal(409, 'This is taken.');
  const resource = { ...body, id: gateway.store.newId() };
  const refused = refusalOf(gateway, resource, rights, request);
  if (refused) return refused;
  const stored = gateway.store.put(resource);
  return { status: 201, body: stored, headers: { Location: `${gateway.base}/${keyOf(stored)}/_history/1` } };
}

function isTaken(gateway: Holder, body: Resource): boolean {
  const all = [...gateway.store.current.values()];
  const values = valuesAt(body, 'identifier.value');
  return (
    (gateway.has('write: an identifier that is taken tells') &&
      all.some((one) => valuesAt(one, 'identifier.value').some((value) => values.includes(value)))) ||
    (gateway.has('write: an id that is taken tells') && gateway.store.current.has(keyOf(body)))
  );
}

/** The names of the kinds of patches. */
const kindOfPatch = ({ body, headers }: SmallRequest) =>
  /merge-patch/.test(String(headers['content-type'] ?? ''))
    ? 'merge patch'
    : Array.isArray(jsonIn(body))
      ? 'JSON patch'
      : 'FHIRPath patch';

/** True if a mutant lets the request change what is not the patient's. */
function isFreeFor(gateway: Holder, request: SmallRequest, kind: string): boolean {
  const { interaction, isEntry, bundle } = request;
  return (
    request.isRewritten === true ||
    gateway.mutant.frees?.(request) === true ||
    gateway.has(`write: any ${interaction}`) ||
    (interaction === 'patch' && gateway.has(`write: any ${kindOfPatch(request)}`)) ||
    (isEntry && gateway.has('write: any change in a bundle')) ||
    (bundle === 'transaction' && gateway.has('write: any change in a transaction')) ||
    (bundle === 'batch' && gateway.has(`write: any ${kind} in a batch`))
  );
}

function changeOne(gateway: Holder, request: SmallRequest, key: string, rights: Rights, view: View): SmallAnswer {
  const kind = request.interaction.replace('conditional ', '');
  const isFree = isFreeFor(gateway, request, kind);
  const stored = isFree ? gateway.store.current.get(key) : view.get(key);
  const body = kind === 'patch' ? unwrapped(jsonIn(request.body)) : jsonIn(request.body);
  if (!stored) {
    if (
      kind === 'update' &&
      !gateway.store.current.has(key) &&
      gateway.has('write: an update that creates is not checked')
    )
      return { status: 201, body: gateway.store.put({ ...(body as Resource), id: request.id }) };
    return missingFor(gateway, request, key, kind);
  }
  if (kind === 'delete') {
    gateway.store.delete(key);
    return { status: 204 };
  }
  const next = kind === 'patch' ? patched(stored, body, request) : body;
  if (!next || next.resourceType !== stored.resourceType) return refusal(400, 'The change is not valid.');
  const isByBody = gateway.has('write: the id of the body is taken');
  const resource = { ...(next as Resource), id: isByBody ? String(next.id) : stored.id };
  const refused = isFree ? undefined : refusalOf(gateway, resource, rights, request);
  return refused ?? { status: 200, body: gateway.store.put(resource) };
}

function missingFor(gateway: Holder, { headers, body }: SmallRequest, key: string, kind: string): SmallAnswer {
  const hidden = gateway.store.current.get(key);
  if (!hidden) return missing;
  if (gateway.has('write: the status tells') || gateway.has(`write: the status of ${article(kind)} tells`))
    return refusal(403, 'This resource is not yours.');
  if (gateway.has('write: If-Match tells') && headers['if-match']) return refusal(412, 'The version is another one.');
  if (gateway.has('write: a patch that tests a value tells') && /"op"\s*:\s*"test"/.test(body))
    return refusal(409, 'The value is another one.');
  if (gateway.has('write: a refusal shows what is stored')) return { status: 409, body: hidden };
  return missing;
}

const missing = refusal(404, 'There is no such resource.');
const article = (kind: string) => `${kind === 'update' ? 'an' : 'a'} ${kind}`;

/** A patch in a bundle may be in a Binary. */
const unwrapped = (body: Json | undefined) =>
  body?.resourceType === 'Binary' ? jsonIn(Buffer.from(String(body.data), 'base64').toString()) : body;

function addMeta(gateway: Holder, { type, id, parts }: SmallRequest, view: View): SmallAnswer {
  const key = `${type}/${id}`;
  const seen = gateway.has('write: $meta-add of anything') ? gateway.store.current : view;
  const found = parts.length === 3 ? seen.get(key) : undefined;
  if (!found) return missing;
  gateway.store.put({ ...found });
  return { status: 200, body: { resourceType: 'Parameters', parameter: [{ name: 'return', valueMeta: found.meta }] } };
}

function patched(stored: Resource, patch: unknown, request: SmallRequest): Json | undefined {
  const copy = structuredClone(stored) as Json;
  if (kindOfPatch(request) === 'merge patch') return { ...copy, ...(patch as Json) };
  const { headers } = request;
  if (Array.isArray(patch)) {
    for (const { op, path, value } of patch as { op: string; path: string; value: unknown }[]) {
      const parts = path.split('/').slice(1);
      const last = parts.pop() ?? '';
      const target = parts.reduce<Json | undefined>((one, name) => one?.[name] as Json | undefined, copy);
      if (!target || !['add', 'replace'].includes(op)) return undefined;
      target[last] = value;
    }
    return copy;
  }
  const parameters = (patch as Json)?.parameter as { part?: Json[] }[] | undefined;
  if (!parameters || !/fhir\+json/.test(String(headers['content-type'] ?? 'fhir+json'))) return undefined;
  for (const { part = [] } of parameters) {
    const of = (name: string) => part.find((one) => one.name === name);
    const path = String(of('path')?.valueString).split('.').slice(1);
    const [, value] = Object.entries(of('value') ?? {}).find(([name]) => name.startsWith('value')) ?? [];
    const element = path[0] ?? String(of('name')?.valueString);
    copy[element] = value;
  }
  return copy;
}

/** A written resource must belong to the patient, and refer only to what the patient may see. */
function refusalOf(
  gateway: Holder,
  resource: Resource,
  rights: Rights,
  request: SmallRequest,
): SmallAnswer | undefined {
  const { patient } = rights;
  if (patient === undefined) return undefined;
  if (isBoundByMistake(gateway, resource, patient, request)) return undefined;
  if (!isVisible(resource, patient, gateway.store) && !SHARED_TYPES.has(resource.resourceType))
    return refusal(403, 'What is written has to be of the patient.');
  const foreign = referencesIn(resource).filter((one) => {
    const key = /([A-Z][A-Za-z]+\/[^/]+)$/.exec(one)?.[1] ?? one;
    const found = gateway.store.current.get(key);
    return !(found && (SHARED_TYPES.has(found.resourceType) || isVisible(found, patient, gateway.store)));
  });
  if (foreign.length === 0 || gateway.has('write: references are not checked')) return undefined;
  const only = (type: string) => foreign.every((one) => one.includes(`${type}/`));
  if (only('Binary') && gateway.has('write: documents are not checked')) return undefined;
  if (only('Encounter') && gateway.has('write: an encounter of another patient')) return undefined;
  const isMissing = foreign.every((one) => !gateway.store.current.has(one));
  if (isMissing && gateway.has('write: a reference tells')) return refusal(422, 'What is referred to does not exist.');
  return refusal(403, 'What is written may refer to the own record only.');
}

/** The mutants that let a type name anything, as long as its subject is the own patient. */
const FREE_TYPES: Record<string, string> = {
  List: 'write: a List may name anything',
  Appointment: 'write: an Appointment may have any participant',
  Group: 'write: a Group may have any member',
  Provenance: 'write: a Provenance may have any target',
  AuditEvent: 'write: an AuditEvent may be about anything',
  Subscription: 'write: a subscription to anything',
};

/** True if a mutant does not check what is written. */
function isBoundByMistake(gateway: Holder, resource: Resource, patient: string, request: SmallRequest): boolean {
  const { interaction, isEntry, bundle } = request;
  const named = (resource.subject ?? resource.patient) as Json | undefined;
  const reference = String(named?.reference ?? '');
  return (
    gateway.mutant.binds?.(resource, request) === true ||
    gateway.has(`write: any subject by ${interaction}`) ||
    (interaction === 'patch' && gateway.has(`write: any subject by a ${kindOfPatch(request)}`)) ||
    (isEntry && gateway.has('write: any subject in a bundle')) ||
    (bundle === 'transaction' && gateway.has('write: any subject in a transaction')) ||
    (interaction === 'conditional update' && gateway.has('write: a conditional update that creates is not checked')) ||
    (named?.identifier !== undefined && !named.reference && gateway.has('write: a subject by identifier')) ||
    (reference.startsWith('http') && gateway.has('write: an absolute subject')) ||
    (reference.includes('/_history/') && gateway.has('write: a subject with a version')) ||
    (reference.includes('?') && gateway.has('write: a subject by a search')) ||
    (reference.startsWith('#') && gateway.has('write: a contained subject')) ||
    ((named === undefined || reference === `Patient/${patient}`) &&
      gateway.has(FREE_TYPES[resource.resourceType] ?? 'no flaw'))
  );
}

function answerConditional(gateway: Holder, request: SmallRequest, rights: Rights, view: View): SmallAnswer {
  const all = gateway.has(`write: any ${request.interaction}`) || gateway.mutant.frees?.(request) === true;
  const found = matches(request.type, request.query, all ? gateway.store.current : view);
  const [only] = found;
  if (found.length > 1) return refusal(412, 'Several resources match.');
  if (!only && request.interaction === 'conditional delete' && gateway.has('write: a conditional delete tells'))
    if (matches(request.type, request.query, gateway.store.current).length > 0)
      return refusal(403, 'This resource is not yours.');
  if (!only)
    return request.interaction === 'conditional update'
      ? create(gateway, { ...request, headers: {} }, rights, view)
      : missing;
  return changeOne(gateway, request, keyOf(only), rights, view);
}
