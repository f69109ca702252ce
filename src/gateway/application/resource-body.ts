import { parse } from 'lossless-json';
import type { FhirRequest } from '../domain/fhir-request.js';
import { Refusal } from '../domain/refusal.js';
import type { GatewayRequest } from './gateway-request.js';

/** The whole body as text; what is too long is not read to its end. */
export async function readText({ headers, body }: GatewayRequest, maxBytes: number): Promise<string> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'structure', 'The body was cut off or is not UTF-8.');
  }
}

/** Reads the body as a resource of the type, and with the id, that the address names. */
export function readResource(text: string, { type, id }: FhirRequest): unknown {
  const resource = readJson(text) as { resourceType?: unknown; id?: unknown } | null;
  if (resource?.resourceType !== type) throw new Refusal(400, 'invalid', `The body must be a ${type}.`);
  if (id !== undefined && resource.id !== id) {
    throw new Refusal(400, 'invalid', 'The id in the body must be the one in the address.');
  }
  if (hasConditionalReference(resource)) {
    throw new Refusal(403, 'not-supported', 'References by a search (such as Patient?identifier=…) are not supported.');
  }
  return resource;
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
  try {
    parse(text);
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'structure', 'The body is not JSON, is nested too deeply or has a member twice.');
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, 'too-long', 'The body is too large.', { Connection: 'close' });
}
