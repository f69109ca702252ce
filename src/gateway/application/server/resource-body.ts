import { someInTurns } from '../../../platform/process/turns.js';
import { mostLevels } from '../../../platform/values/json.js';
import { JsonTooComplex, jsonInTurns } from '../../../platform/values/json-in-turns.js';
import { type FhirRequest, isResourceType } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import type { GatewayRequest } from './gateway-request.js';

/** A letter, digit or sign of addresses as an escape of JSON: no sender has reason to escape many of them. */
const needlessEscape = /\\u00(?:2[5DdEeFf]|[3-7])/g;
const mostNeedlessEscapes = 50_000;

/** The whole body; what is too long is not read to its end. */
export async function readBytes(
  { headers, body }: GatewayRequest,
  maxBytes: number,
  reserve: (bytes: number) => void | Promise<void> = () => undefined,
): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      await reserve(chunk.length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw brokenBody();
  }
}

/** The same as text. */
export async function readText(...parameters: Parameters<typeof readBytes>): Promise<string> {
  const text = textOf(await readBytes(...parameters));
  if (hasManyEscapes(text)) throw tooManyParts();
  return text;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw brokenBody();
  }
}

/** Each is unescaped to find addresses, which takes longer than all else. */
function hasManyEscapes(text: string): boolean {
  needlessEscape.lastIndex = 0;
  for (let count = 0; needlessEscape.test(text); count += 1) {
    if (count >= mostNeedlessEscapes) return true;
  }
  return false;
}

function brokenBody(): Refusal {
  return new Refusal(400, 'structure', 'The body was cut off or is not UTF-8.');
}

/** Reads the body as a resource of the type, and with the id, that the address names. */
export async function readResource(text: string, { type, id }: FhirRequest): Promise<unknown> {
  const resource = (await readJson(text)) as { resourceType?: unknown; id?: unknown } | null;
  if (resource?.resourceType !== type) throw otherType(resource?.resourceType, type);
  if (id !== undefined && resource.id !== id) throw otherId(resource.id);
  if (await someInTurns(resource, isConditionalReference)) throw referenceBySearch();
  return resource;
}

function otherType(sent: unknown, type: string): Refusal {
  const isType = typeof sent === 'string' && isResourceType(sent);
  const fault = isType
    ? `its body is of the type ${sent}, and its address is for ${type}`
    : 'its body has no resourceType that names a type';
  const remedy = `Have the app send a resource of the type ${type} to this address${isType ? `, and ${sent} to its own` : ''}.`;
  const refusal = new Refusal(400, 'invalid', `The body must be a resource of the type ${type}.`);
  return refusal.because({ code: 'gateway-request-form', detail: { fault, remedy } });
}

function otherId(sent: unknown): Refusal {
  const fault = `its body has ${sent === undefined ? 'no id' : 'another id than its address'}`;
  const remedy = 'Have the app send the id of the address as id of the resource, too.';
  const refusal = new Refusal(400, 'invalid', 'The id in the body must be the one in the address.');
  return refusal.because({ code: 'gateway-request-form', detail: { fault, remedy } });
}

/** A search as a reference has it. */
const search = /(?:^|\/)[A-Z][A-Za-z]{0,63}\?[A-Za-z_]/;

/**
 * Reads a patch, of either kind. What it makes of a resource only the server gets to see, so nothing in it may become a
 * reference by a search: neither a text of its own, wherever it is put, nor one that lies in the resource already.
 */
export async function readPatch(text: string): Promise<void> {
  const patch = await readJson(text);
  const movesIn = (Array.isArray(patch) ? patch : []).some(
    (operation: { path?: unknown; from?: unknown } | null) =>
      operation?.from !== undefined && typeof operation.path === 'string' && operation.path.endsWith('/reference'),
  );
  const isSearch = (value: unknown, name: string | undefined) =>
    (typeof value === 'string' && search.test(value)) || isConditionalReference(value, name);
  if (movesIn || (await someInTurns(patch, isSearch))) throw referenceBySearch();
}

function referenceBySearch(): Refusal {
  const text = 'References by a search (such as Patient?identifier=…) are not supported.';
  return new Refusal(403, 'not-supported', text);
}

/**
 * A server looks such a reference up, in resources that the token may not open, and tells by it whether there is one.
 */
function isConditionalReference(value: unknown, name: string | undefined): boolean {
  return name === 'reference' && typeof value === 'string' && value.includes('?');
}

/** Members of an object and values of a whole body: more than any resource has, or a Bundle of that many megabytes. */
const limits = { levels: mostLevels, members: 1_000, items: Number.POSITIVE_INFINITY, parts: 500_000 };

/**
 * Reads JSON for checking, in turns of the event loop. What is checked must be what the server will read: two members
 * of the same name are refused (each side might take another one), and so are NUL characters.
 */
export async function readJson(text: string): Promise<unknown> {
  if (/\0|\\u0000/.test(text)) throw new Refusal(400, 'structure', 'The body contains a NUL character.');
  const read = await jsonInTurns(text, limits).catch((error: unknown) => {
    if (!(error instanceof JsonTooComplex)) throw new Refusal(400, 'structure', 'The body is not JSON.');
    if (error.limit === 'parts') throw tooManyParts();
    const fault = error.limit === 'levels' ? 'is nested too deeply' : `has an object with too many ${error.limit}`;
    throw new Refusal(400, 'structure', `The body ${fault}.`);
  });
  if (read.duplicate !== undefined) {
    throw new Refusal(
      400,
      'structure',
      `The body has the member '${read.duplicate.slice(0, 40)}' twice in one object.`,
    );
  }
  return read.value;
}

/** The same request, whose body has been read. */
export function withBody(request: GatewayRequest, text: string): GatewayRequest {
  const body = Buffer.from(text);
  return {
    ...request,
    headers: { ...request.headers, 'content-length': String(body.length) },
    body: singleChunk(body),
  };
}

async function* singleChunk(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

function tooManyParts(): Refusal {
  return new Refusal(413, 'too-long', 'The body has too many parts. Please send it in several requests.');
}

function tooLarge(): Refusal {
  return new Refusal(413, 'too-long', 'The body is too large.', { Connection: 'close' });
}
