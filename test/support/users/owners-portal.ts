import { publicApp } from '../clients/clients.js';
import { type MailSink, startMailSink } from '../mail-sink.js';
import { startPortal, type TestPortal } from '../portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../providers/identity-provider.js';
import { ownerUsers } from './owners.js';
import { people } from './people.js';

/**
 * Two nodes with an account of each kind of owner, an administrator and two patients; their provider, and their mail.
 */
export interface OwnersPortal {
  portal: TestPortal;
  provider: TestIdentityProvider;
  sink: MailSink;
  isStored(accountId: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function startOwnersPortal(account: { deletionDays?: number } = {}): Promise<OwnersPortal> {
  const sink = await startMailSink();
  const provider = await startIdentityProvider();
  const portal = await startPortal({
    nodes: 2,
    config: {
      account,
      email: sink.config,
      clients: [publicApp],
      users: [...ownerUsers, people.admin, people.patient, people.otherPatient],
      identityProviders: [provider.entry({ allowedGroups: ['patients', 'staff'] })],
    },
  });
  provider.trust(portal);
  return {
    ...{ portal, provider, sink },
    isStored: async (id) => (await portal.query('SELECT FROM account WHERE id = $1', [id])).length === 1,
    async close() {
      await portal.close();
      await provider.close();
      await sink.stop();
    },
  };
}
