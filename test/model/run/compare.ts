import { decide } from '../decision/decide.js';
import type { Verdict } from '../decision/verdict.js';
import { type Asked, of, type Query, type Resource } from '../decision/world.js';
import { type Case, stepUpRules } from '../generated/case.js';
import { representation } from '../generated/relationship.js';
import { capabilities, fewCapabilities } from '../generated/resources.js';
import { appBase, type Capabilities, type Data, DataServer, serverBase } from './data.js';
import { type Answered, type AppRequest, type GatewaySettings, InProcessGateway } from './in-process.js';

/** The gateways that cases are sent to. */
export interface Gateways {
  plain: InProcessGateway;
  steppingUp: InProcessGateway;
  bare: InProcessGateway;
}

export async function startGateways(): Promise<Gateways> {
  return {
    plain: await InProcessGateway.start(capabilities, settingsOf({ stepsUp: false })),
    steppingUp: await InProcessGateway.start(capabilities, settingsOf({ stepsUp: true })),
    bare: await InProcessGateway.start(fewCapabilities, settingsOf({ stepsUp: false, isBare: true })),
  };
}

/**
 * Of the gateways: the second demands sign-ins, and scopes for the operations of a record. At these two accounts may
 * act for patients, and at the third not.
 */
function settingsOf({ stepsUp, isBare }: Pick<Case, 'stepsUp' | 'isBare'>): GatewaySettings {
  if (isBare) return { stepUp: [], operationsWithoutScope: ['docref', 'everything'] };
  return stepsUp
    ? { stepUp: stepUpRules, operationsWithoutScope: ['docref'], representation }
    : { stepUp: [], operationsWithoutScope: ['docref', 'everything', 'export', 'lastn'], representation };
}

/** The decisions of the model and of the gateway, where they differ. */
export interface Difference {
  expected: unknown;
  found: unknown;
}

/** Undefined if both decide alike; `note` is told the model's verdict. */
export async function differenceIn(
  one: Case,
  gateways: Gateways,
  note?: (verdict: Verdict) => void,
): Promise<Difference | undefined> {
  const server = serverWith(one.data, one.isBare ? fewCapabilities : capabilities);
  const verdict = decide(one.asked, { token: one.token, server, ...settingsOf(one) });
  note?.(verdict);
  const gateway = gateways[one.isBare ? 'bare' : one.stepsUp ? 'steppingUp' : 'plain'];
  const request = requestOf(one.asked);
  const answer = await (one.onPage === undefined
    ? gateway.send(request, one.token, server)
    : gateway.sendForAll(request, one.token, server, one.onPage));
  const [expected, found] = [expectedOf(verdict, one.asked), foundIn(answer, one, verdict)];
  const isSame = JSON.stringify(expected) === JSON.stringify(found) || plain(expected) === plain(found);
  return isSame ? undefined : { expected, found };
}

let known: { data: Data; able: Capabilities; server: DataServer } | undefined;

/** Many cases in a row are about the same data. */
function serverWith(data: Data, able: Capabilities): DataServer {
  if (known?.data !== data || known.able !== able) known = { data, able, server: new DataServer(data, able) };
  return known.server;
}

const methods: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };

function requestOf(asked: Asked): AppRequest {
  const { interaction, body, byPost, operation } = asked;
  if (interaction === 'batch' || interaction === 'transaction') {
    return {
      method: 'POST',
      target: '',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(bundleOf(asked)),
    };
  }
  const headers = headersOf(asked);
  if (byPost && operation !== undefined && operation !== 'meta' && operation !== 'unknown') {
    const type = { 'content-type': 'application/fhir+json' };
    return { method: 'POST', target: pathOf(asked), headers: type, body: JSON.stringify(parametersOf(asked.query)) };
  }
  if (byPost && operation === undefined) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', target: `${pathOf(asked)}/_search`, headers: type, body: printed(asked.query) };
  }
  const method = methods[interaction] ?? (byPost ? 'POST' : 'GET');
  const query = printed(asked.query);
  const target = pathOf(asked) + (query && `?${query}`);
  if (body === undefined) return { method, target, headers };
  if (asked.asContent) return contentRequest(method, target, headers, body as Resource);
  const type = interaction === 'patch' ? 'application/json-patch+json' : 'application/fhir+json';
  return { method, target, headers: { ...headers, 'content-type': type }, body: JSON.stringify(body) };
}

/** A Binary in its own type (FHIR R4 Binary §Serving Binary Resources using the RESTful API). */
function contentRequest(
  method: string,
  target: string,
  headers: Record<string, string>,
  { contentType, data, securityContext }: Resource,
) {
  const context = of(securityContext, 'reference');
  return {
    method,
    target,
    headers: {
      ...headers,
      'content-type': String(contentType),
      ...(context !== undefined && { 'x-security-context': String(context) }),
    },
    body: Buffer.from(String(data), 'base64').toString(),
  };
}

function parametersOf(query: Query): object {
  return { resourceType: 'Parameters', parameter: query.map(([name, valueString]) => ({ name, valueString })) };
}

function headersOf({ ifMatch, ifNoneExist, onlyNew, known, asContent, body }: Asked): Record<string, string> {
  return {
    ...(asContent && body === undefined && { accept: '*/*' }),
    ...(known && { 'if-none-match': known }),
    ...(ifMatch && { 'if-match': ifMatch }),
    ...(onlyNew && { 'if-none-match': '*' }),
    ...(ifNoneExist && { 'if-none-exist': printed(ifNoneExist) }),
  };
}

function bundleOf({ interaction, parts = [] }: Asked): object {
  const entry = parts.map((part) => {
    const { method, target } = requestOf(part);
    const {
      'if-match': ifMatch,
      'if-none-match': ifNoneMatch,
      'if-none-exist': ifNoneExist,
    } = headersOf(part) as Partial<Record<string, string>>;
    // JSON has no members that are undefined.
    const request = { method, url: target.slice(1), ifMatch, ifNoneMatch, ifNoneExist };
    return {
      ...(part.name && { fullUrl: part.name }),
      ...(part.body !== undefined && { resource: part.body }),
      request,
    };
  });
  return { resourceType: 'Bundle', type: interaction, entry };
}

function pathOf({ interaction, type, id, version, operation, inRecordOf }: Asked): string {
  const history = interaction.startsWith('history') ? '_history' : version && `_history/${version}`;
  const named = [type === '*' ? undefined : type, id, history, operation && `$${operation}`].filter(
    (part) => part !== undefined,
  );
  return `${inRecordOf === undefined ? '' : `/Patient/${inRecordOf}`}/${named.join('/')}`;
}

function printed(query: Query): string {
  return new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
}

/** The part of the verdict that an answer shows. */
function expectedOf(verdict: Verdict, asked: Asked): unknown {
  if (verdict === 'done') return { status: 'done' };
  if (verdict === 'unchanged') return { status: 304 };
  if ('rule' in verdict) return { status: verdict.status, sent: [] };
  if ('parts' in verdict)
    return verdict.parts.map((part) => (typeof part === 'object' && 'rule' in part ? part.status : 'done'));
  if ('sent' in verdict) return { status: 'done', sent: [withoutUndefined(verdict.sent)] };
  const { shown, total } = verdict;
  return {
    status: 'done',
    shown: asked.asContent ? shown.map(({ data }) => Buffer.from(String(data), 'base64').toString()) : shown,
    ...(asked.interaction === 'search' && { total: total ?? 'none' }),
    sent: [],
    lacks: [],
  };
}

function foundIn({ status, text, sent }: Answered, { asked, onPage }: Case, verdict: Verdict): unknown {
  if (status === 200 && asked.interaction === 'batch') return statusesIn(text);
  const changes = sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/_search'));
  if (status >= 400) return { status, sent: changes.map(asSent) };
  if (status === 304) return { status };
  if (verdict === 'done') return { status: 'done' };
  if (asked.asContent && asked.body === undefined)
    return { status: 'done', shown: [text], sent: changes.map(asSent), lacks: [] };
  if (typeof verdict === 'object' && 'shown' in verdict) {
    const body = text === '' ? undefined : JSON.parse(text);
    const isBundle = body?.resourceType === 'Bundle';
    const shown = isBundle
      ? (body.entry ?? []).flatMap(({ resource }: { resource?: Resource }) => resource ?? [])
      : [body];
    // A page need not say how many matches there are on all.
    const untold = onPage === undefined ? 'none' : (verdict.total ?? 'none');
    const total = asked.interaction === 'search' && { total: body?.total ?? untold };
    return {
      status: 'done',
      shown,
      ...total,
      sent: changes.map(asSent),
      lacks: lackedBy(sent, asked.type, verdict.inside),
    };
  }
  const withBody = typeof verdict === 'object' && 'sent' in verdict && verdict.sent.body !== undefined;
  return {
    status: 'done',
    sent: changes.map((one) => (withBody ? asSent(one) : { method: one.method, path: one.path })),
  };
}

/** Conditions without which the server was asked for the type (rule `asked-inside`). */
function lackedBy(sent: Answered['sent'], type: string, inside: Query = []): Query {
  const searches = sent.filter(({ path }) => new RegExp(`^/${type}(?:[?]|/_search|/[$]|$)`).test(path));
  const asked = searches.map(({ path, body }) => [...new URLSearchParams(body ?? path.split('?')[1] ?? '')]);
  // What is named by others is asked for by its id.
  const own = asked.filter(
    (query) => query.every(([name]) => name !== '_id') || inside.some(([name]) => name === '_id'),
  );
  return inside.filter((one) =>
    own.some((query) => !query.some(([name, value]) => name === one[0] && isSame(value, one[1]))),
  );
}

/** `$docref` takes the id alone. */
function isSame(sent: string, wanted: string): boolean {
  return sent === wanted || `Patient/${sent}` === wanted;
}

function asSent({ method, path, body }: Answered['sent'][number]): object {
  return withoutUndefined({ method, path, body: body === undefined ? undefined : JSON.parse(body) });
}

function statusesIn(text: string): unknown[] {
  const { entry = [] } = JSON.parse(text) as { entry?: { response: { status: string } }[] };
  return entry.map(({ response }) => (Number(response.status) >= 400 ? Number(response.status) : 'done'));
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, own]) => own !== undefined));
}

/** The same text for the same content, whichever base its addresses have. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_name, own: unknown) =>
    typeof own === 'object' && own !== null && !Array.isArray(own)
      ? Object.fromEntries(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)))
      : own,
  )
    ?.replaceAll(appBase, serverBase)
    .replaceAll(encodeURIComponent(appBase), encodeURIComponent(serverBase));
}
