import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request at hand, wherever the call has got to. */
export interface RequestContext {
  correlationId: string;
  /** The portal that it is for: a process may hold several. */
  issuer: string;
  /** Where it comes from. */
  address: string;
  /** Who is signed in; known once the guard has let the request in. */
  userId?: string;
}

interface Scope {
  request?: RequestContext | undefined;
  /** The transaction at hand, which is the database's own matter. */
  transaction?: unknown;
}

/** One storage for all that travels with a call: each costs every promise of the process a little. */
const storage = new AsyncLocalStorage<Scope>();

export const requestContext = {
  run: <T>(request: RequestContext, work: () => T): T => storage.run({ request }, work),
  getStore: (): RequestContext | undefined => storage.getStore()?.request,
};

export const transactionAtHand = {
  run: <T>(transaction: unknown, work: () => T): T =>
    storage.run({ request: storage.getStore()?.request, transaction }, work),
  getStore: (): unknown => storage.getStore()?.transaction,
};
