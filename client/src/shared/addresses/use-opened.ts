import { usePageQuery } from './page-query.js';

/** An overlay of a page is in its address under one of these names, so that Back closes it. */
export function useOpened<Name extends string>(...names: Name[]) {
  const { query, change } = usePageQuery();
  const closed = (current: URLSearchParams) => {
    const others = new URLSearchParams(current);
    for (const name of names) others.delete(name);
    return others;
  };
  return {
    opened: (name: Name) => query.get(name),
    show: (name: Name, what: string) =>
      change((current) => {
        const shown = closed(current);
        shown.set(name, what);
        return shown;
      }),
    close: () => change(closed, { replace: true }),
  };
}
