/** Refusals of search parameters, with what is wrong with them. A value is never kept. */
import { mostLike } from '../../contract/rules/nearest.js';
import { Refusal } from './refusal.js';

/** The refusal of a parameter with a modifier that is none of those that it takes. */
export function wrongModifier(
  sentence: string,
  { base, modifier, takes }: { base: string; modifier: string; takes: readonly string[] },
): Refusal {
  const near = takes.length === 1 ? takes[0] : mostLike(modifier, takes);
  return faultyParameter(400, sentence, {
    name: base,
    fault: `has the modifier :${modifier}, which is not passed on`,
    nearest: near === undefined ? undefined : `It can have :${near}.`,
    right: near === undefined ? `${base} without a modifier` : `${base}:${near}, or ${base} without a modifier`,
  });
}

/** The refusal of a parameter of which the record tells the fault. */
export function faultyParameter(
  status: 400 | 403,
  sentence: string,
  { name, fault, nearest = '', right }: { name: string; fault: string; nearest?: string | undefined; right: string },
): Refusal {
  const detail = { name, fault, nearest, right };
  return new Refusal(status, 'not-supported', sentence).because({ code: 'gateway-search-parameter', detail });
}

/** A name that could be a value is not kept. */
export function shownName(name: string): string {
  const plain = name.split(':')[0] ?? '';
  return /^_?[A-Za-z][\w-]{0,40}$/.test(plain) ? plain : '(no name)';
}

/** The refusal of a parameter that is none of those that are known. */
export function unknownParameter(
  sentence: string,
  name: string,
  { fault, known }: { fault: string; known: readonly string[] },
): Refusal {
  const near = mostLike(name.split(':')[0] ?? '', known);
  const isOfControl = name.startsWith('_');
  const listed = known.slice(0, 12).join(', ');
  return faultyParameter(400, sentence, {
    name: shownName(name),
    fault,
    nearest: near === undefined ? 'No other one is named like it.' : `It is like ${near}.`,
    right:
      near ??
      (listed === '' || isOfControl ? 'a parameter of the CapabilityStatement, at /metadata' : `one of ${listed}`),
  });
}
