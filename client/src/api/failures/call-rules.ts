import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type { MessageCode } from '../../../../src/contract/messages/message.js';
import { deepLink, returnUrlOf } from '../../shared/addresses/return-url.js';

/** Configures the global part of `spec §8` for one call. */
export interface CallRules {
  /**
   * Exceptions from the rules. `session`: all of them, since a failed session load is ignored, and so is a
   * failed report of presence. `status`: the 500 page, since a failed status call means that the server is unavailable.
   */
  spared?: 'session' | 'status';
  /** True if a failure without a rule below is shown in the notification bar; else the caller shows it. */
  notice?: boolean;
  /** True if only the first failure has an effect: the application repeats the call by itself, while users work. */
  quietAgain?: boolean;
}

export interface Failure {
  status: FetchBaseQueryError['status'];
  /** The path of the page that made the call. */
  path: string;
  /** The query of that page. */
  search: string;
  /** The code of the first message of the answer. */
  code?: string | undefined;
}

export type Reaction =
  | { kind: 'none' }
  | { kind: 'notice' }
  /** The session is read again: the routing rules lead on. */
  | { kind: 'session' }
  | { kind: 'go'; to: string; signedOut: boolean };

/** Refusals of a sign-in that is not strong enough for an administrator. */
const weakSignIn: readonly (MessageCode | undefined)[] = [
  'admin-needs-two-factor',
  'admin-needs-passkey',
  'admin-use-factor-first',
];

/** A refusal of one decision, of an administrator whose session is not in question. */
const ownCase: MessageCode = 'representation-own-case';

/** The global reaction to a failed call, the same for every caller. */
export function reactionTo({ status, path, search, code }: Failure, { spared, notice }: CallRules): Reaction {
  if (spared === 'session') return { kind: 'none' };
  if (status === 500 && spared !== 'status') return { kind: 'go', to: '/error/500', signedOut: false };
  if (status === 403 && weakSignIn.includes(code as MessageCode)) return { kind: 'session' };
  if (status === 403 && code === ownCase) return { kind: 'none' };
  if ((status === 401 || status === 403) && /^\/(admin|user)(\/|$)/.test(path)) {
    // Signing in leads back to the page, or on with its flow; with a session (403) that would go in circles.
    const returnUrl = status === 401 ? (returnUrlOf(search) ?? deepLink(path, search)) : null;
    const query = new URLSearchParams({
      ...(status === 401 && { ended: 'true' }),
      ...(returnUrl && { returnUrl }),
    });
    const to = query.size > 0 ? `/login?${query}` : '/login';
    return { kind: 'go', to, signedOut: status === 401 };
  }
  return notice && spared !== 'status' ? { kind: 'notice' } : { kind: 'none' };
}

/** Array values as repeated keys without an index (`spec §7`); empty values are left out. */
export function queryString(parameters: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') query.append(key, String(item));
    }
  }
  return query.toString();
}
