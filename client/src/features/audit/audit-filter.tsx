import { CalendarOutlined, DownOutlined } from '@ant-design/icons';
import { Checkbox } from 'antd';
import CheckboxGroup from 'antd/es/checkbox/Group';
import { type FormEvent, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type AuditGroup, auditGroups } from '../../../../src/contract/audit/type-groups.js';
import type { AuditList, AuditOutcome, AuditQuery } from '../../../../src/contract/audit.js';
import type { AuditLimits } from '../../api/audit.js';
import { useClientsQuery } from '../../api/clients/clients.js';
import { longDate } from '../../shared/i18n/dates.js';
import type { ListShape, ListState } from '../../shared/list/list-state.js';
import { type ChangeFilters, FilterGroup, type FilterMenuContent, useFilters } from '../../shared/list/list-tools.js';
import styles from './audit.module.css';

const exact = ['patient', 'tenant', 'address', 'correlationId'] as const;
type Filter =
  | (typeof exact)[number]
  | ('group' | 'outcome' | 'accountId' | 'clientId' | 'kind' | 'launch' | 'administrators' | 'period' | 'from' | 'to')
  | ('after' | 'before');
export type AuditListState = ListState<'at', Filter>;

const hour = 3_600_000;
const periods = { day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour, year: 365 * 24 * hour };
type Period = keyof typeof periods;
const periodNames = Object.keys(periods) as Period[];

/** A day as date fields write it. */
const day = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const cursor = /^\d{1,14}\.\d{1,18}$/;

export const auditList: ListShape<'at', Filter> = {
  sortColumns: ['at'],
  defaultSortDirection: 1,
  defaultPageSize: 25,
  filters: {
    group: auditGroups,
    outcome: ['success', 'failure'],
    accountId: uuid,
    clientId: null,
    patient: null,
    tenant: null,
    kind: /^[A-Za-z]{1,64}$/,
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
) as unknown as Record<Filter, string[]>;

/** A period ends now; it begins at a whole minute, so that the call stays the same for a while. */
export function limitsOf({ filters, searchTerm, sortDirection }: AuditListState): AuditLimits {
  const [period] = filters.period as Period[];
  const minute = 60_000;
  const begin = period && Math.floor((Date.now() - periods[period]) / minute) * minute;
  const at = (iso: string | undefined, days: number) => {
    if (!iso) return undefined;
    const [year = 0, month = 1, date = 1] = iso.split('-').map(Number);
    return new Date(year, month - 1, date + days).toISOString();
  };
  const from = begin ? new Date(begin).toISOString() : at(filters.from[0], 0);
  const to = begin ? undefined : at(filters.to[0], 1);
  const one = (name: Filter) => filters[name][0] && { [name]: filters[name][0] };
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
    ...(from && { from }),
    ...(to && { to }),
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

/** The three menus above the list, and a chip for each value. */
export function useAuditFilter(
  { filters }: AuditListState,
  list: AuditList | undefined,
  onChange: ChangeFilters<Filter>,
) {
  const { t } = useTranslation();
  const { set, chip } = useFilters(filters, onChange);
  const one = (filter: Filter, value: string, others: Partial<Record<Filter, string[]>> = {}) =>
    onChange(() => ({ ...others, [filter]: value === '' ? [] : [value] }));
  const count = (...names: Filter[]) => names.reduce((sum, name) => sum + filters[name].length, 0);
  const [period = ''] = filters.period;
  const text = (name: Filter, label: string, help?: string) => (
    <TextFilter
      key={name}
      label={label}
      help={help}
      value={filters[name][0] ?? ''}
      onChange={(value) => one(name, value)}
    />
  );

  const menus: FilterMenuContent[] = [
    {
      label: t('audit.what'),
      sign: <DownOutlined className={styles.arrow} aria-hidden />,
      count: count('group', 'outcome', 'kind'),
      fields: (
        <>
          <FilterGroup label={t('audit.what')}>
            <CheckboxGroup
              value={filters.group}
              onChange={(values) => set('group', values)}
              options={auditGroups.map((value) => ({ value, label: t(`audit.groups.${value}`) }))}
            />
          </FilterGroup>
          <FilterGroup label={t('audit.outcome')}>
            <Select
              label={t('audit.outcome')}
              value={filters.outcome[0] ?? ''}
              onChange={(value) => one('outcome', value)}
            >
              {(['any', 'success', 'failure'] as const).map((value) => (
                <option key={value} value={value === 'any' ? '' : value}>
                  {t(`audit.outcomes.${value}`)}
                </option>
              ))}
            </Select>
          </FilterGroup>
          {text('kind', t('audit.kind'), t('audit.kindHelp'))}
        </>
      ),
    },
    {
      label: t('audit.who'),
      sign: <DownOutlined className={styles.arrow} aria-hidden />,
      count: count('administrators', 'clientId', 'accountId', 'launch', ...exact),
      fields: (
        <>
          <Checkbox
            checked={filters.administrators.length > 0}
            onChange={({ target }) => one('administrators', target.checked ? 'true' : '')}
          >
            {t('audit.onlyAdministrators')}
          </Checkbox>
          <FilterGroup label={t('audit.client')}>
            <ClientChoice value={filters.clientId[0] ?? ''} onChange={(value) => one('clientId', value)} />
          </FilterGroup>
          {text('patient', t('audit.patientId'))}
          {text('tenant', t('audit.tenant'))}
          {text('address', t('audit.address'))}
          {text('correlationId', t('audit.correlationId'))}
          {text('launch', t('audit.reference'))}
        </>
      ),
    },
    {
      label: period === '' ? t('audit.period') : t(`audit.periods.${period as Period}`),
      icon: <CalendarOutlined aria-hidden />,
      count: count('from', 'to'),
      fields: (
        <FilterGroup label={t('audit.period')}>
          <Select
            label={t('audit.period')}
            value={period}
            onChange={(value) => one('period', value, { from: [], to: [] })}
          >
            {(['any', ...periodNames] as const).map((value) => (
              <option key={value} value={value === 'any' ? '' : value}>
                {t(`audit.periods.${value}`)}
              </option>
            ))}
          </Select>
          <div className={styles.days}>
            {(['from', 'to'] as const).map((end) => (
              <label key={end}>
                {t(`audit.${end}`)}
                <input
                  type="date"
                  className={styles.select}
                  key={filters[end][0] ?? ''}
                  defaultValue={filters[end][0] ?? ''}
                  onBlur={({ target }) => {
                    const isOther = target.value !== (filters[end][0] ?? '');
                    if (isOther && (target.value === '' || day.test(target.value)))
                      one(end, target.value, { period: [] });
                  }}
                />
              </label>
            ))}
          </div>
        </FilterGroup>
      ),
    },
  ];

  const named = (filter: Filter, name: string) =>
    filters[filter].slice(0, 1).map((value) => chip(filter, value, t('audit.chip', { name, value })));
  const dayText = (iso: string) => longDate(`${iso}T12:00:00`).date;
  const chips = [
    ...filters.group.map((value) => chip('group', value, t(`audit.groups.${value as AuditGroup}`))),
    ...filters.outcome.map((value) => chip('outcome', value, t(`audit.outcomes.${value as AuditOutcome}`))),
    ...named('kind', t('audit.kind')),
    ...filters.administrators.map((value) => chip('administrators', value, t('audit.administrators'))),
    ...filters.accountId.slice(0, 1).map((value) => chip('accountId', value, list?.personName ?? t('audit.onePerson'))),
    ...filters.clientId.map((value) => chip('clientId', value, list?.clientName || value)),
    ...named('patient', t('audit.patientId')),
    ...named('tenant', t('audit.tenant')),
    ...named('address', t('audit.address')),
    ...named('correlationId', t('audit.correlationId')),
    ...named('launch', t('audit.reference')),
    ...filters.period.map((value) => chip('period', value, t(`audit.periods.${value as Period}`))),
    ...filters.from.slice(0, 1).map((value) => chip('from', value, t('audit.fromChip', { date: dayText(value) }))),
    ...filters.to.slice(0, 1).map((value) => chip('to', value, t('audit.toChip', { date: dayText(value) }))),
  ];
  return { menus, chips };
}

function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
}) {
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {children}
    </select>
  );
}

/** Acts on Enter and when it is left. */
function TextFilter({
  label,
  help,
  value,
  onChange,
}: {
  label: string;
  help?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const apply = (text: string) => {
    if (text.trim() !== value) onChange(text.trim());
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(String(new FormData(event.currentTarget).get('value') ?? ''));
  };
  return (
    <form className={styles.text} onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name="value"
        className={styles.select}
        key={value}
        defaultValue={value}
        placeholder={help}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onBlur={({ target }) => apply(target.value)}
      />
    </form>
  );
}

/** The first hundred clients by name; others are found by the search. */
function ClientChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const { data } = useClientsQuery({ page: 1, pageSize: 100 });
  const clients = data?.clients ?? [];
  const known = clients.some(({ clientId }) => clientId === value);
  return (
    <Select label={t('audit.client')} value={value} onChange={onChange}>
      <option value="">{t('audit.anyClient')}</option>
      {value !== '' && !known && <option value={value}>{value}</option>}
      {clients.map(({ clientId, clientName }) => (
        <option key={clientId} value={clientId}>
          {clientName || clientId}
        </option>
      ))}
    </Select>
  );
}
