import { CalendarOutlined, CloseOutlined, DownloadOutlined, DownOutlined } from '@ant-design/icons';
import { Dropdown } from 'antd';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccessLogSummary } from '../../../../src/contract/own-record/access-log.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { i18n, t } from '../../shared/i18n/i18n.js';
import { numeral } from '../../shared/i18n/language.js';
import { kindName } from '../../shared/scopes/scope-texts.js';
import { appName } from './access-words.js';
import styles from './log-filters.module.css';
import { isUsualPeriod, type LogFilter, type Period, periods, shownGroups } from './use-log-filter.js';
import '../../shared/list/words/en.js';

interface Chosen {
  key: string;
  label: string;
  remove: Partial<LogFilter>;
}

/** Groups, and what else can be chosen; what was chosen is removed by its chip. */
export function LogFilters({
  filter,
  summary,
  client,
  family,
  onChange,
  onClear,
  children,
}: {
  filter: LogFilter;
  summary: AccessLogSummary | undefined;
  /** The name of the app of the filter, once it is known. */
  client: string | null;
  /** Visits of users who act for the patient. */
  family: number;
  onChange: (changes: Partial<LogFilter>) => void;
  onClear: () => void;
  /** At the end of the row. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  // The focused element disappears then.
  const andFocus = (act: () => void) => () => {
    act();
    place.current?.focus();
  };
  const chosen = chosenIn(filter, client, summary);
  return (
    <search className={styles.tools} aria-label={t('accessLog.filters')}>
      <div className={styles.chips} ref={place} tabIndex={-1}>
        {chosen.length > 0 && (
          <ul className={styles.chosen} aria-label={t('list.activeFilters')}>
            {chosen.map(({ key, label, remove }) => (
              <li key={key}>
                <button
                  type="button"
                  className={`${styles.chip} ${styles.on}`}
                  aria-label={t('list.removeFilter', { filter: label })}
                  onClick={andFocus(() => onChange(remove))}
                >
                  <bdi className={styles.cut}>{label}</bdi>
                  <CloseOutlined aria-hidden />
                </button>
              </li>
            ))}
            <li>
              <button type="button" className={styles.clear} onClick={andFocus(onClear)}>
                {t('list.clearFilters')}
              </button>
            </li>
          </ul>
        )}
        <fieldset className={styles.groups}>
          <legend className="visually-hidden">{t('accessLog.filters')}</legend>
          {groupsOf(filter, family).map((show) => (
            <button
              key={show ?? 'all'}
              type="button"
              className={filter.show === show ? `${styles.chip} ${styles.on}` : styles.chip}
              aria-pressed={filter.show === show}
              onClick={() => onChange({ show })}
            >
              {show === 'family' && family > 0
                ? t('accessLog.familyCount', { number: numeral(family) })
                : t(`accessLog.shown.${show ?? 'all'}`)}
            </button>
          ))}
        </fieldset>
        <span className={styles.choices}>
          <WhoChoice filter={filter} summary={summary} onChange={onChange} />
          <KindChoice filter={filter} summary={summary} onChange={onChange} />
          {isUsualPeriod(filter) && <PeriodChoice period={filter.period} onChange={(period) => onChange({ period })} />}
        </span>
      </div>
      {children}
    </search>
  );
}

/** The group of those who act for the patient is there where some do. Of one's own accesses there are few groups. */
function groupsOf({ show, patient }: LogFilter, family: number): LogFilter['show'][] {
  if (patient) return [null, 'refused'];
  return [null, ...shownGroups.filter((one) => one !== 'family' || family > 0 || show === 'family')];
}

function chosenIn(
  { clientId, personId, kind, period, ...filter }: LogFilter,
  client: string | null,
  summary?: AccessLogSummary,
): Chosen[] {
  const person = () => summary?.people.find(({ id }) => id === personId)?.name ?? t('accessLog.gonePerson');
  return [
    ...(clientId ? [{ key: 'app', label: client ?? t('accessLog.app'), remove: { clientId: null } }] : []),
    ...(personId ? [{ key: 'person', label: person(), remove: { personId: null } }] : []),
    ...(kind ? [{ key: 'kind', label: kindName(kind), remove: { kind: null } }] : []),
    ...(isUsualPeriod({ ...filter, clientId, personId, kind, period })
      ? []
      : [{ key: 'period', label: periodText(period), remove: { period: 'month' as const } }]),
  ];
}

function WhoChoice({ filter, summary, onChange }: Choice) {
  const { t } = useTranslation();
  const { apps = [], people = [] } = summary ?? {};
  if (filter.clientId || filter.personId || apps.length + people.length < 2) return null;
  const groups = [
    { label: t('accessLog.apps'), name: 'clientId', all: apps },
    { label: t('accessLog.people'), name: 'personId', all: people },
  ] as const;
  return (
    <SelectChip
      label={t('accessLog.who')}
      onChange={(value) => {
        const [name = '', ...id] = value.split(' ');
        onChange({ [name]: id.join(' ') });
      }}
    >
      <option value="">{t('accessLog.anyone')}</option>
      {groups.map(
        ({ label, name, all }) =>
          all.length > 0 && (
            <optgroup key={name} label={label}>
              {all.map((one) => (
                <option key={one.id} value={`${name} ${one.id}`}>
                  {one.name ?? (name === 'clientId' ? appName(one) : t('accessLog.gonePerson'))}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </SelectChip>
  );
}

function KindChoice({ filter, summary, onChange }: Choice) {
  const { t } = useTranslation();
  const kinds = (summary?.kinds ?? []).map((kind) => ({ kind, name: kindName(kind) }));
  if (filter.kind || kinds.length < 2) return null;
  return (
    <SelectChip label={t('accessLog.kind')} onChange={(kind) => onChange({ kind })}>
      <option value="">{t('accessLog.anyKind')}</option>
      {kinds
        .sort((a, b) => a.name.localeCompare(b.name))
        .map(({ kind, name }) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
    </SelectChip>
  );
}

interface Choice {
  filter: LogFilter;
  summary: AccessLogSummary | undefined;
  onChange: (changes: Partial<LogFilter>) => void;
}

function PeriodChoice({ period, onChange }: { period: Period; onChange: (period: Period) => void }) {
  const { t } = useTranslation();
  return (
    <SelectChip
      label={t('accessLog.period')}
      icon={<CalendarOutlined aria-hidden />}
      value={period}
      onChange={(value) => onChange(value as Period)}
    >
      {periods.map((one) => (
        <option key={one} value={one}>
          {periodText(one)}
        </option>
      ))}
    </SelectChip>
  );
}

/** The browser's own list, which phones show well. */
function SelectChip({
  label,
  icon,
  value = '',
  onChange,
  children,
}: {
  label: string;
  icon?: ReactNode;
  value?: string;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  return (
    <span className={`${styles.chip} ${styles.select}`}>
      {icon}
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => target.value !== value && onChange(target.value)}
      >
        {children}
      </select>
      <DownOutlined aria-hidden />
    </span>
  );
}

export function Download({ call, onPrint }: { call: object; onPrint: () => void }) {
  const { t } = useTranslation();
  const save = (format: 'csv' | 'fhir') => {
    const link = document.createElement('a');
    const query = new URLSearchParams({ ...(call as Record<string, string>), format, ui_locales: i18n.language });
    link.href = portalPath(`/api/user/access-log/export?${query}`);
    link.download = '';
    link.click();
  };
  const items = [
    { key: 'csv', label: t('accessLog.downloadCsv'), onClick: () => save('csv') },
    { key: 'print', label: t('accessLog.print'), onClick: onPrint },
    { key: 'fhir', label: t('accessLog.downloadFhir'), onClick: () => save('fhir') },
  ];
  return (
    <Dropdown menu={{ items }} trigger={['click']} placement="bottomRight" autoFocus>
      <button type="button" className={`${styles.chip} ${styles.download}`} aria-haspopup="menu">
        <DownloadOutlined aria-hidden />
        {t('accessLog.download')}
      </button>
    </Dropdown>
  );
}

function periodText(period: Period): string {
  return t(`accessLog.periods.${period}`);
}
