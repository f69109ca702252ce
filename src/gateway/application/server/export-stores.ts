import type { Cancellation, FhirServer, FhirServerAnswer } from '../../../fhir-server/application/fhir-server.js';
import { Refusal } from '../../domain/refusal.js';
import type { ServerExchange } from './server-exchange.js';
import { serverFailure, unusableAnswer } from './server-failures.js';

/** A page of an export at the server, or a file in one of its stores. */
export interface ExportPlace {
  exported: 'job' | 'file' | 'stored';
  /** The target at the server, or the address at the store. */
  page: string;
}

/**
 * The page that the server names by this address, in a document at `at`; undefined for what is at none of its places.
 */
export function exportPlaceOf(
  { names, stores }: ServerExchange,
  url: string,
  exported: 'job' | 'file',
  at: string,
): ExportPlace | undefined {
  const page = names.targetOf(url, at);
  if (page !== undefined) return { exported, page };
  const isStored = exported === 'file' && storeOf(url, stores) !== undefined;
  return isStored ? { exported: 'stored', page: new URL(url).href } : undefined;
}

/** Asks for a file in one of the server's stores. Anything else, such as a redirect, is refused. */
export async function storedFile(
  { stores }: ServerExchange,
  url: string,
  cancellation: Cancellation,
): Promise<FhirServerAnswer> {
  const store = storeOf(url, stores);
  // The configuration may have changed since the link was made.
  if (!store) throw new Refusal(403, 'forbidden', 'The portal fetches no files from this store.');
  const request = { method: 'GET', path: url, headers: { accept: '*/*' }, cancellation, unpacks: true } as const;
  const answer = await store.send(request).catch((error: unknown) => {
    throw serverFailure(error);
  });
  if (answer.status === 200) return answer;
  answer.discard();
  throw unusableAnswer(`a file of an export was answered ${answer.status} by its store`);
}

function storeOf(url: string, stores: ServerExchange['stores']): FhirServer | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, username, password, hash } = new URL(url);
  return username + password + hash === '' ? stores.get(origin) : undefined;
}
