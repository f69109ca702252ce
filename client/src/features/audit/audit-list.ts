import { type AuditGroup, auditGroups } from '../../../../src/contract/audit/type-groups.js';
import type { AuditOutcome, AuditQuery } from '../../../../src/contract/audit.js';
import type { AuditLimits } from '../../api/audit.js';
import { day, limitsOfPeriod } from '../../shared/list/filters/filter-values.js';
import type { ListShape, ListState } from '../../shared/list/list-state.js';

/** The filters by a text that the user types whole. */
export const exact = ['patient', 'tenant', 'address', 'correlationId'] as const;
export type AuditFilter =
  | (typeof exact)[number]
  | ('group' | 'outcome' | 'accountId' | 'clientId' | 'kind' | 'launch' | 'administrators' | 'period' | 'from' | 'to')
  | ('after' | 'before');
export type AuditListState = ListState<'at', AuditFilter>;

const hour = 3_600_000;
const periods = { day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour, year: 365 * 24 * hour };
export type Period = keyof typeof periods;
export const periodNames = Object.keys(periods) as Period[];

const cursor = /^\d{1,14}\.\d{1,18}$/;

export const auditList: ListShape<'at', AuditFilter> = {
  sortColumns: ['at'],
  defaultSortDirection: 1,
  defaultPageSize: 25,
  filters: {
    group: auditGroups,
    outcome: ['success', 'failure'],
    accountId: null,
    clientId: null,
    patient: null,
    tenant: null,
    kind: null,
    address: null,
    correlationId: null,
    launch: null,
    administrators: ['true'],
    period: periodNames,
    from: day,
    to: day,
    after: cursor,
    before: cursor,
  },
};

export const noFilters = Object.fromEntries(
  Object.keys(auditList.filters).map((name) => [name, []]),
) as unknown as Record<AuditFilter, string[]>;

export function limitsOf({ filters, searchTerm, sortDirection }: AuditListState): AuditLimits {
  const one = (name: AuditFilter) => filters[name][0] && { [name]: filters[name][0] };
  return {
    searchTerm,
    sortDirection,
    group: filters.group as AuditGroup[],
    ...(filters.outcome.length === 1 && { outcome: filters.outcome[0] as AuditOutcome }),
    ...one('accountId'),
    ...one('clientId'),
    ...one('kind'),
    ...one('launch'),
    ...one('administrators'),
    ...exact.reduce((all, name) => Object.assign(all, one(name)), {}),
    ...limitsOfPeriod(filters, periods),
  };
}

export function auditQueryOf(state: AuditListState): Partial<AuditQuery> {
  const { after, before } = state.filters;
  return {
    ...limitsOf(state),
    pageSize: state.pageSize,
    ...(after[0] && { after: after[0] }),
    ...(!after[0] && before[0] && { before: before[0] }),
  };
}
