import { SetMetadata } from '@nestjs/common';
import type { UserType } from '../../contract/session.js';

export const accessMetadata = 'gatehouse:access';
export const polledMetadata = 'gatehouse:polled';

/** Who may call a route; a route without one is closed. */
export type Access = { to: 'everyone' } | { to: 'user-types'; types: readonly UserType[] };

/** Open to anybody, signed in or not. */
export const Public = () => SetMetadata<string, Access>(accessMetadata, { to: 'everyone' });

/** Open to signed-in people of these types. */
export const For = (...types: UserType[]) => SetMetadata<string, Access>(accessMetadata, { to: 'user-types', types });

/** Called by a timer: does not count as the person using the session (security E-07). */
export const Polled = () => SetMetadata(polledMetadata, true);
