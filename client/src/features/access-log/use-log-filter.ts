import type { AccessLogFilter } from '../../../../src/contract/own-record/access-log.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';

const daysOf = { week: 7, month: 30, quarter: 90, year: 365, all: null };
export type Period = keyof typeof daysOf;
export const periods = Object.keys(daysOf) as Period[];
const usualPeriod: Period = 'month';

export const shownGroups = ['family', 'apps', 'staff', 'refused'] as const;

/** The filter of the log, in the address of the page. */
export interface LogFilter {
  show: (typeof shownGroups)[number] | null;
  clientId: string | null;
  personId: string | null;
  kind: string | null;
  /** `Patient/{id}` for whom the user acts: the user's own accesses to that record. */
  patient: string | null;
  /** Id of the tenant of that patient. */
  tenant: string | null;
  period: Period;
}

const usual: LogFilter = {
  ...{ show: null, clientId: null, personId: null, kind: null, patient: null, tenant: null },
  period: usualPeriod,
};

/** The address is user input: invalid values are left out, or the server would refuse the whole list. */
function parse(query: URLSearchParams): LogFilter {
  const text = (name: string, longest: number) => {
    const value = query.get(name) ?? '';
    return value !== '' && value.length <= longest && /^[^\p{Cc}\p{Surrogate}]*$/u.test(value) ? value : null;
  };
  const kind = text('kind', 127);
  return {
    show: shownGroups.find((one) => one === query.get('show')) ?? null,
    clientId: text('clientId', 200),
    personId: text('personId', 100),
    kind: kind && /^(?:\*|[A-Z][A-Za-z]{0,63}(?:\/[a-z-]{1,63})?)$/.test(kind) ? kind : null,
    patient: text('patient', 80),
    tenant: text('tenant', 64),
    period: periods.find((one) => one === query.get('period')) ?? usualPeriod,
  };
}

export function useLogFilter() {
  const { query, change: changeQuery } = usePageQuery();
  const change = (changes: Partial<LogFilter>) =>
    changeQuery((current) => {
      const written = new URLSearchParams(current);
      for (const [name, value] of Object.entries({ ...parse(current), ...changes })) {
        if (value === null || value === usual[name as keyof LogFilter]) written.delete(name);
        else written.set(name, value);
      }
      return written;
    });
  const filter = parse(query);
  const { patient, tenant } = filter;
  return { filter, change, clear: () => change({ ...usual, patient, tenant }) };
}

/** The filter as the server takes it. A period begins at a midnight, so that the call stays the same all day. */
export function callOf({ show, clientId, personId, kind, patient, tenant, period }: LogFilter): AccessLogFilter {
  const days = daysOf[period];
  const now = new Date();
  const from = days === null ? null : new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1);
  return {
    ...(show && { show }),
    ...(clientId && { clientId }),
    ...(personId && { personId }),
    ...(kind && { kind }),
    ...(patient && { patient }),
    ...(patient && tenant && { tenant }),
    ...(from && { from: from.toISOString() }),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
  };
}

/** True if more is chosen than a group: what is chosen is shown as chips to remove. */
export function isNarrowed({ clientId, personId, kind, period }: LogFilter): boolean {
  return clientId !== null || personId !== null || kind !== null || period !== usualPeriod;
}

export function isUsualPeriod({ period }: LogFilter): boolean {
  return period === usualPeriod;
}
