import type { PatientKey } from './patient-facts.js';

/** Identifiers by which a block knows a user: an account, a mail address, a RelatedPerson or Person. */
export interface Identity {
  kind: 'account' | 'email' | 'related-person';
  value: string;
}

/** Pairs that may not become active, for ever: they are kept as hashes. */
export abstract class Blocks {
  abstract add(patient: PatientKey, identities: readonly Identity[], relationshipId: string): Promise<void>;
  /**
   * True if one of the identities is blocked for the patient; in the transaction that makes the pair active. Waits for
   * an end of the pair that is being stored.
   */
  abstract isBlocked(patient: PatientKey, identities: readonly Identity[]): Promise<boolean>;
  /** The blocks that these relationships left when they ended; those that one administrator wants to lift are asked. */
  abstract ofRelationships(ids: readonly string[]): Promise<Map<string, 'stands' | 'lift-asked'>>;
  /**
   * Lifts the blocks of a relationship. The first administrator asks, another one lifts. Undefined if there are none.
   */
  abstract lift(relationshipId: string, administrator: string): Promise<'asked' | 'lifted' | undefined>;
}

/** The identities by which a representative is blocked. */
export function identitiesOf(representative: {
  accountId: string | null;
  email: string | null;
  relatedPerson: string | null;
}): Identity[] {
  const { accountId, email, relatedPerson } = representative;
  return [
    ...(accountId === null ? [] : [{ kind: 'account', value: accountId } as const]),
    ...(email === null ? [] : [{ kind: 'email', value: email.trim().toLowerCase() } as const]),
    ...(relatedPerson === null ? [] : [{ kind: 'related-person', value: relatedPerson } as const]),
  ];
}
