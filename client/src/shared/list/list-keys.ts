import { type RefObject, useEffect, useRef } from 'react';
import { isTyping } from '../browser/is-typing.js';
import { bulkBarId } from './bulk/bulk-bar.js';

interface ListKeys {
  /** The element around the list. */
  list: RefObject<HTMLElement | null>;
  /** The row that is open, and whether its panel is next to the list. */
  opened: { id: string; sidePanel: boolean } | null;
  open: (id: string) => void;
  toggle: (id: string, range: boolean) => void;
  selectAll: () => void;
  /** True if there was something to clear. */
  clear: () => boolean;
  help: () => void;
}

/** The rows of the page, in their order; each has its id in `data-row`, and can be focused by script. */
const rowsIn = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];

export function focusRow(list: HTMLElement | null, id: string): void {
  rowsIn(list)
    .find(({ dataset }) => dataset.row === id)
    ?.focus();
}

/** The keys of a list, which act while no text is typed and no dialog asks for something. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isFree(latest.current)) return;
      if (runListKey(event, latest.current)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Only the panel of the row may be open. */
function isFree({ opened }: ListKeys): boolean {
  const dialogs = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')];
  const open = dialogs.filter((one) => one.checkVisibility()).length;
  return opened?.sidePanel ? open <= 1 : open === (opened ? 1 : 0);
}

/** Returns true if the key had a meaning. */
function runListKey(event: KeyboardEvent, keys: ListKeys): boolean {
  const { key, shiftKey } = event;
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  const list = keys.list.current;
  const rows = rowsIn(list);
  const inList = target === document.body || list?.contains(target) === true;
  const own = target.closest<HTMLElement>('[data-row]');
  // From the search to the rows that it has found.
  const fromSearch = key === 'ArrowDown' && target instanceof HTMLInputElement && target.type === 'search';
  if ((isTyping(target) && !fromSearch) || event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    if (key.toLowerCase() !== 'a' || !inList || rows.length === 0) return false;
    keys.selectAll();
    return true;
  }

  const step = key === 'j' || key === 'ArrowDown' ? 1 : key === 'k' || key === 'ArrowUp' ? -1 : 0;
  if (step !== 0) {
    if (key.startsWith('Arrow') && !fromSearch && own !== target) return false;
    const current = rows.findIndex((row) => row === own || (!own && row.dataset.row === keys.opened?.id));
    const next = rows[current < 0 ? 0 : current + step];
    const id = next?.dataset.row;
    if (!next || id === undefined) return true;
    if (inList) next.focus();
    if (keys.opened) keys.open(id);
    return true;
  }
  const id = own === target ? own.dataset.row : undefined;
  if (id !== undefined && key === 'Enter') {
    keys.open(id);
    return true;
  }
  if (id !== undefined && key === ' ') {
    keys.toggle(id, shiftKey);
    return true;
  }
  if (key === '.') {
    const first = document.getElementById(bulkBarId)?.querySelector<HTMLElement>('[data-first]');
    first?.focus();
    return first !== undefined && first !== null;
  }
  if (key === '?') {
    keys.help();
    return true;
  }
  return key === 'Escape' && (inList || target.closest(`#${bulkBarId}`) !== null) && keys.clear();
}
