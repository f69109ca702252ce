import { SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { countedMatches } from '../../../../src/contract/rules/paging.js';
import { useOpened } from '../addresses/use-opened.js';
import { useSlow } from '../loading/use-slow.js';
import { focusPageTitle } from '../ui/layout/page-title.js';
import type { SheetPlace } from '../ui/overlays/record-sheet.js';
import { useDelayedClose } from '../ui/overlays/use-delayed-close.js';
import { useSidePanel } from '../ui/overlays/use-side-panel.js';
import { LoadFailed } from '../ui/placeholders/load-failed.js';
import { NotFoundDialog } from '../ui/placeholders/not-found-state.js';
import { ListEmpty } from './list-empty.js';
import { ListHead } from './list-head.js';
import styles from './list-page.module.css';
import type { Filters, useListState } from './list-state.js';
import { type ListColumn, ListTable } from './list-table.js';
import { type FilterChip, ListTools } from './list-tools.js';

interface Texts {
  title: string;
  text: string;
}

interface ListPageProps<Row extends { id: string }, List extends { totalCount: number }, Column extends string> {
  title: string;
  /** A warning above the list. */
  banner?: ReactNode;
  /** Beside the title, the primary one last; `add` opens the dialog. */
  actions: (add: () => void) => ReactNode;
  search: string;
  filter: { fields: ReactNode; chips: FilterChip[] };
  list: ReturnType<typeof useListState<Column, string>>;
  /** The state of the list's call; it may still wait for its turn. */
  answer: {
    data?: List | undefined;
    currentData?: List | undefined;
    isError: boolean;
    isFetching: boolean;
    refetch: () => unknown;
  };
  waiting?: boolean;
  rowsOf: (list: List) => Row[];
  /** The filters whose matches are counted only up to `countedMatches`, as those of the search are. */
  countedSoFar: readonly string[];
  name: { title: string; sort: Column; of: (row: Row) => string };
  columns: ListColumn<Row, Column>[];
  empty: Texts & { icon: ReactNode };
  noneFound: Texts & { clear: string };
  /** An opened row: its name in the address, its sheet, and the message when it has been deleted meanwhile. */
  opened: { as: string; sheet: (place: SheetPlace) => ReactNode; gone: string };
  /** The sheet pushes the list aside where the window is wide enough for both. */
  beside?: boolean;
  /** The dialog for a new row; shown while creating is possible, and afterwards while it has unsaved input. */
  dialog: (place: { open: boolean; onClose: () => void; afterClose: () => void }) => ReactNode;
  canAdd?: boolean;
}

/**
 * A page that lists what there is very much of: found, sorted and paged, one row opened beside it, another one added. All
 * of this stands in the address.
 */
export function ListPage<Row extends { id: string }, List extends { totalCount: number }, Column extends string>(
  props: ListPageProps<Row, List, Column>,
) {
  const { title, banner, actions, search, filter, answer, waiting = false, beside = false, canAdd = true } = props;
  const { state, change } = props.list;
  const { data, currentData, isError, isFetching, refetch } = answer;
  const { opened, show, close } = useOpened(props.opened.as, 'add');
  const row = opened(props.opened.as);
  const pushed = useSidePanel(beside) && row !== null;
  const dialogWasOpen = useRef(false);
  const adding = row === null && opened('add') !== null && (canAdd || dialogWasOpen.current);
  dialogWasOpen.current = adding;
  const sheet = useDelayedClose(row);
  const dialog = useDelayedClose(adding ? 'add' : null);
  const [gone, setGone] = useState<string | null>(null);
  const slow = useSlow((waiting || isFetching) && !currentData);
  // Until the next page is there the one before stays, unless that takes long.
  const list = currentData ?? (slow ? undefined : data);

  const last = currentData && Math.max(1, Math.ceil(currentData.totalCount / state.pageSize));
  useEffect(() => {
    // Another administrator has deleted the rows of this page.
    if (last !== undefined && state.page > last) change({ page: last }, { replace: true });
  });

  // The row that had the focus is not there any more.
  const deleted = useRef(false);
  const place = (id: string): SheetPlace => {
    const known = data && props.rowsOf(data).find((one) => one.id === id);
    return {
      id,
      name: known ? props.name.of(known) : '',
      open: row !== null,
      onClose: close,
      afterClose: () => {
        if (deleted.current) focusPageTitle();
        deleted.current = false;
        sheet.forget();
      },
      onDeleted: () => {
        deleted.current = true;
        close();
        refetch();
      },
      onGone: (name) => {
        setGone(name);
        close();
      },
    };
  };

  const narrowed = state.searchTerm !== '' || Object.values(state.filters).some(({ length }) => length > 0);
  const countedSoFar = state.searchTerm !== '' || props.countedSoFar.some((name) => state.filters[name]?.length);
  return (
    <>
      <div className={pushed ? styles.pushed : undefined}>
        <ListHead title={title} total={data?.totalCount} actions={actions(() => show('add', 'true'))} />
        {banner}
        <ListTools
          search={state.searchTerm}
          onSearch={(searchTerm) => change({ searchTerm })}
          placeholder={search}
          filters={filter.fields}
          chips={filter.chips}
          onClear={() => change({ filters: noneOf })}
        />
        {isError && !isFetching && !currentData ? (
          <LoadFailed onRetry={refetch} />
        ) : list?.totalCount === 0 ? (
          <Empty {...props} narrowed={narrowed} onClear={() => change({ searchTerm: '', filters: noneOf })} />
        ) : (
          (list || slow) && (
            <ListTable
              label={title}
              rows={list && props.rowsOf(list)}
              total={list?.totalCount}
              more={countedSoFar && list?.totalCount === countedMatches}
              idOf={({ id }) => id}
              name={props.name}
              columns={props.columns}
              tight={pushed}
              state={state}
              onChange={change}
              selected={row}
              onOpen={({ id }) => show(props.opened.as, id)}
            />
          )
        )}
      </div>
      {sheet.lingering && props.opened.sheet(place(sheet.lingering))}
      {dialog.lingering && props.dialog({ open: adding, onClose: close, afterClose: dialog.forget })}
      {gone !== null && <NotFoundDialog name={gone} text={props.opened.gone} />}
    </>
  );
}

function Empty({
  empty,
  noneFound,
  narrowed,
  onClear,
}: {
  empty: Texts & { icon: ReactNode };
  noneFound: Texts & { clear: string };
  narrowed: boolean;
  onClear: () => void;
}) {
  if (!narrowed) return <ListEmpty {...empty} />;
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={noneFound.title}
      text={noneFound.text}
      action={<Button onClick={onClear}>{noneFound.clear}</Button>}
    />
  );
}

function noneOf<Filter extends string>(filters: Filters<Filter>): Filters<Filter> {
  return Object.fromEntries(Object.keys(filters).map((name) => [name, []])) as unknown as Filters<Filter>;
}
