import type { IncomingMessage } from 'node:http';
import { longestUrl, unreadablePart } from './front-door.js';

/** Why a request was not processed, in a clause, and what changes that. */
export interface UnreadRequest {
  fault: string;
  remedy: string;
  /** Key of the configuration that may be wrong, or empty. */
  configuration: string;
}

const readable =
  'Have the app encode its parameters as UTF-8 (application/x-www-form-urlencoded), and send each header once.';

export function unreadable(fault: string): UnreadRequest {
  return { fault, remedy: readable, configuration: '' };
}

export function tooLarge(fault: string): UnreadRequest {
  return { fault, remedy: 'Have the app send a shorter request.', configuration: '' };
}

/** A request that the front door refused with this status, at the portal of this host. */
export function refusedAtDoor(status: number, request: IncomingMessage, expected: string): UnreadRequest {
  if (status === 431) return tooLarge(`its address is longer than ${Math.floor(longestUrl / 1024)} kB`);
  if (status === 400) return unreadable(unreadablePart(request) ?? 'it is no request that can be read');
  const { host = 'no host' } = request.headers;
  return {
    fault: `it was sent to ${host}, and the portal is ${expected}`,
    remedy: `Have the app use the addresses of the discovery document. If ${host} is right, correct server.issuer, or the Host header that the reverse proxy sends.`,
    configuration: 'server.issuer',
  };
}
