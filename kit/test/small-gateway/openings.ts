import type { IncomingHttpHeaders } from 'node:http';
import type { Mutant } from './mutants/mutant.js';

/** A request as a gateway takes it. */
export interface Taken {
  method: string;
  target: string;
  /** True if a mutant has changed it after the check. */
  isRewritten: boolean;
  /** True if a mutant carries it out without a token. */
  isOpen: boolean;
}

/** How a mutant takes a request; a sound gateway takes it as it was sent. */
export function taken(mutant: Mutant, method: string, target: string, headers: IncomingHttpHeaders): Taken {
  const { flaw } = mutant;
  const read = mutant.reads?.(target, headers) ?? target;
  const kept = { method, target: read, isRewritten: read !== target, isOpen: false };
  const instead = methodInstead(flaw, method, target, headers);
  if (instead) return { ...kept, method: instead, isRewritten: true };
  const [, beyond] = /^metadata\/(?:\.\.|%2e%2e)\/(.*)$/i.exec(target) ?? [];
  if (flaw === 'address: a way out of a public address' && beyond) return { ...kept, target: beyond, isOpen: true };
  const isOpen =
    (flaw === 'address: what names metadata needs no token' && /.metadata/.test(target)) ||
    (flaw === 'address: what names .well-known needs no token' && /.\.well-known/.test(target));
  return { ...kept, isOpen };
}

function methodInstead(
  flaw: string | undefined,
  method: string,
  target: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  const inHeader = (name: string) => (headers[name] ? String(headers[name]).toUpperCase() : undefined);
  switch (flaw) {
    case 'header: the method is overridden':
      return inHeader('x-http-method-override');
    case 'header: X-Method-Override':
      return inHeader('x-method-override');
    case 'header: X-HTTP-Method':
      return inHeader('x-http-method');
    case 'header: _method in the address':
      return /[?&]_method=(\w+)/.exec(target)?.[1]?.toUpperCase();
    case 'header: OPTIONS is answered like GET':
      return method === 'OPTIONS' ? 'GET' : undefined;
    case 'write: a POST with an id updates':
      return method === 'POST' && /^[A-Z]\w+\/[\w-]+$/.test(target) && !target.endsWith('_search') ? 'PUT' : undefined;
    case 'header: another method is carried out like GET':
      return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? undefined : 'GET';
    default:
      return undefined;
  }
}

/**
 * The address below the base, and whether a mutant has opened it; undefined if it is not below the base.
 */
export function belowBase(mutant: Mutant, address: string): { target: string; isOpened: boolean } | undefined {
  if (address.startsWith('/fhir')) return { target: address.replace(/^\/fhir\/?/, ''), isOpened: false };
  const { flaw } = mutant;
  const openings: [flaw: string, pattern: RegExp][] = [
    ['address: a whole address as the target is not limited', /^https?:\/\/[^/]+\/fhir\/?/],
    ['address: the base in capital letters is not limited', /^\/FHIR\/?/i],
    ['address: the base with two slashes is not limited', /^\/\/+fhir\/+/],
  ];
  const [, pattern] = openings.find(([name, one]) => name === flaw && one.test(address)) ?? [];
  return pattern && { target: address.replace(pattern, ''), isOpened: true };
}
