/** Types and operations that the FHIR server does not have, with the one that was probably meant. */
import { mostLike } from '../../contract/rules/nearest.js';
import { Refusal } from './refusal.js';

export function unknownType(type: string, served: readonly string[]): Refusal {
  const refusal = new Refusal(404, 'not-supported', `The FHIR server has no resources of the type ${type}.`);
  return refusal.because({ code: 'gateway-type-unknown', detail: likeOneOf(served, type, 'type') });
}

/** A batch or transaction that was posted to the address at which a server would store it. */
export function batchElsewhere(): Refusal {
  const refusal = new Refusal(404, 'not-supported', 'The FHIR server has no resources of the type Bundle.');
  const fault = 'a Bundle cannot be stored here, and a batch or a transaction is posted to the FHIR base itself';
  const remedy = 'Have the app post a batch or a transaction to the FHIR base, without /Bundle.';
  return refusal.because({ code: 'gateway-request-form', detail: { fault, remedy } });
}

export function unknownOperation(operation: string, served: readonly string[]): Refusal {
  const refusal = new Refusal(404, 'not-supported', `The FHIR server has no operation $${operation} here.`);
  const detail = { operation, ...likeOneOf(served, operation, 'operation') };
  return refusal.because({ code: 'gateway-operation-unknown', detail });
}

/**
 * Adds to the refusal of an address which type its first word is most like. A word that is like none is not kept: it
 * could be a value.
 */
export function withNearestType(error: unknown, target: string, served: readonly string[] = []): unknown {
  const found = misspelledType(target, served);
  if (!(error instanceof Refusal) || !found) return error;
  return error.because({ code: 'gateway-type-unknown', detail: likeOneOf(served, found.first, 'type') });
}

/** A sentence about an address whose first word is like a type, and is none; undefined for any other address. */
export function unknownTypeIn(target: string, served: readonly string[] = []): string | undefined {
  const found = misspelledType(target, served);
  return found && `The FHIR server has no resource type ${found.first} either: the nearest is ${found.meant}.`;
}

function misspelledType(target: string, served: readonly string[]): { first: string; meant: string } | undefined {
  const [, first = ''] = /^\/([A-Za-z]{2,64})(?=[/?]|$)/.exec(target) ?? [];
  const meant = first === '' || served.includes(first) ? undefined : mostLike(first, served);
  return meant === undefined ? undefined : { first, meant };
}

function likeOneOf(served: readonly string[], text: string, what: 'type' | 'operation') {
  const meant = mostLike(text, served);
  return meant === undefined
    ? { nearest: `No ${what} of the server has a similar name.`, right: `one of its CapabilityStatement` }
    : { nearest: `The nearest is ${meant}.`, right: meant };
}
