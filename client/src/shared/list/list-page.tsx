import './bulk/words/en.js';
import { QuestionCircleOutlined, SearchOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countedMatches } from '../../../../src/contract/rules/lists.js';
import { useOpened } from '../addresses/use-opened.js';
import { type OpenedRow, rememberOpened } from '../browser/opened-rows.js';
import { useMedia } from '../browser/use-media.js';
import { useSlow } from '../loading/use-slow.js';
import { focusPageTitle, whenFocusIsLost } from '../ui/layout/page-title.js';
import { NotFoundDialog } from '../ui/overlays/not-found-dialog.js';
import type { SheetPlace } from '../ui/overlays/record-sheet.js';
import { useDelayedClose } from '../ui/overlays/use-delayed-close.js';
import { useSidePanel } from '../ui/overlays/use-side-panel.js';
import { LoadFailed } from '../ui/placeholders/load-failed.js';
import { type BulkPlace, selectedText } from './bulk/bulk-bar.js';
import { useSelection } from './bulk/selection.js';
import { ListEmpty } from './list-empty.js';
import { ListHead } from './list-head.js';
import { ListHelp } from './list-help.js';
import { focusRow, useListKeys } from './list-keys.js';
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
  /** Next to the title, the primary one last; `add` opens the dialog. */
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
  /** Next to the filter. */
  tools?: ReactNode;
  /** The bar of actions for the rows that are selected. */
  bulk: (place: BulkPlace<Row>) => ReactNode;
  empty: Texts & { icon: ReactNode };
  noneFound: Texts & { clear: string };
  /** An opened row: its name in the address, its sheet, and the message when it has been deleted meanwhile. */
  opened: { as: OpenedRow['as']; sheet: (place: SheetPlace) => ReactNode; gone: string };
  /** The sheet pushes the list aside where the window is wide enough for both. */
  sidePanel?: boolean;
  /** The dialog for a new row; shown while creating is possible, and afterwards while it has unsaved input. */
  dialog: (place: { open: boolean; onClose: () => void; afterClose: () => void }) => ReactNode;
  canAdd?: boolean;
}

/**
 * A page that lists what there is very much of: found, sorted and paged, one row opened next to it, another one added.
 * All of this stands in the address.
 */
export function ListPage<Row extends { id: string }, List extends { totalCount: number }, Column extends string>(
  props: ListPageProps<Row, List, Column>,
) {
  const { title, banner, actions, search, filter, answer, sidePanel = false } = props;
  const { state, change } = props.list;
  const { data, currentData, isError, isFetching, refetch } = answer;
  const { list, slow, narrowed, more, rows, selection } = useRowsPage(props);
  const place = useRef<HTMLDivElement>(null);
  const [helping, setHelping] = useState(false);
  const opening = useOpening(props, place);
  const { row, show, close, adding, dialog, sheet } = opening;
  const pushed = useSidePanel(sidePanel) && row !== null;
  const tight = useMedia('(max-width: 1099.98px)');
  useListKeys({
    list: place,
    opened: row === null ? null : { id: row, sidePanel: pushed },
    open: (id) => opening.follow(id, pushed),
    toggle: (id, range) => {
      const toggled = rows?.find((one) => one.id === id);
      if (toggled) selection.toggle(toggled, range);
    },
    selectAll: selection.selectAll,
    clear: () => {
      if (selection.count > 0) selection.clear();
      else if (pushed) close();
      else return false;
      return true;
    },
    help: () => setHelping(true),
  });

  return (
    <>
      <div
        ref={place}
        className={[pushed && styles.pushed, selection.count > 0 && styles.barred].filter(Boolean).join(' ')}
      >
        <ListHead title={title} total={data?.totalCount} actions={actions(() => show('add', 'true'))} />
        {banner}
        <ListTools
          search={state.searchTerm}
          onSearch={(searchTerm) => change({ searchTerm })}
          placeholder={search}
          filters={filter.fields}
          chips={filter.chips}
          onClear={() => change({ filters: noneOf })}
        >
          {props.tools}
          <HelpButton onOpen={() => setHelping(true)} />
        </ListTools>
        <Selected text={selection.count > 0 ? selectedText(selection, more) : ''} />
        {isError && !isFetching && !currentData ? (
          <LoadFailed onRetry={refetch} />
        ) : list?.totalCount === 0 ? (
          <Empty {...props} narrowed={narrowed} onClear={() => change({ searchTerm: '', filters: noneOf })} />
        ) : (
          (list || slow) && (
            <ListTable
              label={title}
              rows={rows}
              total={list?.totalCount}
              more={more}
              idOf={({ id }) => id}
              name={props.name}
              columns={props.columns}
              tight={pushed}
              state={state}
              onChange={change}
              selected={row}
              selection={selection}
              onOpen={({ id }) => show(props.opened.as, id)}
            />
          )
        )}
      </div>
      {props.bulk({ selection, total: list?.totalCount ?? 0, more, pushed, compact: pushed || tight })}
      <ListHelp open={helping} onClose={() => setHelping(false)} />
      {sheet.lingering && props.opened.sheet(opening.sheetPlace(sheet.lingering))}
      {dialog.lingering && props.dialog({ open: adding, onClose: close, afterClose: opening.afterDialog })}
      {opening.gone !== null && <NotFoundDialog name={opening.gone} text={props.opened.gone} />}
    </>
  );
}

/** The rows of the page, as far as they are known, and the selected ones. */
function useRowsPage<Row extends { id: string }, List extends { totalCount: number }, Column extends string>({
  list: { state, change },
  answer: { data, currentData, isFetching },
  waiting = false,
  rowsOf,
  countedSoFar,
}: ListPageProps<Row, List, Column>) {
  const slow = useSlow((waiting || isFetching) && !currentData);
  // Until the next page is there the one before stays, unless that takes long.
  const list = currentData ?? (slow ? undefined : data);
  const last = currentData && Math.max(1, Math.ceil(currentData.totalCount / state.pageSize));
  useEffect(() => {
    // Another administrator has deleted the rows of this page.
    if (last !== undefined && state.page > last) change({ page: last }, { replace: true });
  });

  const isSearched = state.searchTerm !== '';
  const narrowed = isSearched || Object.values(state.filters).some(({ length }) => length > 0);
  const isCountedSoFar = isSearched || countedSoFar.some((name) => state.filters[name]?.length);
  const more = isCountedSoFar && list?.totalCount === countedMatches;
  const rows = list && rowsOf(list);
  const found = JSON.stringify([state.searchTerm, state.filters]);
  const selection = useSelection(found, rows ?? [], list?.totalCount ?? 0);
  return { list, slow, narrowed, more, rows, selection };
}

/** The opened row with its sheet, and the dialog for a new row. */
function useOpening<Row extends { id: string }, List extends { totalCount: number }, Column extends string>(
  { opened: { as }, canAdd = true, name, rowsOf, answer: { data, refetch } }: ListPageProps<Row, List, Column>,
  place: RefObject<HTMLDivElement | null>,
) {
  const { opened, show, close } = useOpened(as, 'add');
  const row = opened(as);
  useEffect(() => {
    if (row !== null) rememberOpened(as, row);
  }, [row, as]);
  const dialogWasOpen = useRef(false);
  const adding = row === null && opened('add') !== null && (canAdd || dialogWasOpen.current);
  dialogWasOpen.current = adding;
  const sheet = useDelayedClose(row);
  const dialog = useDelayedClose(adding ? 'add' : null);
  const [gone, setGone] = useState<string | null>(null);
  // The row whose panel follows the keys, while the focus stays in the list.
  const following = useRef<string | null>(null);
  const follow = (id: string, sidePanel: boolean) => {
    following.current = sidePanel && place.current?.contains(document.activeElement) ? id : null;
    show(as, id);
  };
  // The row that had the focus is not there any more.
  const deleted = useRef(false);
  const sheetPlace = (id: string): SheetPlace => {
    const known = data && rowsOf(data).find((one) => one.id === id);
    return {
      id,
      name: known ? name.of(known) : '',
      open: row !== null,
      onClose: close,
      afterOpen: () => {
        if (following.current === id) focusRow(place.current, id);
        following.current = null;
      },
      afterClose: () => {
        if (deleted.current) focusPageTitle();
        // The keys have led from the row that opened it to this one.
        else whenFocusIsLost(() => focusRow(place.current, id));
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
  const afterDialog = () => {
    // A copy is begun in a panel that closes then.
    whenFocusIsLost(focusPageTitle);
    dialog.forget();
  };
  return { row, show, close, adding, dialog, afterDialog, sheet, gone, follow, sheetPlace };
}

/** Opens the list of keys, where there is a keyboard. */
function HelpButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation();
  const phone = useMedia('(max-width: 767.98px)');
  if (phone) return null;
  return (
    <Tooltip title={`${t('bulk.keys.title')} (?)`}>
      <Button
        type="text"
        icon={<QuestionCircleOutlined aria-hidden />}
        aria-label={t('bulk.keys.title')}
        aria-keyshortcuts="?"
        onClick={onOpen}
      />
    </Tooltip>
  );
}

/** Announces how many are selected, also that the last one is not selected any more. */
function Selected({ text }: { text: string }) {
  const { t } = useTranslation();
  const ever = useRef(false);
  ever.current ||= text !== '';
  return (
    <span className="visually-hidden" role="status">
      {text || (ever.current ? t('bulk.cleared') : '')}
    </span>
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
