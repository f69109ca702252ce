import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { Interactions, type OpenInteraction, type OwnRequest } from '../../oidc/application/interactions.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { Kinds, Offer } from './offer.js';

/** The content of the consent page: it depends on the request, the role of the user and the FHIR server of the tenant. */
@Injectable()
export class ConsentOffers {
  constructor(
    private readonly interactions: Interactions,
    private readonly accounts: UserDirectory,
    private readonly servers: FhirServers,
  ) {}

  /** Throws `invalid` unless the request waits for the consent of this account. */
  async open(request: OwnRequest): Promise<OpenInteraction> {
    const interaction = await this.interactions.open(request);
    if (interaction.step !== 'consent' || interaction.accountId !== request.accountId) {
      throw new Problem('invalid', message('request-invalid'));
    }
    return interaction;
  }

  async offerTo(accountId: string, { client, scopes, tenant }: OpenInteraction): Promise<Offer> {
    const account = await this.accounts.find(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    const kinds = new Kinds(account.userType, this.servers.forTenant(tenant).status.resourceTypes());
    return new Offer(scopes, client, kinds);
  }
}
