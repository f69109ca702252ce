/** Rule `understood`: the form of a request, before what its token permits. */
import { subjectElements } from './definitions.js';
import { assertOperationParameters, isPlainCondition } from './searches.js';
import { Refused } from './verdict.js';
import { type Asked, letters, of, type Query } from './world.js';

export function assertUnderstood(asked: Asked): void {
  const { interaction, type, id, query, operation, byPost, onlyNew, ifMatch, inRecordOf } = asked;
  // Nothing of a type that is in no record is in the compartment of a patient.
  if (inRecordOf !== undefined && !subjectElements.has(type)) throw new Refused('understood', 403);
  if (onlyNew && ifMatch !== undefined) throw new Refused('understood', 400);
  // The parameters of a search are read with the types that they reach.
  if (interaction === 'search' && operation !== 'docref') return;
  if (interaction === 'history-type' || interaction === 'history-instance') {
    if (!query.every(([name]) => ['_since', '_at', '_count', '_format'].includes(name)))
      throw new Refused('understood', 400);
  } else if (interaction === 'operation' || operation === 'docref') {
    if (!byPost) assertOperationParameters(asked);
  } else if (id === undefined && interaction !== 'create') {
    if (query.length === 0 || !query.every(isPlainCondition)) throw new Refused('understood', 400);
  } else {
    const isRead = letters[interaction] === 'r';
    if (!query.every(([name]) => isRead && ['_elements', '_summary'].includes(name)))
      throw new Refused('understood', 403);
  }
}

/** The body is a resource of the type, with the id of an update, or a JSON Patch. */
export function assertBody({ interaction, type, id, body }: Asked): void {
  if (interaction === 'patch' || body === undefined) return;
  const isNamed = interaction !== 'update' || id === undefined || of(body, 'id') === id;
  if (of(body, 'resourceType') !== type || !isNamed) throw new Refused('understood', 400);
}

/** The address of a part begins with a type. */
export function isOfNoType({ type }: Asked): boolean {
  return type === '*';
}

export function hasCondition({ interaction, id, ifNoneExist }: Asked): boolean {
  return interaction === 'create'
    ? ifNoneExist !== undefined
    : id === undefined && ['update', 'patch', 'delete'].includes(interaction);
}

export function conditionOf({ interaction, ifNoneExist, query }: Asked): Query {
  return interaction === 'create' ? (ifNoneExist ?? []) : query;
}
