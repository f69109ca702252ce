import { randomUUID } from 'node:crypto';
import { randomId } from '../../platform/crypto/secrets.js';
import type { NewUserIdentity } from '../domain/user.js';

/** Creates id, security stamp and creation time of a new account. */
export function newUserIdentity(): NewUserIdentity {
  return { id: randomUUID(), securityStamp: randomId(), now: new Date() };
}
