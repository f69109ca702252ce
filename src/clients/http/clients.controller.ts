import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ClientFormConditions,
  ClientIdentityProvider,
  KeyAddress,
  PublishedKeys,
  ResourceTypeGroup,
} from '../../contract/client-conditions.js';
import { ClientList, ClientListQuery, ClientRequest, ClientView } from '../../contract/clients.js';
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

  @Get()
  list(@Query() query: ClientListQuery): Promise<ClientList> {
    return this.clients.listClients(query);
  }

  @Get('available-resourcetypes')
  availableResourceTypes(): string[] {
    return this.conditions.resourceTypes();
  }

  @Get('available-resourcetypegroups')
  availableResourceTypeGroups(): ResourceTypeGroup[] {
    return this.conditions.resourceTypeGroups();
  }

  @Get('available-operationscopes')
  availableOperationScopes(): string[] {
    return this.conditions.operationScopes();
  }

  @Get('available-identityproviders')
  availableIdentityProviders(): ClientIdentityProvider[] {
    return this.conditions.identityProviders();
  }

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

  @Get(':id')
  get(@Param('id') id: string): Promise<ClientView> {
    return this.clients.getClient(id);
  }

  @Post()
  register(@Body() form: ClientRequest, @SignedIn() caller: SignedInUser): Promise<ClientView> {
    return this.clients.registerClient(form, caller);
  }

  @Put(':id')
  change(@Param('id') id: string, @Body() form: ClientRequest, @SignedIn() caller: SignedInUser): Promise<ClientView> {
    return this.clients.changeClient(id, form, caller);
  }

  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<void> {
    return this.clients.deleteClient(id, caller);
  }
}
