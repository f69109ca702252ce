import type { ClientList, ClientListQuery, ClientView } from '../../contract/clients.js';

/** Clients as lists and forms show them; they contain no shared secret. */
export abstract class ClientViews {
  abstract list(query: ClientListQuery): Promise<ClientList>;
  abstract find(id: string): Promise<ClientView | undefined>;
  abstract count(): Promise<number>;
}
