import { CloseOutlined, FilterOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../i18n/language.js';
import type { Filters } from './list-state.js';
import styles from './list-tools.module.css';
import { SearchField } from './search-field.js';
import './words/en.js';

export interface FilterChip {
  key: string;
  label: string;
  /** Before the label. */
  mark?: ReactNode;
  onRemove: () => void;
}

/** One popover with filters, and how many of them are set. */
export interface FilterMenuContent {
  label: string;
  icon?: ReactNode;
  /** After the label instead. */
  sign?: ReactNode;
  count: number;
  fields: ReactNode;
}

/** Makes other filters of the current ones; those that are not named stay. */
export type ChangeFilters<Filter extends string> = (
  change: (current: Filters<Filter>) => Partial<Filters<Filter>>,
) => void;

/** Sets filters, and removes them by their chips. */
export function useFilters<Filter extends string>(filters: Filters<Filter>, onChange: ChangeFilters<Filter>) {
  const set = (filter: Filter, values: string[]) => {
    const [before, after] = [filters[filter], new Set(values)];
    const added = values.filter((value) => !before.includes(value));
    const removed = before.filter((value) => !after.has(value));
    onChange((current) => {
      const others = current[filter].filter((value) => !removed.includes(value) && !added.includes(value));
      return { [filter]: [...others, ...added] } as Partial<Filters<Filter>>;
    });
  };
  /** Sets a filter that has one value, or none where it is empty. */
  const setOne = (filter: Filter, value: string) =>
    onChange(() => ({ [filter]: value === '' ? [] : [value] }) as Partial<Filters<Filter>>);
  const chip = (filter: Filter, value: string, label: string, mark?: ReactNode): FilterChip => ({
    key: `${filter} ${value}`,
    label,
    mark,
    onRemove: () =>
      set(
        filter,
        filters[filter].filter((one) => one !== value),
      ),
  });
  return { set, setOne, chip };
}

/** Above a list: the search, the filters behind their button, and a chip for each filter that is set. */
export function ListTools({
  search,
  onSearch,
  placeholder,
  filters,
  menus,
  chips,
  onClear,
  children,
}: {
  search: string;
  onSearch: (term: string) => void;
  placeholder: string;
  /** The fields in the popover; they act at once. */
  filters?: ReactNode;
  /** Several popovers instead of one. */
  menus?: FilterMenuContent[];
  chips: FilterChip[];
  onClear: () => void;
  /** At the end of the row. */
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);
  // The focused element disappears then.
  const andFocus = (act: () => void) => () => {
    act();
    button.current?.focus();
  };
  return (
    <div className={styles.tools}>
      <search className={menus ? `${styles.row} ${styles.several}` : styles.row}>
        <SearchField value={search} onSearch={onSearch} placeholder={placeholder} />
        {(menus ?? [{ label: t('list.filter'), count: chips.length, fields: filters }]).map((menu, index) => (
          <FilterMenu key={menu.label} {...menu} {...(index === 0 && { button })} />
        ))}
        {children}
      </search>
      {chips.length > 0 && (
        <ul className={styles.chips} aria-label={t('list.activeFilters')}>
          {chips.map(({ key, label, mark, onRemove }) => (
            <li key={key} className={styles.chip}>
              {mark && <span className={styles.mark}>{mark}</span>}
              {label}
              <button type="button" aria-label={t('list.removeFilter', { filter: label })} onClick={andFocus(onRemove)}>
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
    </div>
  );
}

/** A button that shows how many filters are set, and what it opens: not modal, and closed by leaving it. */
export function FilterMenu({
  button: given,
  label,
  sign,
  icon = sign === undefined && <FilterOutlined aria-hidden />,
  count,
  fields,
}: FilterMenuContent & { button?: RefObject<HTMLButtonElement | null> }) {
  const { t } = useTranslation();
  const own = useRef<HTMLButtonElement>(null);
  const button = given ?? own;
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    panel.current?.querySelector<HTMLElement>('input, select, button')?.focus();
    const outside = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: listens to what bubbles up from the controls in it
    <div
      ref={place}
      className={styles.menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        // The list has a meaning for it, too.
        event.preventDefault();
        close();
      }}
    >
      <Button
        ref={button}
        icon={icon}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {label}
        {count > 0 && (
          <span className={styles.count}>
            <span aria-hidden>{count}</span>
            <span className="visually-hidden"> {t('list.filtersSetOf', { number: numeral(count) })}</span>
          </span>
        )}
        {sign}
      </Button>
      {open && (
        <div ref={panel} id={id} className={styles.panel} role="dialog" aria-label={label}>
          {fields}
          <div className={styles.done}>
            <Button size="small" onClick={close}>
              {t('common.close')}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/** One question in the filter popover. */
export function FilterGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}
