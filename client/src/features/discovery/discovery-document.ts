/** A discovery document as it came: one that a FHIR server gives may hold anything under any name. */
export type DiscoveryDocument = Readonly<Record<string, unknown>>;

/** The strings of a list; empty when there is no such list. */
export function listOf(document: DiscoveryDocument, name: string): string[] {
  const value = document[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function addressOf(document: DiscoveryDocument, name: string): string | undefined {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
}

export interface Group {
  name: string;
  members: string[];
}

/** In the order in which the names come up first. */
function grouped(members: readonly string[], nameOf: (member: string) => string): Group[] {
  const groups = new Map<string, string[]>();
  for (const member of members) groups.set(nameOf(member), [...(groups.get(nameOf(member)) ?? []), member]);
  return [...groups].map(([name, list]) => ({ name, members: list }));
}

/** By the text before the first dash (`spec §2`). */
export function capabilityGroups(capabilities: readonly string[]): Group[] {
  return grouped(capabilities, (capability) => capability.replace(/-.*/s, ''));
}

const prefixed = /^(launch|patient|user|system)(?:\/|$)/;
const access = /^(?:patient|user|system)\/([^.]+)\.(.+)$/s;

/** By the text before the slash; what has none, or is an address, is in the group without a name, which comes first. */
export function scopeGroups(scopes: readonly string[]): Group[] {
  const groups = grouped(scopes, (scope) => prefixed.exec(scope)?.[1] ?? '');
  return groups.sort((one, other) => Number(one.name !== '') - Number(other.name !== ''));
}

export interface ResourcePermissions {
  /** A resource type, or `*`. */
  type: string;
  /** The part of a scope after the type: `cruds`, `read`, `rs?category=laboratory`. */
  permissions: string[];
}

/** The permissions of one subject's scopes, by resource type; undefined when one of them is not such a scope. */
export function resourcePermissions(scopes: readonly string[]): ResourcePermissions[] | undefined {
  if (!scopes.every((scope) => access.test(scope))) return undefined;
  return grouped(scopes, (scope) => scope.replace(access, '$1')).map(({ name, members }) => ({
    type: name,
    permissions: members.map((scope) => scope.replace(access, '$2')),
  }));
}
