import { useEffect, useState } from 'react';

/** True once something has lasted for more than 300 ms: a skeleton that only flashes is worse than none. */
export function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, [busy]);
  return busy && slow;
}
