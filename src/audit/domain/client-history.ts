import type { AuditType } from '../../contract/audit/audit-types.js';
import type { ClientChange } from '../../contract/clients/client-changes.js';
import { type ClientField, clientFields } from '../../contract/rules/clients/client-fields.js';
import type { RecordedEvent } from './audit-event.js';
import { changesOf } from './audit-views.js';

/** Events that change a client; a deletion that was undone has changed nothing. */
export const clientEvents = ['client.created', 'client.changed'] as const satisfies AuditType[];

/** Before the client id of a service, in place of the id of an account. */
const ofService = 'client ';

/** Longer values are in the entry only. */
const longest = 1000;

export function clientChange(event: RecordedEvent): ClientChange {
  const { id: entry, at, type, userId, userName } = event;
  const service = userId?.startsWith(ofService) ? userId.slice(ofService.length) : null;
  return {
    entry,
    at: at.toISOString(),
    isCreation: type === 'client.created',
    who: userId === null || service !== null ? null : { id: userId, name: userName },
    service,
    fields: changesOf(event).flatMap(({ field, before, after, isHidden }): ClientChange['fields'] => {
      if (!isField(field)) return [];
      const isLong = [before, after].some((value) => JSON.stringify(value).length > longest);
      return [
        isHidden || isLong ? { field, before: null, after: null, isHidden: true } : { field, before, after, isHidden },
      ];
    }),
  };
}

function isField(name: string): name is ClientField {
  return Object.hasOwn(clientFields, name);
}
