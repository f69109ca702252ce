import type { Interaction } from '../../contract/audit/access-detail.js';
import { Refusal } from './refusal.js';

/** One value for each name, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

const overrides = ['x-http-method-override', 'x-http-method', 'x-method-override'];
const writing: ReadonlySet<Interaction> = new Set(['create', 'update', 'patch']);
const changing: ReadonlySet<Interaction> = new Set([...writing, 'delete']);
const resourceTypes = /^application\/(?:fhir\+)?json$/;
const json = [
  '*/*',
  'application/*',
  'application/json',
  'application/fhir+json',
  'application/json+fhir',
  'text/json',
];
/** Media types of an export's files (Bulk Data Access 2.0 §file-request). */
const ndjson = ['application/fhir+ndjson', 'application/ndjson'];
const patchTypes = /^application\/(?:json-patch\+json|fhir\+json)$/;

/**
 * Throws a {@link Refusal} unless a request with these headers can be carried out; {@link assertAccepts} decides about
 * `Accept`. `isContent` is true for a body in a type of its own.
 */
export function assertHeaders(
  interaction: Interaction,
  method: string,
  headers: RequestHeaders,
  isContent = false,
): void {
  assertNoOverride(headers);
  if (/websocket/i.test(headers.upgrade ?? ''))
    throw new Refusal(400, 'not-supported', 'WebSockets are not supported.');
  if (headers['if-none-exist'] !== undefined && interaction !== 'create') {
    throw new Refusal(400, 'invalid', 'If-None-Exist is for creating a resource.');
  }
  if (changing.has(interaction)) assertPreconditions(interaction, headers);
  assertBody(interaction, method, headers, isContent);
}

/** Throws a {@link Refusal} for a header that would be another method. Before the address is read by the method. */
export function assertNoOverride(headers: RequestHeaders): void {
  if (overrides.every((name) => headers[name] === undefined)) return;
  throw new Refusal(400, 'not-supported', 'Another method cannot be asked for in a header.');
}

/** True for an update that may only make what does not exist yet: `If-None-Match: *` (RFC 9110 §13.1.2). */
export function makesOnly(interaction: Interaction, headers: RequestHeaders): boolean {
  return interaction === 'update' && headers['if-none-match']?.trim() === '*';
}

/** Left out, preconditions would let a change happen that the app did not mean (RFC 9110 §13.2.1). */
function assertPreconditions(interaction: Interaction, headers: RequestHeaders): void {
  const makes = makesOnly(interaction, headers);
  if (headers['if-unmodified-since'] !== undefined || (headers['if-none-match'] !== undefined && !makes)) {
    const text = 'A change can be bound to a version by If-Match only, and an update to a free id by If-None-Match: *.';
    throw new Refusal(400, 'not-supported', text);
  }
  if (makes && headers['if-match'] !== undefined) {
    throw new Refusal(400, 'invalid', 'If-Match and If-None-Match: * exclude each other.');
  }
}

/** Throws a {@link Refusal} unless the app accepts an answer in JSON. */
export function assertAccepts(headers: RequestHeaders, interaction?: Interaction): void {
  const lines = interaction === 'operation' ? ndjson : [];
  if (!accepts(headers.accept, [...json, ...lines]))
    throw onlyJson(`its Accept header is ${shownType(headers.accept)}`);
}

/** An answer in another form was asked for; the fault is a clause. */
export function onlyJson(fault: string): Refusal {
  const detail = { fault, remedy: 'Have the app accept application/fhir+json.' };
  return new Refusal(406, 'not-supported', 'Only JSON is supported.').because({ code: 'gateway-request-form', detail });
}

export function shownType(sent = ''): string {
  return sent.slice(0, 80);
}

/** The preconditions that are the server's to check. */
export function preconditions(interaction: Interaction, headers: RequestHeaders): Record<string, string> {
  if (interaction.startsWith('history') || interaction === 'operation') return {};
  const names =
    interaction === 'read' || interaction === 'vread'
      ? ['if-none-match', 'if-modified-since']
      : ['if-match', ...(interaction === 'update' ? ['if-none-match'] : [])];
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/**
 * The preferences of the app that are passed on; `respond-async` would lead to an address that the gateway does not
 * know.
 */
export function preference(interaction: Interaction, headers: RequestHeaders): Record<string, string> {
  const understood =
    interaction === 'search' ? /^handling=(strict|lenient)$/ : /^return=(minimal|representation|OperationOutcome)$/;
  const wish = (headers.prefer ?? '')
    .split(/[,;]/)
    .map((part) => part.trim())
    .find((part) => understood.test(part));
  return wish === undefined ? {} : { prefer: wish };
}

/** True if a list of ETags names a version. They are compared weakly (RFC 9110 §8.8.3.2). */
export function namesVersion(tags: string, version: string): boolean {
  return tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(version));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** The media type of the body, without its parameters. */
export function mediaType(headers: RequestHeaders): string {
  return (headers['content-type'] ?? '').replace(/;.*/, '').trim().toLowerCase();
}

function assertBody(interaction: Interaction, method: string, headers: RequestHeaders, isContent: boolean): void {
  const type = mediaType(headers);
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody && (headers['content-encoding'] ?? 'identity') !== 'identity') {
    const coding = headers['content-encoding'] ?? '';
    throw unreadBody('Compressed bodies are not supported.', {
      sent: `with the Content-Encoding ${coding.slice(0, 40)}`,
      needed: 'without a Content-Encoding',
    });
  }
  if (isContent) return;
  if (writing.has(interaction)) {
    const isPatch = interaction === 'patch';
    if ((isPatch ? patchTypes : resourceTypes).test(type)) return;
    throw unreadType(type, isPatch ? 'application/json-patch+json' : 'application/fhir+json');
  }
  if (interaction === 'operation' && method === 'POST' && hasBody) {
    if (resourceTypes.test(type)) return;
    throw unreadType(type, 'application/fhir+json');
  }
  if (interaction === 'search' && method === 'POST') {
    if (!hasBody || type === 'application/x-www-form-urlencoded') return;
    const [sent, needed] = [as(type), 'as application/x-www-form-urlencoded'];
    throw unreadBody('A search is sent as application/x-www-form-urlencoded.', { sent, needed });
  }
  if (hasBody) throw new Refusal(400, 'invalid', 'This request must not have a body.');
}

function unreadType(type: string, needed: string): Refusal {
  const sentence = `A body of the type '${type.slice(0, 80)}' is not supported here.`;
  return unreadBody(sentence, { sent: as(type), needed: `as ${needed}` });
}

/** A body in a form that is not read; the values are clauses after 'It is sent' and 'It is read'. */
export function unreadBody(sentence: string, detail: { sent: string; needed: string }): Refusal {
  return new Refusal(415, 'not-supported', sentence).because({ code: 'gateway-body-type', detail });
}

function as(type: string): string {
  return type === '' ? 'without a Content-Type' : `as ${type.slice(0, 80)}`;
}

function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && types.includes(type);
  });
}
