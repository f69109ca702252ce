import type { ClientSettings } from '../../contract/clients/client-settings.js';
import { type NoEffect, noEffectOf, type Served } from '../../contract/rules/scopes/scope-effect.js';
import {
  type OperationScope,
  parseScope,
  printScope,
  type ResourceScope,
  type SmartScope,
} from '../../contract/rules/scopes/smart-scope.js';

/**
 * The settings that decide which scopes a client may have; an empty list of types or operations means all (`spec §4`).
 */
export type ScopeSettings = Pick<
  ClientSettings,
  | 'allowedSmartActions'
  | 'allowedSmartLegacyActions'
  | 'allowedSmartSubjects'
  | 'allowedResourceTypes'
  | 'allowedOperationScopes'
  | 'allowOfflineAccess'
  | 'allowOnlineAccess'
  | 'allowContactScopes'
  | 'allowFirelySpecialScopes'
>;

/** The servers on which it depends, next to the client, which scopes can be granted. */
export interface ScopeServers {
  /** The extension scopes that the installation has (`fhir.specialScopes`). */
  specialScopes: readonly string[];
  /**
   * The FHIR server behind the gateway; undefined where the portal has no gateway, so that another server reads the
   * scopes.
   */
  served: Served | undefined;
}

/** A rule that takes a part of a scope: the actions by their names in the client's form, or the type. */
type PartRule = { rule: 'actions'; version: 1 | 2; actions: string } | { rule: 'type'; type: string };

/** A rule that drops a scope, with what decided. */
export type ScopeRule =
  | PartRule
  | NoEffect
  | { rule: 'subject'; subject: string }
  | { rule: 'service' | 'operation' | 'offline' | 'online' | 'contact' | 'special' | 'special-unknown' };

/** The decision on a requested scope: what is granted of it, and the rules that took the rest. */
export interface Narrowed {
  granted: readonly string[];
  /** The rule that dropped the scope; absent if a part of it is granted. */
  droppedBy?: ScopeRule;
  /** The rules that took a part of the scope, the first one first. */
  narrowedBy: readonly PartRule[];
}

const nothing: readonly never[] = [];
const actionOrder = ['c', 'r', 'u', 'd', 's'] as const;

/**
 * Decides which scopes a client gets for one that it requested; never more than was asked for, and nothing that opens
 * nothing. A wildcard becomes one scope for each listed type. Version 1 is answered in version 1: its words are ruled
 * by the legacy actions alone (`*` includes `read` and `write`), the letters of version 2 by the SMART actions alone.
 */
export function narrow(scope: SmartScope, settings: ScopeSettings, { specialScopes, served }: ScopeServers): Narrowed {
  if (!served) return narrowBySettings(scope, settings, specialScopes);
  // No setting of the client puts this right.
  const noEffect = noEffectOf(scope, served);
  return noEffect ? dropped(noEffect) : withoutIdle(narrowBySettings(scope, settings, specialScopes), served);
}

/** Leaves out the scopes for types of a wildcard that open nothing. */
function withoutIdle(narrowed: Narrowed, served: Served): Narrowed {
  const parts = narrowed.granted.map((text) => ({ text, noEffect: noEffectOfText(text, served) }));
  const granted = parts.filter(({ noEffect }) => !noEffect).map(({ text }) => text);
  if (granted.length === parts.length) return narrowed;
  const rule = granted.length === 0 ? parts[0]?.noEffect : undefined;
  return rule ? dropped(rule) : { ...narrowed, granted };
}

function noEffectOfText(text: string, served: Served): NoEffect | undefined {
  const scope = parseScope(text);
  return scope && noEffectOf(scope, served);
}

function narrowBySettings(scope: SmartScope, settings: ScopeSettings, specialScopes: readonly string[]): Narrowed {
  switch (scope.kind) {
    case 'identity':
      return whole(scope, settings.allowContactScopes || !isContact(scope.text) ? undefined : { rule: 'contact' });
    case 'launch':
      return whole(scope, undefined);
    case 'refresh':
      if (scope.text === 'offline_access') {
        return whole(scope, settings.allowOfflineAccess ? undefined : { rule: 'offline' });
      }
      return whole(scope, settings.allowOnlineAccess ? undefined : { rule: 'online' });
    case 'extension':
      if (!specialScopes.includes(scope.text)) return dropped({ rule: 'special-unknown' });
      return whole(scope, settings.allowFirelySpecialScopes ? undefined : { rule: 'special' });
    case 'operation':
      return whole(scope, operationRule(scope, settings));
    case 'resource':
      return narrowResource(scope, settings);
  }
}

/** As {@link narrow}, for a scope that is requested through a user's browser: those of `system/` are for services. */
export function narrowForUser(scope: SmartScope, settings: ScopeSettings, servers: ScopeServers): Narrowed {
  return subjectOf(scope) === 'system' ? dropped({ rule: 'service' }) : narrow(scope, settings, servers);
}

/** The subject of a scope of FHIR data; undefined for other scopes. */
export function subjectOf(scope: SmartScope): string | undefined {
  return scope.kind === 'resource' || scope.kind === 'operation' ? scope.subject : undefined;
}

function whole({ text }: SmartScope, rule: ScopeRule | undefined): Narrowed {
  return rule ? dropped(rule) : { granted: [text], narrowedBy: nothing };
}

function dropped(rule: ScopeRule): Narrowed {
  return { granted: nothing, droppedBy: rule, narrowedBy: nothing };
}

function isContact(text: string): boolean {
  return text === 'email' || text === 'phone';
}

function operationRule({ subject, type, text }: OperationScope, settings: ScopeSettings): ScopeRule | undefined {
  const { allowedSmartSubjects, allowedResourceTypes, allowedOperationScopes } = settings;
  if (!allowedSmartSubjects.includes(subject)) return { rule: 'subject', subject };
  const isTypeAllowed = type === '*' || allowedResourceTypes.length === 0 || allowedResourceTypes.includes(type);
  if (!isTypeAllowed) return { rule: 'type', type };
  const isAllowed = allowedOperationScopes.length === 0 || allowedOperationScopes.includes(text);
  return isAllowed ? undefined : { rule: 'operation' };
}

function narrowResource(scope: ResourceScope, settings: ScopeSettings): Narrowed {
  const { subject, type, version } = scope;
  const { allowedSmartSubjects, allowedResourceTypes: types } = settings;
  if (!allowedSmartSubjects.includes(subject)) return dropped({ rule: 'subject', subject });
  const isOfTypes = types.length > 0;
  if (isOfTypes && type !== '*' && !types.includes(type)) return dropped({ rule: 'type', type });
  const [actions, refused] = version === 1 ? legacyActions(scope, settings) : smartActions(scope, settings);
  const byActions = { rule: 'actions', version, actions: refused.join(', ') } as const;
  if (actions === '') return dropped(byActions);
  const everyType = isOfTypes && type === '*';
  const granted = (everyType ? types : [type]).map((one) => printScope({ ...scope, type: one, actions }));
  return {
    granted,
    narrowedBy: [...(refused.length > 0 ? [byActions] : []), ...(everyType ? [{ rule: 'type', type } as const] : [])],
  };
}

type Actions = [allowed: string, refused: string[]];

function smartActions({ actions: asked }: ResourceScope, { allowedSmartActions: allowed }: ScopeSettings): Actions {
  const known = actionOrder.filter((action) => asked.includes(action));
  return [
    known.filter((action) => allowed.includes(action)).join(''),
    known.filter((action) => !allowed.includes(action)),
  ];
}

function legacyActions({ actions }: ResourceScope, { allowedSmartLegacyActions: allowed }: ScopeSettings): Actions {
  const asked = [
    ...(actions.includes('r') ? ['read' as const] : []),
    ...(actions.includes('c') ? ['write' as const] : []),
  ];
  const isAllowed = (word: 'read' | 'write') => allowed.includes(word) || allowed.includes('*');
  const [first, second] = asked.filter(isAllowed);
  const letters = second ? 'cruds' : first === 'read' ? 'rs' : first === 'write' ? 'cud' : '';
  return [letters, asked.filter((word) => !isAllowed(word))];
}
