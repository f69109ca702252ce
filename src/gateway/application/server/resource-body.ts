import { duplicateMember } from '../../../platform/duplicate-member.js';
import { isNestedTooDeeply } from '../../../platform/nesting.js';
import type { FhirRequest } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import type { GatewayRequest } from './gateway-request.js';

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
  const bytes = await readBytes(...parameters);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw brokenBody();
  }
}

function brokenBody(): Refusal {
  return new Refusal(400, 'structure', 'The body was cut off or is not UTF-8.');
}

/** Reads the body as a resource of the type, and with the id, that the address names. */
export function readResource(text: string, { type, id }: FhirRequest): unknown {
  const resource = readJson(text) as { resourceType?: unknown; id?: unknown } | null;
  if (resource?.resourceType !== type) throw new Refusal(400, 'invalid', `The body must be a ${type}.`);
  if (id !== undefined && resource.id !== id) {
    throw new Refusal(400, 'invalid', 'The id in the body must be the one in the address.');
  }
  if (hasConditionalReference(resource)) throw referenceBySearch();
  return resource;
}

/** A search as a reference has it. */
const search = /(?:^|\/)[A-Z][A-Za-z]{0,63}\?[A-Za-z_]/;

/**
 * Reads a patch, of either kind. What it makes of a resource only the server gets to see, so nothing in it may become a
 * reference by a search: neither a text of its own, wherever it is put, nor one that lies in the resource already.
 */
export function readPatch(text: string): void {
  const patch = readJson(text);
  const movesIn = (Array.isArray(patch) ? patch : []).some(
    (operation: { path?: unknown; from?: unknown } | null) =>
      operation?.from !== undefined && typeof operation.path === 'string' && operation.path.endsWith('/reference'),
  );
  if (movesIn || hasConditionalReference(patch) || hasSearch(patch)) throw referenceBySearch();
}

function hasSearch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' && search.test(value);
  return Object.values(value).some(hasSearch);
}

function referenceBySearch(): Refusal {
  const text = 'References by a search (such as Patient?identifier=…) are not supported.';
  return new Refusal(403, 'not-supported', text);
}

/** A server looks such a reference up, in resources that the token may not open, and tells by it whether there is one. */
function hasConditionalReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, child]) =>
      (name === 'reference' && typeof child === 'string' && child.includes('?')) || hasConditionalReference(child),
  );
}

/**
 * Reads JSON for checking. What is checked must be what the server will read: two members of the same name are refused
 * (each side might take another one), and so are NUL characters.
 */
export function readJson(text: string): unknown {
  if (/\0|\\u0000/.test(text)) throw new Refusal(400, 'structure', 'The body contains a NUL character.');
  const read = attempted(() => JSON.parse(text));
  if (read === undefined || isNestedTooDeeply(read) || duplicateMember(text) !== undefined) {
    throw new Refusal(400, 'structure', 'The body is not JSON, is nested too deeply or has a member twice.');
  }
  return read;
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

function attempted(parsing: () => unknown): unknown {
  try {
    return parsing();
  } catch {
    return undefined;
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, 'too-long', 'The body is too large.', { Connection: 'close' });
}
