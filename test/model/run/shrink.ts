import type { Case } from '../generated/case.js';

/** The smallest case that still differs, by leaving out one part after the other. */
export async function smallest(one: Case, differs: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let current = one;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of candidatesOf(current)) {
      if (!(await differs(candidate).catch(() => false))) continue;
      current = candidate;
      isSmaller = true;
      break;
    }
  }
  return current;
}

function* candidatesOf(one: Case): Generator<Case> {
  const { data, token, asked } = one;
  if (one.onPage !== undefined) yield withoutMembers(one, ['onPage']);
  if (one.isBare) yield { ...one, isBare: false };
  if (one.stepsUp) yield { ...one, stepsUp: false };
  if (data.ignores) yield { ...one, data: { ...data, ignores: false } };
  for (const deleted of shorter(data.deleted ?? [])) yield { ...one, data: { ...data, deleted } };
  for (const half of [0, 1]) {
    const keys = Object.keys(data.versions).filter((_, index) => index % 2 === half);
    if (keys.length > 2) yield { ...one, data: { ...data, versions: withoutMembers(data.versions, keys) } };
  }
  for (const versions of smallerMembers(data.versions)) yield { ...one, data: { ...data, versions } };
  for (const smaller of smallerMembers(token)) if ('scopes' in smaller) yield { ...one, token: smaller };
  const { relationship } = token;
  for (const smaller of smallerMembers(relationship?.relationship ?? {})) {
    const used = relationship && { ...relationship, relationship: smaller as typeof relationship.relationship };
    if (used && ['basis', 'level', 'status', 'agreed'].every((name) => name in smaller))
      yield { ...one, token: { ...token, relationship: used } };
  }
  for (const scopes of shorter(token.scopes)) yield { ...one, token: { ...token, scopes } };
  for (const query of shorter(asked.query)) yield { ...one, asked: { ...asked, query } };
  for (const parts of shorter(asked.parts ?? [])) yield { ...one, asked: { ...asked, parts } };
  for (const [index, part] of (asked.parts ?? []).entries()) {
    for (const body of smallerBodies(part.body)) {
      yield { ...one, asked: { ...asked, parts: asked.parts?.with(index, { ...part, body }) ?? [] } };
    }
  }
  for (const body of smallerBodies(asked.body)) yield { ...one, asked: { ...asked, body } };
  for (const [key, versions] of Object.entries(data.versions)) {
    for (const fewer of shorter(versions)) if (fewer.length > 0) yield withVersions(one, key, fewer);
    for (const [index, version] of versions.entries()) {
      for (const body of smallerBodies(version)) yield withVersions(one, key, versions.with(index, body as never));
    }
  }
}

function withVersions(one: Case, key: string, versions: Case['data']['versions'][string]): Case {
  return { ...one, data: { ...one.data, versions: { ...one.data.versions, [key]: versions } } };
}

/** A resource without one of its members, at any depth. */
function* smallerBodies(value: unknown, depth = 0): Generator<unknown> {
  if (typeof value !== 'object' || value === null || depth > 4) return;
  if (Array.isArray(value)) {
    for (const fewer of shorter(value)) if (fewer.length > 0) yield fewer;
    for (const [index, own] of value.entries()) {
      for (const smaller of smallerBodies(own, depth + 1)) yield value.with(index, smaller);
    }
    return;
  }
  for (const [name, own] of Object.entries(value)) {
    if (depth === 0 && ['resourceType', 'id', 'meta'].includes(name)) continue;
    const { [name]: _left, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const smaller of smallerBodies(own, depth + 1)) yield { ...value, [name]: smaller };
  }
}

function* smallerMembers<Value extends object>(value: Value): Generator<Value> {
  for (const name of Object.keys(value)) yield withoutMembers(value, [name]);
}

function withoutMembers<Value extends object>(value: Value, names: readonly string[]): Value {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as Value;
}

function* shorter<Value>(list: readonly Value[]): Generator<Value[]> {
  for (const index of list.keys()) yield list.filter((_, own) => own !== index);
}
