import { Injectable } from '@nestjs/common';
import { Document, isMap, isSeq } from 'yaml';
import { ClientsByFile } from '../../clients/application/clients-by-file.js';
import type { ClientSecretView, ClientView } from '../../contract/clients/clients.js';
import { clientFields } from '../../contract/rules/clients/client-fields.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { RelationshipLists } from '../../representation/application/relationship-list.js';
import { TagsByFile } from '../../tags/application/tags-by-file.js';
import { UsersByFile } from '../../users/application/users-by-file.js';
import { configuredDisclaimers, configuredTenants } from './configured-part.js';

const heading = ` Written by "npx gatehouse export". Settings that are left out have the default of the client's type.
 A shared secret is named by its id, which keeps the stored value; "secret: env:NAME" or
 "secret: file:PATH" in place of the id takes the value from there.
 Tenants and disclaimers are part of the portal's own configuration and are only compared.`;

interface ExportOptions {
  withUsers: boolean;
  /** Relationships name patients: they are never exported by default. */
  withRelationships?: boolean;
}

/** The objects of this portal as a file that `gatehouse apply` accepts. */
@Injectable()
export class ConfigurationExports {
  constructor(
    private readonly clients: ClientsByFile,
    private readonly tags: TagsByFile,
    private readonly users: UsersByFile,
    private readonly relationships: RelationshipLists,
    private readonly config: Config,
    private readonly audit: Audit,
  ) {}

  /** Equal objects give an equal text, in whatever order they were made. */
  async export({ withUsers, withRelationships = false }: ExportOptions): Promise<string> {
    const tags = (await this.tags.list()).map(({ value, color }) => ({ value, color }));
    const clients = await this.clients.list();
    const content = {
      version: 1,
      tags: tags.sort((one, other) => (one.value.toLowerCase() < other.value.toLowerCase() ? -1 : 1)),
      tenants: configuredTenants(this.config),
      disclaimers: configuredDisclaimers(this.config),
      clients: clients.map((client) => this.entryOf(client)),
      ...(withUsers && { users: await this.userEntries() }),
      ...(withRelationships && { relationships: await this.relationships.entries() }),
    };
    const count = clients.length + (content.users?.length ?? 0) + (content.relationships?.length ?? 0);
    const parts = ['clients', ...(withUsers ? ['users'] : []), ...(withRelationships ? ['relationships'] : [])];
    const list = parts.length > 2 ? 'clients, users and relationships' : parts.join(' and ');
    await this.audit.record({ type: 'list.exported', outcome: 'success', detail: { list, count } });
    return asYaml(content);
  }

  private entryOf(client: ClientView): object {
    const { clientId, clientName, clientType, clientTags, clientSecrets } = client;
    const defaults = this.clients.defaultsOf(clientType);
    const settings = (Object.keys(clientFields) as (keyof typeof clientFields)[]).filter(
      (field) => JSON.stringify(client[field]) !== JSON.stringify(defaults[field]),
    );
    return {
      ...{ clientId, clientName, clientType },
      ...Object.fromEntries(settings.map((field) => [field, client[field]])),
      ...(clientTags.length > 0 && { clientTags: clientTags.map(({ value }) => value).sort() }),
      ...(clientSecrets.length > 0 && { clientSecrets: clientSecrets.map(secretEntry) }),
    };
  }

  private async userEntries(): Promise<object[]> {
    return (await this.users.list()).map(({ name, role: { userType, claims } }) => ({
      ...name,
      userType,
      claims: claims.map((claim) => ({ name: claim.name, value: claim.value })),
    }));
  }
}

function secretEntry({ id, secretType, secret, secretUrl, description, expires }: ClientSecretView): object {
  return {
    ...(secretType === 'SharedSecret' && { id }),
    secretType,
    ...(secret !== null && { secret }),
    ...(secretUrl !== null && { secretUrl }),
    ...(description !== null && { description }),
    ...(expires !== null && { expires }),
  };
}

/** An empty line before each entry. Texts that YAML 1.1 reads as something else are in quotes. */
function asYaml(content: object): string {
  const document = new Document(content, { aliasDuplicateObjects: false, compat: 'yaml-1.1', version: '1.2' });
  document.commentBefore = heading;
  if (isMap(document.contents)) {
    for (const { value: section } of document.contents.items) {
      if (!isSeq(section)) continue;
      for (const item of section.items.slice(1)) if (isMap(item)) item.spaceBefore = true;
    }
    for (const { key } of document.contents.items.slice(1)) (key as { spaceBefore?: boolean }).spaceBefore = true;
  }
  return document.toString({ lineWidth: 0 });
}
