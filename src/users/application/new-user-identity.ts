import { randomUUID } from 'node:crypto';
import { randomId } from '../../platform/crypto/secrets.js';
import type { NewUserIdentity } from '../domain/user.js';

/** The time and randomness of a new account. */
export function newUserIdentity(): NewUserIdentity {
  return { id: randomUUID(), securityStamp: randomId(), now: new Date() };
}
