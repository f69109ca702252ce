import './bulk/words/en.js';
import { CaretDownFilled, CaretUpFilled, RightOutlined } from '@ant-design/icons';
import { Checkbox } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useMedia } from '../browser/use-media.js';
import cardStyles from '../ui/layout/card.module.css';
import { Skeleton } from '../ui/placeholders/skeleton.js';
import { Name } from '../ui/text/name.js';
import type { Selection } from './bulk/selection.js';
import type { ListState } from './list-state.js';
import styles from './list-table.module.css';
import { Pagination } from './paging/pagination.js';
import './words/en.js';

export interface ListColumn<Row, Column extends string> {
  title: string;
  /** Its share of the table's width in percent, so that nothing moves when the rows come. */
  width: number;
  render: (row: Row) => ReactNode;
  /** The column to sort by when the header is pressed. */
  sort?: Column;
  /** Position on a phone: under the name, also in a tight table, or at the right; hidden by default. */
  narrow?: 'below' | 'right';
  /** It stands before the name. */
  leads?: boolean;
  /** Shown only if it is chosen. */
  extra?: boolean;
}

interface ListTableProps<Row, Column extends string> {
  label: string;
  /** Undefined while a skeleton stands in for them. */
  rows: Row[] | undefined;
  /** Undefined until it is known. */
  total: number | undefined;
  /** The rows are the first of more than `total`. */
  more?: boolean;
  idOf: (row: Row) => string;
  /** The column that opens the row: what is in it, or a page of its own. */
  name: {
    title: string;
    sort?: Column;
    of: (row: Row) => string;
    /** The line below it, in a table. */
    below?: (row: Row) => ReactNode;
    to?: (row: Row) => string;
  };
  columns: ListColumn<Row, Column>[];
  /** True if only some columns fit, as in a window of less than 1100 pixels. */
  tight?: boolean;
  state: Pick<ListState<Column, never>, 'page' | 'pageSize' | 'sortColumn' | 'sortDirection'>;
  onChange: (
    change: Partial<Pick<ListState<Column, never>, 'page' | 'pageSize' | 'sortColumn' | 'sortDirection'>>,
  ) => void;
  selected?: string | null;
  /** Rows can be chosen by a checkbox. */
  selection?: Selection<Row> | undefined;
  /** The keys of a list open rows; with a selection they always do. */
  hasKeys?: boolean;
  /** Instead of numbered pages. */
  pager?: ReactNode;
  onOpen?: (row: Row) => void;
}

/** A list in its card: a table that can be sorted, one line a row on a phone, and its pages below. */
export function ListTable<Row, Column extends string>(props: ListTableProps<Row, Column>) {
  const { total, more, state, onChange } = props;
  const narrow = useMedia('(max-width: 767.98px)');
  const tight = useMedia('(max-width: 1099.98px)') || props.tight === true;
  return (
    <div className={cardStyles.card}>
      {narrow ? <Lines {...props} /> : <Table {...props} tight={tight} />}
      {props.pager ?? (
        <Pagination
          page={state.page}
          pageSize={state.pageSize}
          total={total}
          more={more}
          onPage={(page) => onChange({ page })}
          onPageSize={(pageSize) => onChange({ pageSize })}
        />
      )}
    </div>
  );
}

/** The share of all columns but the name, in percent. */
const mostTaken = 80;

function Table<Row, Column extends string>(props: ListTableProps<Row, Column>) {
  const { label, rows, idOf, name, tight = false, state, selection } = props;
  const { t } = useTranslation();
  const isBelow = ({ narrow, leads }: ListColumn<Row, Column>) => tight && narrow === 'below' && !leads;
  const columns = props.columns.filter((column) => !isBelow(column));
  const below = props.columns.filter(isBelow);
  // The rest of the width goes to the name and to the others in equal parts.
  const left = below.reduce((sum, { width }) => sum + width, 0) / 2;
  const taken = columns.reduce((sum, { width }) => sum + width, 0);
  // However many columns are chosen, the name keeps a fifth.
  const grown = Math.min(1 + left / taken, mostTaken / taken);
  const leading = columns.filter(({ leads }) => leads);
  const following = columns.filter(({ leads }) => !leads);
  const all = [...leading, name, ...following];
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label} aria-busy={!rows}>
        <colgroup>
          {selection && <col className={styles.choose} />}
          {all.map((column) => (
            <col key={column.title} style={'width' in column ? { width: `${column.width * grown}%` } : undefined} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <SelectPage selection={selection} disabled={!rows || rows.length === 0} />
              </th>
            )}
            {all.map((column) => (
              <Head key={column.title} {...props} title={column.title} sort={column.sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <tr key={idOf(row)} {...rowProps(props, row)}>
              {selection && (
                <td>
                  <SelectRow {...props} selection={selection} row={row} />
                </td>
              )}
              {leading.map((column) => (
                <td key={column.title}>{column.render(row)}</td>
              ))}
              <td>
                <Opener {...props} row={row} />
                {name.below && <div className={styles.below}>{name.below(row)}</div>}
                {below.map(({ title, render }) => (
                  <div key={title} className={styles.below}>
                    {render(row)}
                  </div>
                ))}
              </td>
              {following.map((column) => (
                <td key={column.title}>{column.render(row)}</td>
              ))}
            </tr>
          )) ??
            Array.from({ length: state.pageSize }, (_, index) => index).map((index) => (
              <tr key={index}>
                {selection && <td />}
                {all.map(({ title }) => (
                  <td key={title}>
                    {index === 0 && title === name.title && (
                      <span className="visually-hidden">{t('common.loading')}</span>
                    )}
                    <Skeleton width={title === name.title ? `${45 + ((index * 17) % 30)}%` : 96} height={12} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row can be focused by the keys of the list, not by Tab: the controls in it can. */
function rowProps<Row, Column extends string>(
  { idOf, selected, selection, hasKeys }: ListTableProps<Row, Column>,
  row: Row,
  className?: string,
) {
  const id = idOf(row);
  const chosen = id === selected || selection?.has(id);
  return {
    className: [className, chosen && styles.selected].filter(Boolean).join(' ') || undefined,
    ...((selection || hasKeys) && { 'data-row': id, tabIndex: -1 }),
  };
}

function SelectPage<Row>({ selection, disabled }: { selection: Selection<Row>; disabled: boolean }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is within
    <label className={styles.check}>
      <Checkbox
        aria-label={t('bulk.selectPage')}
        checked={selection.page === 'all'}
        indeterminate={selection.page === 'some'}
        disabled={disabled}
        onChange={selection.togglePage}
      />
    </label>
  );
}

function SelectRow<Row, Column extends string>({
  idOf,
  name,
  row,
  selection,
}: Pick<ListTableProps<Row, Column>, 'idOf' | 'name'> & { row: Row; selection: Selection<Row> }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is within
    <label className={styles.check}>
      <Checkbox
        aria-label={t('bulk.select', { name: name.of(row) })}
        checked={selection.has(idOf(row))}
        onChange={({ nativeEvent }) => selection.toggle(row, (nativeEvent as MouseEvent).shiftKey)}
      />
    </label>
  );
}

function Opener<Row, Column extends string>({
  name,
  row,
  onOpen,
}: Pick<ListTableProps<Row, Column>, 'name' | 'onOpen'> & { row: Row }) {
  const text = <Name>{name.of(row)}</Name>;
  if (name.to) {
    return (
      <Link className={styles.open} to={name.to(row)}>
        {text}
      </Link>
    );
  }
  return (
    <button type="button" className={styles.open} onClick={() => onOpen?.(row)}>
      {text}
    </button>
  );
}

function Head<Row, Column extends string>({
  title,
  sort,
  state: { sortColumn, sortDirection },
  onChange,
}: Pick<ListTableProps<Row, Column>, 'state' | 'onChange'> & { title: string; sort: Column | undefined }) {
  if (!sort) return <th scope="col">{title}</th>;
  const sorted = sort === sortColumn;
  const descending = sorted && sortDirection === 1;
  return (
    <th scope="col" aria-sort={sorted ? (descending ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onChange({ sortColumn: sort, sortDirection: sorted && !descending ? 1 : 0 })}
      >
        {title}
        <span className={styles.arrows} aria-hidden="true">
          <CaretUpFilled className={sorted && !descending ? styles.on : undefined} />
          <CaretDownFilled className={descending ? styles.on : undefined} />
        </span>
      </button>
    </th>
  );
}

/** On a phone: name, what is under it, and what is at the right. */
function Lines<Row, Column extends string>(props: ListTableProps<Row, Column>) {
  const { label, rows, idOf, name, columns, state, onChange, selection } = props;
  const { t } = useTranslation();
  const sorts = [name, ...columns].flatMap(({ title, sort }) => (sort ? [{ title, sort }] : []));
  const at = (place: 'below' | 'right', row: Row) =>
    columns.filter(({ narrow }) => narrow === place).map(({ title, render }) => <span key={title}>{render(row)}</span>);
  return (
    <>
      {(selection || sorts.length > 0) && (
        <div className={styles.sortBy}>
          {selection && <SelectPage selection={selection} disabled={!rows || rows.length === 0} />}
          {sorts.length > 0 && (
            <label className={styles.sortLabel}>
              {t('list.sortBy')}
              <select
                value={`${state.sortColumn} ${state.sortDirection}`}
                onChange={({ target }) => {
                  const chosen = sorts.find(({ sort }) => target.value.startsWith(`${sort} `));
                  if (chosen) onChange({ sortColumn: chosen.sort, sortDirection: target.value.endsWith('1') ? 1 : 0 });
                }}
              >
                {sorts.flatMap(({ title, sort }) => [
                  <option key={sort} value={`${sort} 0`}>
                    {t('list.ascending', { column: title })}
                  </option>,
                  <option key={`${sort} down`} value={`${sort} 1`}>
                    {t('list.descending', { column: title })}
                  </option>,
                ])}
              </select>
            </label>
          )}
        </div>
      )}
      <ul aria-label={label} aria-busy={!rows}>
        {rows?.map((row) => (
          <li key={idOf(row)} {...rowProps(props, row, styles.line)}>
            {selection && <SelectRow {...props} selection={selection} row={row} />}
            <div className={styles.what}>
              <Opener {...props} row={row} />
              <div className={`parts ${styles.below}`}>{at('below', row)}</div>
            </div>
            {at('right', row)}
            <RightOutlined className={styles.arrow} aria-hidden />
          </li>
        )) ??
          Array.from({ length: state.pageSize }, (_, index) => index).map((index) => (
            <li key={index} className={styles.line}>
              {index === 0 && <span className="visually-hidden">{t('common.loading')}</span>}
              <div className={styles.what}>
                <Skeleton width={`${40 + ((index * 17) % 30)}%`} height={12} />
                <Skeleton width="70%" height={10} />
              </div>
            </li>
          ))}
      </ul>
    </>
  );
}
