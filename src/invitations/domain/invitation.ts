import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';

/** Ends of an invitation; to the invited user they all look alike. */
export type InvitationEnd = 'accepted' | 'declined' | 'cancelled' | 'codes-used-up';

/** A patient asks an adult to act for them. */
export interface Invitation {
  id: string;
  /** Account id of the patient. */
  inviterId: string;
  /** The patient's record. */
  tenant: string | undefined;
  patient: string;
  /** The patient's first name, for the page of the invited user. */
  firstName: string;
  /** Name and address of the invited user, as the patient wrote them. */
  fullName: string;
  email: string;
  /** Ids in the configuration. */
  basis: string;
  level: string;
  relation: string;
  /** Last day on which the invited user may act, `YYYY-MM-DD`. */
  end: string | null;
  tokenHash: string;
  mailId: string;
  /** Sealed for this invitation's id. */
  code: Buffer;
  wrongCodes: number;
  createdAt: Date;
  expiresAt: Date;
}

export type AcceptedBefore = Pick<Invitation, 'tenant' | 'patient' | 'inviterId' | 'tokenHash'>;

export type EndedBefore = Pick<Invitation, 'id' | 'fullName' | 'basis' | 'level' | 'relation' | 'createdAt'> & {
  why: 'declined' | 'codes-used-up' | 'expired';
};

/** A new invitation; the store gives it its times. */
export type NewInvitation = Omit<Invitation, 'wrongCodes' | 'createdAt' | 'expiresAt'>;

/**
 * Invitations that are open: neither answered, cancelled, used up by wrong codes, nor too old. Each change is one
 * conditional statement, so that of two at the same time one finds nothing.
 */
export abstract class Invitations {
  /** Undefined if an open invitation of the same patient went to the address. */
  abstract add(invitation: NewInvitation, days: number): Promise<Invitation | undefined>;
  abstract openOfInviter(inviterId: string): Promise<Invitation[]>;
  /** Those that came to nothing, newest first; none whose address was invited again since. */
  abstract endedOfInviter(inviterId: string): Promise<EndedBefore[]>;
  abstract findOpen(id: string): Promise<Invitation | undefined>;
  /** One that was accepted, for a call that is sent again because its answer was lost. */
  abstract findAccepted(id: string): Promise<AcceptedBefore | undefined>;
  /**
   * Counts a try before its code is compared, also in a transaction that fails: parallel tries cannot exceed the
   * number. Undefined if the link is of no open invitation, or no try is left.
   */
  abstract takeTry(id: string, tokenHash: string, mostTries: number): Promise<Invitation | undefined>;
  /** Replaces the code; tries that are used stay used. */
  abstract changeCode(id: string, code: Buffer): Promise<Invitation | undefined>;
  abstract end(id: string, end: InvitationEnd): Promise<Invitation | undefined>;
  /** Removes at most so many of those that are older than so many days; returns their number. */
  abstract purge(days: number, most: number): Promise<number>;
}

/** One answer for every invitation that cannot be answered any more, or never could. */
export function invitationEnded(): Problem {
  return new Problem('not-found', message('invitation-ended'));
}
