import { isDeepStrictEqual } from 'node:util';

type Payload = Record<string, unknown>;

/** Changes of a request to a payload that it has read, so that it overwrites no change of another request. */
export interface PayloadChanges {
  set: Payload;
  unset: string[];
  /** Changed entries of `authorizations`, the clients of a session, one by one; absent when none was changed. */
  apps: { set: Record<string, unknown>; unset: string[] } | undefined;
}

/** Members that the row stores in columns of their own. */
const inColumns = new Set(['jti', 'exp', 'consumed']);

export function payloadChanges(before: Payload, after: Payload): PayloadChanges {
  const { authorizations: appsBefore = {}, ...membersBefore } = before;
  const { authorizations: appsAfter = {}, ...membersAfter } = after;
  const apps = differences(appsBefore as object, appsAfter as object);
  const isSame = Object.keys(apps.set).length === 0 && apps.unset.length === 0;
  return { ...differences(membersBefore, membersAfter), apps: isSame ? undefined : apps };
}

function differences(before: object, after: object): { set: Record<string, unknown>; unset: string[] } {
  const values = new Map<string, unknown>(Object.entries(before));
  const present = Object.entries(after).filter(([, value]) => value !== undefined);
  const left = new Set(present.map(([name]) => name));
  return {
    set: Object.fromEntries(
      present.filter(([name, value]) => !inColumns.has(name) && !isDeepStrictEqual(value, values.get(name))),
    ),
    unset: [...values.keys()].filter((name) => !inColumns.has(name) && !left.has(name)),
  };
}
