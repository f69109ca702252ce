import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import { parseReference } from '../../contract/activity/reference.js';
import { typesOf } from '../../contract/audit/type-groups.js';
import type { AuditFilterQuery } from '../../contract/audit.js';
import { ClientListQuery } from '../../contract/clients/clients.js';
import { UserListQuery } from '../../contract/users/users.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { periodOf } from '../../platform/values/period.js';
import { UserManagement } from '../../users/application/user-management.js';
import { AuditRecord, type EventFilter, type SearchedFor } from '../domain/audit-event.js';
import { typedFilters } from './filter-values.js';

/** Clients and accounts of a search whose events are looked for. */
const mostFound = 50;

/** Resolves the words and filters of an administrator to a filter of events. */
@Injectable()
export class AuditSearches {
  constructor(
    private readonly record: AuditRecord,
    private readonly clients: ClientManagement,
    private readonly users: UserManagement,
    private readonly config: Config,
  ) {}

  /**
   * Each value may have any form in which a person copies it; throws `invalid` at the field of one that has none.
   */
  async filterOf(query: AuditFilterQuery): Promise<EventFilter> {
    const { group, outcome, accountId, clientId } = query;
    const { from, to } = periodOf(query.from, query.to);
    return {
      types: group.length === 0 ? undefined : typesOf(group),
      outcome,
      accountId: accountId && (await this.users.accountIdNamed(accountId)),
      clientId: clientId && (await this.clients.clientIdNamed(clientId)),
      ...typedFilters(query, fhirBasesOf(this.config)),
      administrators: query.administrators === 'true',
      from,
      to,
      anyOf: await this.searchedFor(query.searchTerm.trim()),
    };
  }

  /** A number of an entry, a reference, and names and ids of accounts and clients, also of those that are deleted. */
  private async searchedFor(searchTerm: string): Promise<SearchedFor | undefined> {
    if (searchTerm === '') return undefined;
    const [clients, users, administrators] = await Promise.all([
      this.clients.listClients(Object.assign(new ClientListQuery(), { searchTerm, pageSize: mostFound })),
      this.users.listUsers(
        Object.assign(new UserListQuery(), { searchTerm, pageSize: mostFound, notIncludeClaims: 'true' }),
      ),
      this.record.administratorsNamed(searchTerm, mostFound),
    ]);
    const digits = /^#?\s*(\d[\d\s.,'’]*)$/.exec(searchTerm)?.[1]?.replace(/\D/g, '');
    return {
      entry: digits !== undefined && digits.length <= 18 ? digits : undefined,
      launch: parseReference(searchTerm),
      clientIds: [...new Set([...clients.clients.map(({ clientId }) => clientId), searchTerm])],
      objects: [
        ...new Set([
          ...users.users.map(({ id }) => id),
          ...administrators,
          ...clients.clients.map(({ id }) => id),
          searchTerm,
        ]),
      ],
    };
  }
}
