import { CalendarOutlined, DownOutlined } from '@ant-design/icons';
import { Checkbox } from 'antd';
import CheckboxGroup from 'antd/es/checkbox/Group';
import { useTranslation } from 'react-i18next';
import { type AuditGroup, auditGroups } from '../../../../src/contract/audit/type-groups.js';
import type { AuditList, AuditOutcome } from '../../../../src/contract/audit.js';
import { useClientOptions } from '../../api/clients/client-options.js';
import { FilterSelect, PeriodFilter, TextFilter } from '../../shared/list/filters/filter-fields.js';
import { dayText } from '../../shared/list/filters/filter-values.js';
import { type ChangeFilters, FilterGroup, type FilterMenuContent, useFilters } from '../../shared/list/list-tools.js';
import styles from './audit.module.css';
import { type AuditFilter, type AuditListState, exact, type Period, periodNames } from './audit-list.js';

/** Why the server has refused the value of a filter. */
export type FilterProblems = Partial<Record<AuditFilter, string[]>>;

interface FieldsProps {
  filters: AuditListState['filters'];
  set: (filter: AuditFilter, values: string[]) => void;
  setOne: (filter: AuditFilter, value: string) => void;
  problems: FilterProblems;
}

/** The filters of which each value has its chip; the others have one value. */
const several: readonly AuditFilter[] = ['group', 'outcome'];

/** The three menus above the list, and a chip for each value. */
export function useAuditFilter(
  { filters }: AuditListState,
  list: AuditList | undefined,
  problems: FilterProblems,
  onChange: ChangeFilters<AuditFilter>,
) {
  const { t } = useTranslation();
  const { set, setOne, chip } = useFilters(filters, onChange);
  const count = (...names: AuditFilter[]) => names.reduce((sum, name) => sum + filters[name].length, 0);
  const fields = { filters, set, setOne, problems };
  const sign = <DownOutlined className={styles.arrow} aria-hidden />;
  const [period] = filters.period as Period[];

  const menus: FilterMenuContent[] = [
    { label: t('audit.what'), sign, count: count('group', 'outcome', 'kind'), fields: <WhatFields {...fields} /> },
    {
      label: t('audit.who'),
      sign,
      count: count('administrators', 'clientId', 'accountId', 'launch', ...exact),
      fields: <WhoFields {...fields} />,
    },
    {
      label: period === undefined ? t('audit.period') : t(`audit.periods.${period}`),
      icon: <CalendarOutlined aria-hidden />,
      count: count('from', 'to'),
      fields: (
        <PeriodFilter
          label={t('audit.period')}
          options={(['any', ...periodNames] as const).map((value) => ({
            value: value === 'any' ? '' : value,
            label: t(`audit.periods.${value}`),
          }))}
          from={t('audit.from')}
          to={t('audit.to')}
          filters={filters}
          onChange={(change) => onChange(() => change)}
        />
      ),
    },
  ];

  const named = (name: string) => (value: string) => t('audit.chip', { name, value });
  /** The text of a value, in the order of the chips. */
  const texts: Partial<Record<AuditFilter, (value: string) => string>> = {
    group: (value) => t(`audit.groups.${value as AuditGroup}`),
    outcome: (value) => t(`audit.outcomes.${value as AuditOutcome}`),
    kind: named(t('audit.kind')),
    administrators: () => t('audit.administrators'),
    accountId: (value) => list?.personName ?? (problems.accountId ? value : t('audit.onePerson')),
    clientId: (value) => list?.clientName || value,
    patient: named(t('audit.patientId')),
    tenant: named(t('audit.tenant')),
    address: named(t('audit.address')),
    correlationId: named(t('audit.correlationId')),
    launch: named(t('audit.reference')),
    period: (value) => t(`audit.periods.${value as Period}`),
    from: (value) => t('audit.fromChip', { date: dayText(value) }),
    to: (value) => t('audit.toChip', { date: dayText(value) }),
  };
  const chips = (Object.keys(texts) as AuditFilter[]).flatMap((filter) => {
    const values = several.includes(filter) ? filters[filter] : filters[filter].slice(0, 1);
    return values.map((value) => chip(filter, value, texts[filter]?.(value) ?? value));
  });
  return { menus, chips };
}

function WhatFields({ filters, set, setOne, problems }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <FilterGroup label={t('audit.what')}>
        <CheckboxGroup
          value={filters.group}
          onChange={(values) => set('group', values)}
          options={auditGroups.map((value) => ({ value, label: t(`audit.groups.${value}`) }))}
        />
      </FilterGroup>
      <FilterGroup label={t('audit.outcome')}>
        <FilterSelect
          label={t('audit.outcome')}
          value={filters.outcome[0] ?? ''}
          options={(['any', 'success', 'failure'] as const).map((value) => ({
            value: value === 'any' ? '' : value,
            label: t(`audit.outcomes.${value}`),
          }))}
          onChange={(value) => setOne('outcome', value)}
        />
      </FilterGroup>
      <TextFilter
        label={t('audit.kind')}
        help={t('audit.kindHelp')}
        value={filters.kind[0] ?? ''}
        problem={problems.kind?.join(' ')}
        onChange={(value) => setOne('kind', value)}
      />
    </>
  );
}

function WhoFields({ filters, setOne, problems }: FieldsProps) {
  const { t } = useTranslation();
  const texts = [
    ['patient', t('audit.patientId'), t('audit.patientHelp')],
    ['tenant', t('audit.tenant'), undefined],
    ['address', t('audit.address'), undefined],
    ['correlationId', t('audit.correlationId'), undefined],
    ['launch', t('audit.reference'), undefined],
  ] as const;
  return (
    <>
      <Checkbox
        checked={filters.administrators.length > 0}
        onChange={({ target }) => setOne('administrators', target.checked ? 'true' : '')}
      >
        {t('audit.onlyAdministrators')}
      </Checkbox>
      <FilterGroup label={t('audit.client')}>
        <ClientChoice value={filters.clientId[0] ?? ''} onChange={(value) => setOne('clientId', value)} />
      </FilterGroup>
      {texts.map(([filter, label, help]) => (
        <TextFilter
          key={filter}
          label={label}
          {...(help && { help })}
          value={filters[filter][0] ?? ''}
          problem={problems[filter]?.join(' ')}
          onChange={(value) => setOne(filter, value)}
        />
      ))}
    </>
  );
}

function ClientChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const options = useClientOptions(value);
  return (
    <FilterSelect
      label={t('audit.client')}
      value={value}
      options={[{ value: '', label: t('audit.anyClient') }, ...options]}
      onChange={onChange}
    />
  );
}
