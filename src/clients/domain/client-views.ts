import type { ClientFilter } from '../../contract/clients/bulk.js';
import type { ClientImpact } from '../../contract/clients/client-changes.js';
import type { ClientList, ClientListQuery, ClientView } from '../../contract/clients/clients.js';
import type { FoundClient, FoundRedirectUri } from '../../contract/palette.js';

/** The best matches of a search by name, id, description or tag, and by redirect URI. */
export interface ClientMatches {
  clients: FoundClient[];
  redirectUris: FoundRedirectUri[];
}

/** Clients as lists and forms show them; they contain no shared secret. */
export abstract class ClientViews {
  abstract list(query: ClientListQuery): Promise<ClientList>;
  abstract findById(id: string): Promise<ClientView | undefined>;
  /** The ids of those that a filter finds, by client id, but no more than `most`. */
  abstract ids(filter: ClientFilter, most: number): Promise<string[]>;
  /** At most `most` of each kind. */
  abstract search(term: string, most: number): Promise<ClientMatches>;
  /**
   * Client ids of those whose client id, name or record id is this text, in any case of its letters; at most ten of
   * each.
   */
  abstract clientIdsNamed(name: string): Promise<{ byId: string[]; byName: string[] }>;
  /** The clients of these ids that exist, in the same order. */
  abstract ofIds(ids: readonly string[]): Promise<ClientView[]>;
  /** The tags of these ids that exist. */
  abstract existingTags(ids: readonly string[]): Promise<string[]>;
  abstract count(): Promise<number>;
  /** Undefined if none of them exists. */
  abstract impact(ids: readonly string[]): Promise<ClientImpact | undefined>;
}
