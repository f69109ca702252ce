import { useEffect } from 'react';
import { type NavigateOptions, useLocation, useSearchParams } from 'react-router-dom';

/** The last change of the query that may not be rendered yet, and the place in the history that it was made from. */
let changed: { from: string; query: URLSearchParams } | null = null;

/**
 * The query in the address of the page. A change begins with the result of the previous one: the router renders later,
 * so that two changes within one render would otherwise undo each other.
 */
export function usePageQuery() {
  const [query, setQuery] = useSearchParams();
  const { key: from } = useLocation();
  useEffect(() => {
    // It is rendered by now, and Back leads to the same place in the history again.
    if (changed?.from !== from) changed = null;
  }, [from]);
  const change = (next: (current: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => {
    const current = changed?.from === from ? changed.query : query;
    changed = { from, query: next(current) };
    setQuery(changed.query, options);
  };
  return { query, change };
}

/** The user stays on the page as it is rendered. */
export function forgetPageChange(): void {
  changed = null;
}
