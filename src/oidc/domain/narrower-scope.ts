import {
  covers,
  limitsLess,
  parseScope,
  printScope,
  type ResourceScope,
  type SmartScope,
} from '../../contract/rules/scopes/smart-scope.js';

/**
 * The part of a scope that a granted scope with the same actions permits, as the text of a scope; undefined if it
 * permits nothing of it, or the other one has an action that was not granted. A wildcard and one of its types leave
 * that type, two conditions the narrower one.
 */
export function narrowerPart(granted: SmartScope, asked: SmartScope): string | undefined {
  if (granted.kind !== 'resource' || asked.kind !== 'resource' || granted.subject !== asked.subject) return undefined;
  const type = narrower(granted.type, asked.type);
  const query = narrowerQuery(granted.query, asked.query);
  if (type === undefined || query === undefined) return undefined;
  if (![...asked.actions].every((action) => granted.actions.includes(action))) return undefined;
  const isWhole = type === asked.type && query === asked.query;
  return isWhole ? asked.text : printScope({ ...asked, type, query });
}

/** The scopes that are covered: as they were granted, and then those that are narrower. */
export function coveredScopes(granted: readonly string[], asked: ReadonlySet<string>): string[] {
  const wider = granted.map(parseScope).filter((scope) => scope !== undefined);
  const parts = [...asked].filter((text) => {
    const scope = granted.includes(text) ? undefined : parseScope(text);
    return scope !== undefined && wider.some((one) => covers(one, scope));
  });
  return [...granted.filter((text) => asked.has(text)), ...parts];
}

function narrower(one: string, other: string): string | undefined {
  if (one === '*' || one === other) return other;
  return other === '*' ? one : undefined;
}

function narrowerQuery(
  granted: ResourceScope['query'],
  asked: ResourceScope['query'],
): ResourceScope['query'] | undefined {
  if (limitsLess(granted, asked)) return asked;
  return limitsLess(asked, granted) ? granted : undefined;
}
