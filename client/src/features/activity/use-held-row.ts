import { useLayoutEffect, useRef, useState } from 'react';

/**
 * New rows come above the one that has the focus, which stays where it is in the window: the page is scrolled by as
 * much as they need, and made longer where it is too short for that. A focused row that would leave the page of the
 * list stays below it.
 */
export function useHeldRow<Row>(rows: Row[] | undefined, idOf: (row: Row) => string) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Row[]>([]);
  const [focused, setFocused] = useState<string | null>(null);
  const [minHeight, setMinHeight] = useState(0);

  const held = focused !== null && rows ? shown.current.find((row) => idOf(row) === focused) : undefined;
  const isThere = held === undefined || rows?.some((row) => idOf(row) === focused);
  const all = rows && held && !isThere ? [...rows, held] : rows;

  const active = () => {
    const element = document.activeElement;
    return element && focused !== null && place.current?.contains(element) ? element : null;
  };
  // Its position before the new rows.
  const before = active()?.getBoundingClientRect().top;
  const first = all?.[0] && idOf(all[0]);
  const lastFirst = useRef(first);
  useLayoutEffect(() => {
    shown.current = all ?? [];
    const hasNew = lastFirst.current !== first;
    lastFirst.current = first;
    const element = active();
    if (!hasNew || !element || before === undefined) return;
    const moved = element.getBoundingClientRect().top - before;
    const { scrollHeight, clientHeight } = document.documentElement;
    if (place.current && scrollHeight < clientHeight + window.scrollY + moved) {
      // From its top to the end of the window after scrolling.
      const needed = clientHeight + moved - place.current.getBoundingClientRect().top;
      place.current.style.minHeight = `${needed}px`;
      setMinHeight(needed);
    }
    window.scrollBy({ top: moved, behavior: 'instant' });
  });

  return {
    rows: all,
    place: {
      ref: place,
      style: { minHeight },
      onFocus: ({ target }: { target: Element }) => {
        const link = target.closest('a[href]');
        setFocused(link ? decodeURIComponent(link.getAttribute('href')?.split('/').at(-1) ?? '') : null);
      },
      onBlur: ({ relatedTarget }: { relatedTarget: Element | null }) => {
        if (relatedTarget && place.current?.contains(relatedTarget)) return;
        setFocused(null);
        setMinHeight(0);
      },
    },
  };
}
