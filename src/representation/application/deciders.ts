import type { Actor } from '../domain/relationship.js';

/** Who decides: an administrator, or a client with a management token. */
export interface Decider {
  id: string;
  isService: boolean;
}

export function actorOf({ id, isService }: Decider): Actor {
  return { kind: isService ? 'client' : 'account', id };
}
