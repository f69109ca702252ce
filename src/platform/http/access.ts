import { SetMetadata } from '@nestjs/common';
import type { UserType } from '../../contract/session.js';

export const accessMetadata = 'gatehouse:access';
export const polledMetadata = 'gatehouse:polled';
export const passkeysMetadata = 'gatehouse:passkeys';
export const representationMetadata = 'gatehouse:representation';
export const ownAccountMetadata = 'gatehouse:own-account';
export const peopleOnlyMetadata = 'gatehouse:people-only';

/** The callers that a route admits; a route without this metadata is closed. */
export type Access = { to: 'everyone' } | { to: 'user-types'; types: readonly UserType[] };

/** Admits every caller, signed in or not. */
export const Public = () => SetMetadata<string, Access>(accessMetadata, { to: 'everyone' });

/** Admits signed-in users of these types. */
export const For = (...types: UserType[]) => SetMetadata<string, Access>(accessMetadata, { to: 'user-types', types });

/** Marks a route that a timer calls: the call does not extend the session (security E-07). */
export const Polled = () => SetMetadata(polledMetadata, true);

/**
 * Marks a route of administrators that a service with a management token cannot call: it needs a browser, or a proof of
 * a user.
 */
export const PeopleOnly = () => SetMetadata(peopleOnlyMetadata, true);

/** Marks routes that are closed where passkeys are off. */
export const AboutPasskeys = () => SetMetadata(passkeysMetadata, true);

/** Marks routes that are closed where no account can act for a patient (`representation` is not configured). */
export const AboutRepresentation = () => SetMetadata(representationMetadata, true);

/** The effect of a call on the own account: a change or the file of its data, or a factor that is added. */
export type OwnAccountEffect = 'changes' | 'adds-factor';

/**
 * Marks routes that change the own account, or send its data as a file: an administrator whose sign-in lacks what
 * `account.adminsNeed` demands cannot call them.
 */
export const ChangesOwnAccount = () => SetMetadata<string, OwnAccountEffect>(ownAccountMetadata, 'changes');

/** As {@link ChangesOwnAccount}, for routes that also lead to what is lacking: open until the account has it. */
export const AddsFactor = () => SetMetadata<string, OwnAccountEffect>(ownAccountMetadata, 'adds-factor');
