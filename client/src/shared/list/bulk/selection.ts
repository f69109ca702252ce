import { useState } from 'react';

/** Rows of a list that are chosen: some, or all that the search and the filters find apart from some. */
export interface Selection<Row> {
  count: number;
  /** True if all that are found are chosen; `rows` is then unknown. */
  all: boolean;
  /** The chosen rows as they were last seen. */
  rows: Row[];
  /** Ids of the chosen rows, or of those left out. */
  ids: string[];
  has: (id: string) => boolean;
  /** Ids of the chosen rows; null if all are chosen that are found, and some of them stand on other pages. */
  known: string[] | null;
  /** The rows of the page that are chosen. */
  page: 'none' | 'some' | 'all';
  /** With `range`, all rows of the page between this one and the one before get its state. */
  toggle: (row: Row, range?: boolean) => void;
  togglePage: () => void;
  selectAll: () => void;
  clear: () => void;
}

interface State<Row> {
  /** The search and the filters that it belongs to. */
  of: string;
  all: boolean;
  /** The chosen rows, or those left out. */
  picked: ReadonlyMap<string, Row>;
  /** The id of the row where a range begins. */
  anchor: string | null;
}

/**
 * The selection of a list. It is kept while the list is paged and sorted, and ends with another search or filter: a row
 * that is not found any more would be changed unseen.
 */
export function useSelection<Row extends { id: string }>(
  of: string,
  page: readonly Row[],
  total: number,
): Selection<Row> {
  const none: State<Row> = { of, all: false, picked: new Map(), anchor: null };
  const [stored, setStored] = useState(none);
  const state = stored.of === of ? stored : none;
  const seen = new Map(page.map((row) => [row.id, row]));
  const has = (id: string) => state.picked.has(id) !== state.all;
  const chosenOnPage = page.filter(({ id }) => has(id)).length;

  const put = (rows: readonly Row[], chosen: boolean, anchor: string | null) =>
    setStored((before) => {
      const current = before.of === of ? before : none;
      const picked = new Map(current.picked);
      for (const row of rows) {
        if (chosen !== current.all) picked.set(row.id, row);
        else picked.delete(row.id);
      }
      return { ...current, picked, anchor };
    });
  const between = (row: Row): readonly Row[] => {
    const [from, to] = [state.anchor, row.id].map((id) => page.findIndex((one) => one.id === id)) as [number, number];
    return from < 0 ? [row] : page.slice(Math.min(from, to), Math.max(from, to) + 1);
  };

  return {
    count: Math.max(0, state.all ? total - state.picked.size : state.picked.size),
    all: state.all,
    rows: state.all ? [] : [...state.picked.values()].map((row) => seen.get(row.id) ?? row),
    ids: [...state.picked.keys()],
    known: state.all
      ? page.length === total
        ? page.filter(({ id }) => has(id)).map(({ id }) => id)
        : null
      : [...state.picked.keys()],
    has,
    page: chosenOnPage === 0 ? 'none' : chosenOnPage === page.length ? 'all' : 'some',
    toggle: (row, range = false) => put(range ? between(row) : [row], !has(row.id), row.id),
    togglePage: () => put(page, chosenOnPage < page.length, null),
    selectAll: () => setStored({ ...none, all: true }),
    clear: () => setStored(none),
  };
}
