import { parse } from 'lossless-json';
import { applyPatch } from 'rfc6902';
import { Refusal } from '../domain/refusal.js';
import { readJson } from './resource-body.js';

/** Names of elements and plain indexes: what every reader of a patch takes for the same place. */
const path = /^(?:\/(?:[A-Za-z_][A-Za-z0-9_]*|0|[1-9]\d*|-))+$/;
const inheritedNames = /\/(?:__proto__|constructor|prototype)(?:\/|$)/;
const members: Readonly<Record<string, readonly string[]>> = {
  add: ['path', 'value'],
  replace: ['path', 'value'],
  test: ['path', 'value'],
  remove: ['path'],
  move: ['path', 'from'],
  copy: ['path', 'from'],
};
/** Stands before a number while it is text, so that its decimals stay as they were written. From the private use area. */
const mark = '\uE000';

/** A resource after a JSON Patch (RFC 6902), as text: what is checked is what is then sent. */
export function patchedResource(resource: string, patch: string): string {
  const operations = readJson(patch);
  if (!Array.isArray(operations) || !operations.every(isOperation)) {
    throw new Refusal(400, 'structure', 'The body must be a JSON Patch, with paths such as /name/0/family.');
  }
  if ([operations, JSON.parse(resource)].some((read) => JSON.stringify(read).includes(mark))) {
    throw new Refusal(400, 'not-supported', 'The resource has characters that a patch cannot keep.');
  }
  const patched = attempt(() => {
    const whole = withNumbersAsText(resource);
    const changes = withNumbersAsText(patch) as Parameters<typeof applyPatch>[1];
    return applyPatch(whole, changes).some(Boolean) ? undefined : whole;
  });
  if (patched === undefined) throw new Refusal(422, 'invalid', 'The patch does not fit the resource as it is.');
  return JSON.stringify(patched).replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

function withNumbersAsText(text: string): unknown {
  return parse(text, undefined, (number) => mark + number);
}

/** Undefined when it goes wrong: some of what can is thrown, some is given back. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function isOperation(operation: unknown): boolean {
  const { op, ...more } = (operation ?? {}) as Record<string, unknown>;
  const needed = typeof op === 'string' && Object.hasOwn(members, op) ? members[op] : undefined;
  const names = Object.keys(more);
  return (
    needed !== undefined &&
    names.length === needed.length &&
    needed.every((name) => names.includes(name) && (name === 'value' || isPath(more[name])))
  );
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && path.test(value) && !inheritedNames.test(value);
}
