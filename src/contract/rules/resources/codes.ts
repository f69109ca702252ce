import { systemOfCategory } from '../scopes/scope-effect.js';
import { listOf, member } from './elements.js';

interface Coding {
  system?: unknown;
  code?: unknown;
}

/**
 * True if a resource has one of these categories. An element of type `code` has the system of its binding (FHIR R4
 * §3.1.1.4.10). `value` as in {@link isOneOf}.
 */
export function hasCategory(resource: unknown, value: string): boolean {
  return isOneOf(categoriesIn(resource), value);
}

/** True if a resource has one of these labels (`meta.security`). `value` as in {@link isOneOf}. */
export function hasLabel(resource: unknown, value: string): boolean {
  return isOneOf(labelsOf(resource), value);
}

/** The labels that have a code. */
export function labelsOf(resource: unknown): Coding[] {
  const labels = listOf(member(member(resource, 'meta'), 'security')) as Coding[];
  return labels.filter((label) => typeof member(label, 'code') === 'string');
}

export function categoriesIn(resource: unknown): Coding[] {
  const { category, resourceType } = resource as { category?: unknown; resourceType?: unknown };
  return [category ?? []].flat().flatMap((concept): Coding[] => {
    if (typeof concept === 'string') return [{ system: systemOfCategory(resourceType), code: concept }];
    return [(concept as { coding?: unknown } | null)?.coding ?? []].flat() as Coding[];
  });
}

/** `value` is `code`, `|code` or `system|code`, or alternatives of these separated by commas. */
export function isOneOf(codings: readonly Coding[], value: string): boolean {
  return value.split(',').some((token) => {
    const bar = token.lastIndexOf('|');
    const [system, code] = bar < 0 ? [undefined, token] : [token.slice(0, bar), token.slice(bar + 1)];
    return codings.some((own) => own?.code === code && (system === undefined || (own.system ?? '') === system));
  });
}

/**
 * The codes of an element, which may be of several types (`medication[x]`): a CodeableConcept, Coding or code, one of
 * R5 that is a concept or a reference, or a reference to what is contained and has a `code`.
 */
export function codingsOf(resource: unknown, name: string): Coding[] {
  const choice = new RegExp(`^${name}(?:CodeableConcept|Coding|Code|Reference|CodeableReference)?$`);
  return Object.entries(resource as object)
    .filter(([own]) => choice.test(own))
    .flatMap(([, value]) => listOf(value))
    .flatMap((value) => codingsIn(value, resource));
}

function codingsIn(value: unknown, resource: unknown): Coding[] {
  if (typeof value === 'string') return [{ code: value }];
  const named = member(value, 'reference');
  const reference = typeof named === 'string' ? named : member(named, 'reference');
  const contained = listOf(member(resource, 'contained')).filter((one) => reference === `#${member(one, 'id')}`);
  const concepts = [value, member(value, 'concept'), ...contained.map((one) => member(one, 'code'))];
  return [value as Coding, ...concepts.flatMap((one) => listOf(member(one, 'coding')) as Coding[])];
}
