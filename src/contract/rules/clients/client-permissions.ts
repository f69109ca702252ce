/** Rules about the access to FHIR data that the settings of a client permit (`SMART 2.2 scopes-and-launch-context`). */
import type { ClientForm } from '../../clients/clients.js';
import type { SmartSubject } from '../client-values.js';
import { type Act, acts } from '../scopes/access-summary.js';

type Permitting = Pick<
  ClientForm,
  'clientType' | 'allowedGrantTypes' | 'allowedSmartSubjects' | 'allowedSmartActions' | 'allowedSmartLegacyActions'
>;

type Scoped = Permitting &
  Pick<ClientForm, 'allowedResourceTypes' | 'allowedOperationScopes' | 'allowOfflineAccess' | 'allowOnlineAccess'>;

/** The letters of each act; reading one resource and searching are the same to a user. */
const letters: Record<Act, string> = { see: 'rs', add: 'c', change: 'u', delete: 'd' };

/**
 * The subjects for which the client can get scopes. Those of users need a user who signs in, `system` needs a service,
 * and a token for the management API has no access to FHIR data.
 */
export function subjectsOf({ clientType, allowedGrantTypes, allowedSmartSubjects }: Permitting): SmartSubject[] {
  if (clientType === 'ManagementApi') return [];
  return allowedSmartSubjects.filter((subject) =>
    allowedGrantTypes.includes(subject === 'system' ? 'client_credentials' : 'authorization_code'),
  );
}

/** The acts that the client can get permission for, by scopes of either version of SMART. */
export function actsOf(client: Permitting): Act[] {
  if (subjectsOf(client).length === 0) return [];
  const permitted = actionsOf(client) + legacyActionsOf(client);
  return acts.filter((act) => [...letters[act]].some((letter) => permitted.includes(letter)));
}

/**
 * The widest scopes of FHIR data that the client can get, with those that make access last. Version 1 has its own
 * scope where it permits more than version 2. Operations are not among them: without a list, all are allowed.
 */
export function widestScopesOf(client: Scoped): string[] {
  const types = client.allowedResourceTypes.length === 0 ? ['*'] : client.allowedResourceTypes;
  const [actions, legacy] = [actionsOf(client), legacyActionsOf(client)];
  const addsMore = [...legacy].some((letter) => !actions.includes(letter));
  const word = legacy === 'rs' ? 'read' : legacy === 'cud' ? 'write' : '*';
  const access = [...(actions === '' ? [] : [actions]), ...(addsMore ? [word] : [])];
  const ofUsers = client.allowedGrantTypes.includes('authorization_code');
  return [
    ...subjectsOf(client).flatMap((subject) =>
      types.flatMap((type) => access.map((permitted) => `${subject}/${type}.${permitted}`)),
    ),
    ...(ofUsers && client.allowOfflineAccess ? ['offline_access'] : []),
    ...(ofUsers && client.allowOnlineAccess ? ['online_access'] : []),
  ];
}

/** In the order of SMART. */
const actionsOf = ({ allowedSmartActions }: Permitting) =>
  [...'cruds'].filter((letter) => (allowedSmartActions as string[]).includes(letter)).join('');

function legacyActionsOf({ allowedSmartLegacyActions: words }: Permitting): string {
  const [reads, writes] = (['read', 'write'] as const).map((word) => words.includes(word) || words.includes('*'));
  return reads && writes ? 'cruds' : reads ? 'rs' : writes ? 'cud' : '';
}
