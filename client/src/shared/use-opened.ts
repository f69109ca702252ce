import { useSearchParams } from 'react-router-dom';

/** An overlay of a page is in its address under one of these names, so that Back closes it. */
export function useOpened<Name extends string>(...names: Name[]) {
  const [query, setQuery] = useSearchParams();
  const closed = () => {
    const others = new URLSearchParams(query);
    for (const name of names) others.delete(name);
    return others;
  };
  return {
    opened: (name: Name) => query.get(name),
    show: (name: Name, what: string) => {
      const shown = closed();
      shown.set(name, what);
      setQuery(shown);
    },
    close: () => setQuery(closed(), { replace: true }),
  };
}
