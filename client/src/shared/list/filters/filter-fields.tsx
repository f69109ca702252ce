import { ExclamationCircleFilled } from '@ant-design/icons';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { type Filters, maxFilterText } from '../list-state.js';
import { FilterGroup } from '../list-tools.js';
import styles from './filter-fields.module.css';
import { day, type PeriodFilters } from './filter-values.js';

interface FilterOption {
  value: string;
  label: string;
}

/** The browser's own list, which phones show well. */
export function FilterSelect({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly FilterOption[];
  onChange: (value: string) => void;
}) {
  return (
    <select className={styles.field} aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** A period that ends now, or a first and a last day; each takes the place of the other. */
export function PeriodFilter({
  label,
  options,
  from,
  to,
  filters,
  onChange,
}: {
  label: string;
  options: readonly FilterOption[];
  /** The labels of the days. */
  from: string;
  to: string;
  filters: Filters<PeriodFilters>;
  onChange: (change: Partial<Filters<PeriodFilters>>) => void;
}) {
  const valuesOf = (value: string) => (value === '' ? [] : [value]);
  return (
    <FilterGroup label={label}>
      <FilterSelect
        label={label}
        value={filters.period[0] ?? ''}
        options={options}
        onChange={(value) => onChange({ period: valuesOf(value), from: [], to: [] })}
      />
      <div className={styles.days}>
        <DayField
          label={from}
          value={filters.from[0] ?? ''}
          onChange={(value) => onChange({ period: [], from: valuesOf(value) })}
        />
        <DayField
          label={to}
          value={filters.to[0] ?? ''}
          onChange={(value) => onChange({ period: [], to: valuesOf(value) })}
        />
      </div>
    </FilterGroup>
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
        className={styles.field}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (target.value === '' || day.test(target.value)) onChange(target.value);
        }}
      />
    </label>
  );
}

/** Acts on Enter and when it is left. */
export function TextFilter({
  label,
  help,
  value,
  problem,
  onChange,
}: {
  label: string;
  help?: string;
  value: string;
  /** Why the server has refused the value. */
  problem?: string | undefined;
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
        className={styles.field}
        key={value}
        defaultValue={value}
        placeholder={help}
        maxLength={maxFilterText}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        autoComplete="off"
        spellCheck={false}
        onBlur={({ target }) => apply(target.value)}
      />
      <p id={`${id}-problem`} className={styles.problem} role="alert">
        {problem && (
          <>
            <ExclamationCircleFilled aria-hidden /> {problem}
          </>
        )}
      </p>
    </form>
  );
}
