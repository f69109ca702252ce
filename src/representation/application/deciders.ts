import type { Actor } from '../domain/relationship.js';

/** The decider: an administrator, a client with a management token, or a file. */
export interface Decider {
  id: string;
  isService: boolean;
  /** True for a file of `gatehouse apply`: `id` is its name, and it is never one of two administrators. */
  isFile?: boolean;
}

export function actorOf({ id, isService, isFile = false }: Decider): Actor {
  return { kind: isFile ? 'file' : isService ? 'client' : 'account', id };
}
