import CheckboxGroup from 'antd/es/checkbox/Group';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchesQuery, LaunchList, LaunchOutcome } from '../../../../src/contract/activity.js';
import { useClientsQuery } from '../../api/clients/clients.js';
import { longDate } from '../../shared/i18n/dates.js';
import { numeral } from '../../shared/i18n/language.js';
import { outcomeText } from '../../shared/launches/launch-facts.js';
import type { ListShape, ListState } from '../../shared/list/list-state.js';
import { type ChangeFilters, type FilterChip, FilterGroup, useFilters } from '../../shared/list/list-tools.js';
import styles from './activity.module.css';

type Filter = 'outcome' | 'clientId' | 'accountId' | 'cause' | 'period' | 'from' | 'to';
export type ActivityListState = ListState<'startedAt', Filter>;

const outcomes = ['completed', 'refused', 'failed', 'declined', 'left', 'open'] as const satisfies LaunchOutcome[];
/** The outcomes that the switch 'Only what did not succeed' shows. */
export const unsuccessful = ['refused', 'failed', 'declined'] as const satisfies LaunchOutcome[];

const minute = 60_000;
const periods = { hour: 60 * minute, day: 24 * 60 * minute, week: 7 * 24 * 60 * minute };
type Period = keyof typeof periods;
const periodNames = Object.keys(periods) as Period[];

/** A day as date fields write it. */
const day = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const activityList: ListShape<'startedAt', Filter> = {
  sortColumns: ['startedAt'],
  defaultSortDirection: 1,
  defaultPageSize: 10,
  filters: { outcome: outcomes, clientId: null, accountId: uuid, cause: null, period: periodNames, from: day, to: day },
};

/** The query of the call. A period ends now; it begins at a whole minute, so that the call stays the same for a while. */
export function launchesQueryOf({ filters, ...state }: ActivityListState): Partial<LaunchesQuery> {
  const { searchTerm, page, pageSize, sortDirection } = state;
  const [period] = filters.period as Period[];
  const begin = period && Math.floor((Date.now() - periods[period]) / minute) * minute;
  const at = (iso: string | undefined, days: number) => {
    if (!iso) return undefined;
    const [year = 0, month = 1, date = 1] = iso.split('-').map(Number);
    return new Date(year, month - 1, date + days).toISOString();
  };
  const from = begin ? new Date(begin).toISOString() : at(filters.from[0], 0);
  const to = begin ? undefined : at(filters.to[0], 1);
  return {
    searchTerm,
    page,
    pageSize,
    sortDirection,
    outcome: filters.outcome as LaunchOutcome[],
    ...(filters.clientId[0] && { clientId: filters.clientId[0] }),
    ...(filters.accountId[0] && { accountId: filters.accountId[0] }),
    ...(filters.cause[0] && { cause: filters.cause[0] }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/** The filter of the list: its fields, and a chip for each value, those of outcomes with their numbers. */
export function useActivityFilter(
  { filters }: ActivityListState,
  counts: LaunchList['counts'] | undefined,
  onChange: ChangeFilters<Filter>,
): { fields: ReactNode; chips: FilterChip[] } {
  const { t } = useTranslation();
  const { set, chip } = useFilters(filters, onChange);
  const one = (filter: Filter, value: string, others: Partial<Record<Filter, string[]>> = {}) =>
    onChange(() => ({ ...others, [filter]: value === '' ? [] : [value] }));
  const [period = ''] = filters.period;

  const fields = (
    <>
      <FilterGroup label={t('activity.outcome')}>
        <CheckboxGroup
          value={filters.outcome}
          onChange={(values) => set('outcome', values)}
          options={outcomes.map((value) => ({ value, label: outcomeText(value) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('activity.app')}>
        <AppChoice value={filters.clientId[0] ?? ''} onChange={(value) => one('clientId', value)} />
      </FilterGroup>
      <FilterGroup label={t('activity.period')}>
        <select
          className={styles.select}
          aria-label={t('activity.period')}
          value={period}
          onChange={({ target }) => one('period', target.value, { from: [], to: [] })}
        >
          {['', ...periodNames].map((value) => (
            <option key={value} value={value}>
              {t(`activity.periods.${(value || 'any') as Period | 'any'}`)}
            </option>
          ))}
        </select>
        <div className={styles.days}>
          {(['from', 'to'] as const).map((end) => (
            <DayField
              key={end}
              label={t(`activity.${end}`)}
              value={filters[end][0] ?? ''}
              onChange={(value) => one(end, value, { period: [] })}
            />
          ))}
        </div>
      </FilterGroup>
    </>
  );
  const dayText = (iso: string) => longDate(`${iso}T12:00:00`).date;
  const chips = [
    ...filters.outcome.map((value) => {
      const outcome = value as LaunchOutcome;
      const text = outcomeText(outcome);
      const number = counts && numeral(counts[outcome] ?? 0);
      const label = number === undefined ? text : t('activity.counted', { outcome: text, number });
      return chip('outcome', value, label, <span className={`${styles.dot} ${styles[outcome]}`} />);
    }),
    ...filters.clientId.map((value) => chip('clientId', value, value)),
    ...filters.accountId.map((value) => chip('accountId', value, t('activity.personChip'))),
    ...filters.cause.map((value) => chip('cause', value, t('activity.causeChip'))),
    ...filters.period.map((value) => chip('period', value, t(`activity.periods.${value as Period}`))),
    ...filters.from.slice(0, 1).map((value) => chip('from', value, t('activity.fromChip', { date: dayText(value) }))),
    ...filters.to.slice(0, 1).map((value) => chip('to', value, t('activity.toChip', { date: dayText(value) }))),
  ];
  return { fields, chips };
}

/** The first hundred clients by name; others are found by the search. */
function AppChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const { data } = useClientsQuery({ page: 1, pageSize: 100 });
  const clients = data?.clients ?? [];
  const known = clients.some(({ clientId }) => clientId === value);
  return (
    <select
      className={styles.select}
      aria-label={t('activity.app')}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{t('activity.anyApp')}</option>
      {value !== '' && !known && <option value={value}>{value}</option>}
      {clients.map(({ clientId, clientName }) => (
        <option key={clientId} value={clientId}>
          {clientName || clientId}
        </option>
      ))}
    </select>
  );
}

/** Its value has an effect once it is complete: a year that is being typed is none yet. */
function DayField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label>
      {label}
      <input
        type="date"
        className={styles.select}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (target.value === '' || day.test(target.value)) onChange(target.value);
        }}
      />
    </label>
  );
}
