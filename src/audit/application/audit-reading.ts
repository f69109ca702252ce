import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import { parseReference } from '../../contract/activity/reference.js';
import { countedEvents, typesOf } from '../../contract/audit/type-groups.js';
import type {
  AuditEventView,
  AuditExportQuery,
  AuditFilterQuery,
  AuditList,
  AuditQuery,
} from '../../contract/audit.js';
import type { ClientHistory } from '../../contract/clients/client-changes.js';
import { ClientListQuery } from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import { UserListQuery } from '../../contract/users/users.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { periodOf } from '../../platform/values/period.js';
import { UserManagement } from '../../users/application/user-management.js';
import {
  AuditRecord,
  type EventFilter,
  type EventPage,
  type RecordedEvent,
  type SearchedFor,
} from '../domain/audit-event.js';
import { exportLine, headOf } from '../domain/audit-lines.js';
import { AuditSeals } from '../domain/audit-seals.js';
import { auditRow, changesOf, launchReference, positionOf, shownDetail } from '../domain/audit-views.js';
import { clientChange, clientEvents } from '../domain/client-history.js';
import { typedFilters } from './filter-values.js';

/** Clients and accounts of a search whose events are looked for. */
const mostFound = 50;
/** As many as the edit form of a client needs; the audit page has all. */
const changesListed = 50;
/** Events of an export that are in memory at once. */
const pageLength = 1_000;

const noFilter = {
  outcome: 'success',
  accountId: undefined,
  clientId: undefined,
  patient: undefined,
  tenant: undefined,
  kind: undefined,
  addresses: undefined,
  correlationId: undefined,
  launch: undefined,
  administrators: false,
  from: undefined,
  to: undefined,
} as const;

/** The audit record, as administrators read it. Each reading is recorded: a search, an entry, an export. */
@Injectable()
export class AuditReading {
  constructor(
    private readonly record: AuditRecord,
    private readonly seals: AuditSeals,
    private readonly clients: ClientManagement,
    private readonly users: UserManagement,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {}

  async list(userId: string, query: AuditQuery): Promise<AuditList> {
    const filter = await this.filterOf(query);
    const { pageSize, after, before } = query;
    const isNewestFirst = query.sortDirection === 1;
    const isBackwards = after === undefined && before !== undefined;
    const place = after ?? before;
    const page = {
      newestFirst: isNewestFirst !== isBackwards,
      length: pageSize + 1,
      after: place === undefined ? undefined : positionOf(place),
    };
    const [found, totalCount, names] = await Promise.all([
      this.record.page(filter, page),
      this.record.count(filter, countedEvents),
      this.record.names(filter.accountId, filter.clientId),
    ]);
    const events = found.slice(0, pageSize).map(auditRow);
    const isMore = found.length > pageSize;
    await this.recordReading(userId, query);
    return {
      events: isBackwards ? events.reverse() : events,
      totalCount,
      hasPrevious: isBackwards ? isMore : after !== undefined,
      hasNext: isBackwards || isMore,
      personName: names.person ?? null,
      clientName: names.client ?? null,
    };
  }

  /**
   * The events of a search as a file, a page of events at a time. The first part is there when the promise resolves,
   * so that a search that cannot be answered is refused.
   */
  async export(userId: string, query: AuditExportQuery): Promise<AsyncIterable<string>> {
    const filter = await this.filterOf(query);
    const page: EventPage = { newestFirst: query.sortDirection === 1, length: pageLength, after: undefined };
    const first = await this.record.page(filter, page);
    await this.recordExport(userId, query);
    const { record } = this;
    const text = (events: RecordedEvent[]) => events.map((event) => exportLine(query.format, event)).join('');
    return (async function* () {
      yield headOf(query.format);
      for (let events = first; events.length > 0; ) {
        yield text(events);
        const last = events.at(-1);
        if (events.length < pageLength || !last) return;
        events = await record.page(filter, { ...page, after: last }).catch((err) => {
          log.error({ err }, 'export of the audit record failed');
          throw err;
        });
      }
    })();
  }

  async entry(userId: string, id: string): Promise<AuditEventView> {
    const event = isNumber(id) ? await this.record.findById(id) : undefined;
    if (!event) throw new Problem('not-found', message('audit-entry-gone', { id: id.slice(0, 30) }));
    await this.recordReading(userId, { entry: id });
    return {
      ...auditRow(event),
      address: event.address,
      correlationId: event.correlationId,
      launch: launchReference(event),
      changes: changesOf(event),
      detail: shownDetail(event),
      seal: await this.seals.check(event),
      checkedAt: new Date().toISOString(),
    };
  }

  /** The last changes of a client, each with its time and administrator. */
  async changesOfClient(id: string): Promise<ClientHistory> {
    const client = await this.clients.getClient(id);
    const events = await this.record.page(
      {
        ...noFilter,
        types: clientEvents,
        anyOf: { entry: undefined, launch: undefined, clientIds: [], objects: [client.id] },
      },
      { newestFirst: true, length: changesListed, after: undefined },
    );
    return { changes: events.filter(({ subject }) => subject === client.id).map(clientChange) };
  }

  /**
   * Each value may have any form in which a person copies it; throws `invalid` at the field of one that has none.
   */
  private async filterOf(query: AuditFilterQuery): Promise<EventFilter> {
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

  /** Pages of one search, and the same search again within minutes, are one reading. */
  private async recordReading(userId: string, what: object): Promise<void> {
    const detail = asRecorded(what);
    if (await this.record.wasReadBy(userId, detail)) return;
    await this.audit.record({ type: 'audit.read', outcome: 'success', userId, detail });
  }

  private async recordExport(userId: string, what: object): Promise<void> {
    await this.audit.record({ type: 'audit.exported', outcome: 'success', userId, detail: asRecorded(what) });
  }
}

/** Filters that limit nothing are left out, and so is what only concerns the page. */
function asRecorded(what: object): object {
  const shown = new Set(['page', 'pageSize', 'sortDirection', 'after', 'before']);
  const limits = Object.entries(what).filter(([name, value]) => {
    return !shown.has(name) && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(limits);
}

/** Any 64-bit integer has at most so many digits that are certain to fit. */
function isNumber(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
