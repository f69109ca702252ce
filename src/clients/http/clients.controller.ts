import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ClientAvailability,
  ClientEnabling,
  ClientImpact,
  ClientImpactQuery,
} from '../../contract/clients/client-changes.js';
import {
  ClientFormConditions,
  ClientIdentityProvider,
  KeyAddress,
  PublishedKeys,
  ResourceTypeGroup,
} from '../../contract/clients/client-conditions.js';
import { ClientList, ClientListQuery, ClientRequest, ClientView } from '../../contract/clients/clients.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { ClientConditions } from '../application/client-conditions.js';
import { ClientManagement } from '../application/client-management.js';
import { KeySets } from '../application/key-sets.js';

@For('Admin')
@Controller('api/admin/client')
export class ClientsController {
  constructor(
    private readonly clients: ClientManagement,
    private readonly conditions: ClientConditions,
    private readonly keySets: KeySets,
  ) {}

  /** Lists the clients. */
  @Get()
  list(@Query() query: ClientListQuery): Promise<ClientList> {
    return this.clients.listClients(query);
  }

  /** Lists the resource types that a client can be limited to. */
  @Get('available-resourcetypes')
  availableResourceTypes(): string[] {
    return this.conditions.resourceTypes();
  }

  /** Lists groups of resource types. */
  @Get('available-resourcetypegroups')
  availableResourceTypeGroups(): ResourceTypeGroup[] {
    return this.conditions.resourceTypeGroups();
  }

  /** Lists the operations of the FHIR server that a client can be allowed to use. */
  @Get('available-operationscopes')
  availableOperationScopes(): string[] {
    return this.conditions.operationScopes();
  }

  /** Lists the identity providers that a client can be limited to. */
  @Get('available-identityproviders')
  availableIdentityProviders(): ClientIdentityProvider[] {
    return this.conditions.identityProviders();
  }

  /** Reads what the client form needs to know about the portal's configuration. */
  @Get('form-conditions')
  formConditions(): ClientFormConditions {
    return this.conditions.formConditions();
  }

  /** Checks that there are keys at an address that a client is to be registered with. */
  @Post('check-keys')
  @HttpCode(200)
  checkKeys(@Body() { url }: KeyAddress): Promise<PublishedKeys> {
    return this.keySets.check(url);
  }

  /**
   * Counts what ends when these clients are disabled or deleted.
   * @refuses 404
   */
  @Get('impact')
  impact(@Query() { id }: ClientImpactQuery): Promise<ClientImpact> {
    return this.clients.impactOf(id);
  }

  /** Reads a client. */
  @Get(':id')
  get(@Param('id') id: string): Promise<ClientView> {
    return this.clients.getClient(id);
  }

  /**
   * Registers a client.
   *
   * A shared secret is in this answer and in no other one.
   * @refuses 409
   */
  @Post()
  register(@Body() form: ClientRequest, @SignedIn() caller: SignedInUser): Promise<ClientView> {
    return this.clients.registerClient(form, caller);
  }

  /**
   * Changes a client.
   *
   * Members that are left out stay as they are.
   * @refuses 409
   */
  @Put(':id')
  change(@Param('id') id: string, @Body() form: ClientRequest, @SignedIn() caller: SignedInUser): Promise<ClientView> {
    return this.clients.changeClient(id, form, caller);
  }

  /**
   * Enables or disables a client.
   * @refuses 409
   */
  @Put(':id/enabled')
  setEnabled(
    @Param('id') id: string,
    @Body() { enabled }: ClientAvailability,
    @SignedIn() caller: SignedInUser,
  ): Promise<ClientEnabling> {
    return this.clients.setEnabled(id, enabled, caller);
  }

  /**
   * Takes the deletion of a client back.
   * @refuses 409
   */
  @Post(':id/restore')
  @HttpCode(200)
  restore(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<ClientView> {
    return this.clients.restoreClient(id, caller);
  }

  /**
   * Deletes a client.
   *
   * The deletion can be taken back for some minutes.
   * @refuses 409
   */
  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<void> {
    return this.clients.deleteClient(id, caller);
  }
}
