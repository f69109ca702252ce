import { applyPatch, type Operation, Pointer } from 'rfc6902';
import { Refusal } from '../../domain/refusal.js';
import { losslessInTurns } from '../server/lossless-parse.js';
import { readJson } from '../server/resource-body.js';

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
/** Each may shift all of a long list. */
const mostOperations = 1_000;
/**
 * Stands before a number while it is text, so that its decimals stay as they were written. From the private use area.
 */
const mark = '\uE000';

/**
 * A resource after a JSON Patch (RFC 6902), as text: what is checked is what is then sent. `mostCopied`: characters
 * that it may copy.
 */
export async function patchedResource(resource: string, patch: string, mostCopied: number): Promise<string> {
  const operations = await readJson(patch);
  if (!Array.isArray(operations) || !operations.every(isOperation)) {
    throw new Refusal(400, 'structure', 'The body must be a JSON Patch, with paths such as /name/0/family.');
  }
  if (operations.length > mostOperations) throw patchTooLarge();
  const texts = [resource, patch].map(withNumbersAsText);
  const [whole, changes] = await Promise.all(texts).catch(() => []);
  const patched = attempt(() => {
    if ([operations, JSON.parse(resource)].some((read) => JSON.stringify(read).includes(mark))) {
      throw new Refusal(400, 'not-supported', 'The resource has characters that a patch cannot keep.');
    }
    return whole !== undefined && isApplied(changes as Operation[], whole, mostCopied) ? whole : undefined;
  });
  if (patched === undefined) throw new Refusal(422, 'invalid', 'The patch does not fit the resource as it is.');
  return JSON.stringify(patched).replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

function withNumbersAsText(text: string): Promise<unknown> {
  return losslessInTurns(text, (number) => mark + number);
}

/** Copies are counted before they are made: of a list into itself, thirty of them would fill any memory. */
function isApplied(changes: Operation[], whole: unknown, mostCopied: number): boolean {
  let copied = 0;
  return changes.every((change) => {
    const { path, from } = change as { path: string; from?: string };
    const isNew = change.op === 'add' || from !== undefined;
    if (!isPlace(path, whole, isNew) || (from !== undefined && !isPlace(from, whole, false))) return false;
    if (change.op === 'copy') copied += JSON.stringify(Pointer.fromJSON(change.from).get(whole) ?? null).length;
    if (copied > mostCopied) throw patchTooLarge();
    return applyPatch(whole, [change]).every((failure) => failure === null);
  });
}

/**
 * True if a path leads through members of the resource itself, to an existing or a new one. JavaScript has more: a
 * list's `length`, and functions that all objects of the process share.
 */
function isPlace(path: string, whole: unknown, isNew: boolean): boolean {
  const names = path.split('/').slice(1);
  let at = whole;
  for (const [index, name] of names.entries()) {
    if (typeof at !== 'object' || at === null) return false;
    if (isNew && index === names.length - 1) return Array.isArray(at) ? /^(?:-|\d+)$/.test(name) : name !== '-';
    if (!Object.hasOwn(at, name) || (Array.isArray(at) && !/^\d+$/.test(name))) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}

/** Undefined when it goes wrong: some of what can is thrown, some is given back. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
}

function patchTooLarge(): Refusal {
  return new Refusal(413, 'too-long', 'The patch does too much at once. Please send it in parts.');
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
