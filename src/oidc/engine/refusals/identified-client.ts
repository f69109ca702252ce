import type { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { identifyLaunch } from '../../../platform/activity/launch-notes.js';
import { type CarriedRequest, clientsNamedIn } from '../../domain/refused/named-client.js';

/**
 * Files a refused request to the client that it names: by a `client_id` as it was sent, by a damaged or misplaced proof
 * only if that client is registered, since the text may be a secret. Returns what it names, whether registered or not,
 * to tell the records of different clients apart.
 */
export async function identifyNamedClient(request: CarriedRequest, clients: RegisteredClients): Promise<string> {
  const { id, others } = clientsNamedIn(request);
  identifyLaunch({ clientId: id ?? (await clients.firstRegistered(others)) });
  return [id ?? '', ...others].join(' ');
}
