import CheckboxGroup from 'antd/es/checkbox/Group';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchesQuery, LaunchList, LaunchOutcome } from '../../../../src/contract/activity.js';
import { useClientOptions } from '../../api/clients/client-options.js';
import { numeral } from '../../shared/i18n/language.js';
import { outcomeText } from '../../shared/launches/launch-facts.js';
import { FilterSelect, PeriodFilter } from '../../shared/list/filters/filter-fields.js';
import { day, dayText, limitsOfPeriod } from '../../shared/list/filters/filter-values.js';
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

export const activityList: ListShape<'startedAt', Filter> = {
  sortColumns: ['startedAt'],
  defaultSortDirection: 1,
  defaultPageSize: 10,
  filters: { outcome: outcomes, clientId: null, accountId: null, cause: null, period: periodNames, from: day, to: day },
};

export function launchesQueryOf({ filters, ...state }: ActivityListState): Partial<LaunchesQuery> {
  const { searchTerm, page, pageSize, sortDirection } = state;
  return {
    searchTerm,
    page,
    pageSize,
    sortDirection,
    outcome: filters.outcome as LaunchOutcome[],
    ...(filters.clientId[0] && { clientId: filters.clientId[0] }),
    ...(filters.accountId[0] && { accountId: filters.accountId[0] }),
    ...(filters.cause[0] && { cause: filters.cause[0] }),
    ...limitsOfPeriod(filters, periods),
  };
}

/** The filter of the list: its fields, and a chip for each value, those of outcomes with their numbers. */
export function useActivityFilter(
  { filters }: ActivityListState,
  counts: LaunchList['counts'] | undefined,
  onChange: ChangeFilters<Filter>,
): { fields: ReactNode; chips: FilterChip[] } {
  const { t } = useTranslation();
  const { set, setOne, chip } = useFilters(filters, onChange);

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
        <AppChoice value={filters.clientId[0] ?? ''} onChange={(value) => setOne('clientId', value)} />
      </FilterGroup>
      <PeriodFilter
        label={t('activity.period')}
        options={(['any', ...periodNames] as const).map((value) => ({
          value: value === 'any' ? '' : value,
          label: t(`activity.periods.${value}`),
        }))}
        from={t('activity.from')}
        to={t('activity.to')}
        filters={filters}
        onChange={(change) => onChange(() => change)}
      />
    </>
  );
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

function AppChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const options = useClientOptions(value);
  return (
    <FilterSelect
      label={t('activity.app')}
      value={value}
      options={[{ value: '', label: t('activity.anyApp') }, ...options]}
      onChange={onChange}
    />
  );
}
