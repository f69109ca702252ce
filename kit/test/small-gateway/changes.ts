import { type Holder, refusal, type SmallAnswer } from './answers.js';
import type { Json, Resource } from './records.js';
import { jsonIn, type SmallRequest } from './request.js';
import { matches, type Query, type View } from './search.js';
import { isVisible, keyOf, referencesIn, SHARED_TYPES } from './store.js';
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
  const resource = { ...body, id: gateway.store.newId() };
  const refused = refusalOf(gateway, resource, rights, request);
  if (refused) return refused;
  const stored = gateway.store.put(resource);
  return { status: 201, body: stored, headers: { Location: `${gateway.base}/${keyOf(stored)}/_history/1` } };
}

function changeOne(gateway: Holder, request: SmallRequest, key: string, rights: Rights, view: View): SmallAnswer {
  const { interaction } = request;
  const kind = interaction.replace('conditional ', '');
  const isFree =
    gateway.has(`write: any ${interaction}`) || (request.isEntry && gateway.has('write: any change in a bundle'));
  const stored = isFree ? gateway.store.current.get(key) : view.get(key);
  if (!stored) {
    if (gateway.store.current.has(key) && gateway.has('write: the status tells'))
      return refusal(403, 'This resource is not yours.');
    return refusal(404, 'There is no such resource.');
  }
  if (kind === 'delete') {
    gateway.store.delete(key);
    return { status: 204 };
  }
  const body = jsonIn(request.body);
  const next = kind === 'patch' ? patched(stored, body, request) : body;
  if (!next || next.resourceType !== stored.resourceType) return refusal(400, 'The change is not valid.');
  const resource = { ...(next as Resource), id: stored.id };
  const refused = isFree ? undefined : refusalOf(gateway, resource, rights, request);
  return refused ?? { status: 200, body: gateway.store.put(resource) };
}

function patched(stored: Resource, patch: unknown, { headers }: SmallRequest): Json | undefined {
  const copy = structuredClone(stored) as Json;
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

/** What is written has to be of the patient, and to refer to what the patient may see. */
function refusalOf(
  gateway: Holder,
  resource: Resource,
  rights: Rights,
  request: SmallRequest,
): SmallAnswer | undefined {
  const { patient } = rights;
  if (patient === undefined) return undefined;
  const isBound =
    gateway.has(`write: any subject by ${request.interaction}`) ||
    (request.isEntry && gateway.has('write: any subject in a bundle'));
  if (!isBound && !isVisible(resource, patient, gateway.store) && !SHARED_TYPES.has(resource.resourceType))
    return refusal(403, 'What is written has to be of the patient.');
  const foreign = referencesIn(resource).filter((one) => {
    const key = /([A-Z][A-Za-z]+\/[^/]+)$/.exec(one)?.[1] ?? one;
    const found = gateway.store.current.get(key);
    return !(found && (SHARED_TYPES.has(found.resourceType) || isVisible(found, patient, gateway.store)));
  });
  if (foreign.length === 0 || isBound || gateway.has('write: references are not checked')) return undefined;
  const documents = foreign.every((one) => one.includes('Binary/'));
  if (documents && gateway.has('write: documents are not checked')) return undefined;
  const missing = foreign.every((one) => !gateway.store.current.has(one));
  if (missing && gateway.has('write: a reference tells')) return refusal(422, 'What is referred to does not exist.');
  return refusal(403, 'What is written may refer to the own record only.');
}

function answerConditional(gateway: Holder, request: SmallRequest, rights: Rights, view: View): SmallAnswer {
  const all = gateway.has(`write: any ${request.interaction}`);
  const found = matches(request.type, request.query, all ? gateway.store.current : view);
  const [only] = found;
  if (found.length > 1) return refusal(412, 'Several resources match.');
  if (!only)
    return request.interaction === 'conditional update'
      ? create(gateway, { ...request, headers: {} }, rights, view)
      : refusal(404, 'There is no such resource.');
  return changeOne(gateway, request, keyOf(only), rights, view);
}

function answerExport(
  gateway: Holder,
  { interaction, id, type, parts }: SmallRequest,
  rights: Rights,
  view: View,
): SmallAnswer {
  const isOpen = gateway.has('bulk: an export of all');
  if (interaction === 'export') {
    if (!isOpen && !(type === 'Patient' && id === rights.patient))
      return refusal(403, 'Only the own record is exported.');
    const job = `job-${gateway.jobs.size}`;
    const source = isOpen ? gateway.store.current : view;
    gateway.jobs.set(job, { patient: rights.patient, resources: [...source.values()] });
    return { status: 202, headers: { 'Content-Location': `${gateway.base}/$export-status/${job}` } };
  }
  const job = gateway.jobs.get(parts[1] ?? '');
  if (!job || (job.patient !== rights.patient && !gateway.has('bulk: files for anyone')))
    return refusal(404, 'There is no such export.');
  if (interaction === 'export file')
    return {
      status: 200,
      headers: { 'Content-Type': 'application/fhir+ndjson' },
      body: job.resources.map((one) => JSON.stringify(one)).join('\n'),
    };
  return {
    status: 200,
    body: { output: [{ type: 'Patient', url: `${gateway.base}/$export-file/${parts[1]}` }] },
    headers: { 'Content-Type': 'application/json' },
  };
}
