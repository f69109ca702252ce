import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import type { UserDirectory, UserFacts } from '../../users/application/user-directory.js';
import type { Actor, Relationship } from '../domain/relationship.js';

/** Who decides: an administrator, or a client with a management token. */
export interface Decider {
  id: string;
  isService: boolean;
}

export function actorOf({ id, isService }: Decider): Actor {
  return { kind: isService ? 'client' : 'account', id };
}

/**
 * An administrator decides about no relationship of which they are a side, by account, address or name. Throws
 * `forbidden`.
 */
export async function assertNoParty(
  accounts: UserDirectory,
  relationship: Relationship,
  { id, isService }: Decider,
): Promise<void> {
  if (isService) return;
  const [decider, account] = await Promise.all([
    accounts.findById(id),
    relationship.accountId === null ? undefined : accounts.findById(relationship.accountId),
  ]);
  if (!decider || isParty(decider, account, relationship)) {
    throw new Problem('forbidden', message('representation-own-case'));
  }
}

function isParty(decider: UserFacts, account: UserFacts | undefined, relationship: Relationship): boolean {
  const same = (one: string | null | undefined, other: string | null | undefined) =>
    one && other ? one.trim().toLowerCase() === other.trim().toLowerCase() : false;
  return (
    decider.id === relationship.accountId ||
    same(decider.email, account?.email) ||
    same(decider.fullName, relationship.representativeName) ||
    same(decider.fullName, relationship.patientName)
  );
}
