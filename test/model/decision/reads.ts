/** Reads of a token to which only some resources are open. */
import { isOpen, shownOf } from './records.js';
import { both, forOneSearch, isAll, opened, opensAll, type Permission } from './scopes.js';
import { isChallenged, type SignInDecision } from './sign-in.js';
import { Refused, shown, type Verdict } from './verdict.js';
import type { Asked, Server, Token } from './world.js';

export interface Limits {
  token: Token;
  permissions: readonly Permission[];
  signIn: SignInDecision;
}

/** Rule `current-version`: for a user who acts for a patient, a version is as private as the current one. */
function assertCurrentShown({ type, id = '' }: Asked, { token, permissions }: Limits, server: Server): void {
  if (!token.acting) return;
  const stored = server.stored(type, id);
  const own = stored && shownOf(stored, permissions, token, server);
  if (!own || own.what === 'nothing') throw new Refused('hidden', 404);
}

/** The answer of the server where all resources are open; undefined for a change. */
export function readOutside(
  { interaction, type, id = '', version, query, known }: Asked,
  server: Server,
): Verdict | undefined {
  switch (interaction) {
    case 'read':
      if (server.isDeleted(type, id)) throw new Refused('hidden', 410);
      return shown(server.stored(type, id), known);
    case 'vread':
      return shown(server.versions(type, id)[Number(version) - 1], known);
    case 'history-instance':
      return { shown: server.versions(type, id) };
    case 'history-type':
      return { shown: server.find(type, []) };
    case 'search': {
      const found = server.find(type, query);
      return { shown: [...found, ...server.included(found, query)], total: found.length };
    }
    default:
      return undefined;
  }
}

export function readInside(asked: Asked, limits: Limits, server: Server): Verdict {
  const { type, id = '', version, known } = asked;
  if (version !== undefined) assertCurrentShown(asked, limits, server);
  const stored = version === undefined ? server.stored(type, id) : server.versions(type, id)[Number(version) - 1];
  const own = stored && shownOf(stored, limits.permissions, limits.token, server);
  if (!own || own.what === 'nothing') throw new Refused('hidden', 404);
  if (isChallenged(limits.signIn, stored)) throw new Refused('sign-in', 401);
  return shown(own.resource, known);
}

/** Rule `operation-of-record`: `permissions` are those on Patient, and `runs` those to run the operation. */
export function everythingInside(
  { id: named, query }: Asked,
  { token, permissions, runs }: Omit<Limits, 'signIn'> & { runs: readonly Permission[] },
  server: Server,
): Verdict {
  const id = named ?? (isAll(permissions) ? undefined : forOneSearch(permissions, token)[0]?.patient);
  const isEveryone = id === undefined && isAll(permissions);
  if (!isEveryone && !isOpen({ resourceType: 'Patient', id }, permissions, server)) throw new Refused('hidden', 404);
  for (const [name, value] of query) {
    const types = name === '_type' ? value.split(',') : [];
    if (types.some((one) => opened(token, one, 's').length === 0)) throw new Refused('scope-letter', 403);
  }
  const found = server.everything(id ?? '');
  if (isAll(runs) && opensAll(token, '*', 'rs')) return { shown: found };
  return {
    shown: found.flatMap((one) => {
      const own = shownOf(one, both(opened(token, one.resourceType, 's'), runs), token, server);
      return own.what === 'nothing' ? [] : own.resource;
    }),
  };
}

/** Rule `history`. */
export function historyInside(asked: Asked, limits: Limits, server: Server): Verdict {
  const { interaction, type, id = '' } = asked;
  if (interaction === 'history-type' || type === 'Binary') throw new Refused('history', 403);
  assertCurrentShown(asked, limits, server);
  const versions = server.versions(type, id).flatMap((one) => {
    const own = shownOf(one, limits.permissions, limits.token, server);
    return own.what === 'nothing' ? [] : own.resource;
  });
  if (versions.some((one) => isChallenged(limits.signIn, one))) throw new Refused('sign-in', 401);
  if (versions.length === 0) throw new Refused('hidden', 404);
  return { shown: versions };
}
