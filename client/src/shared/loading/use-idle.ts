import { useEffect, useState } from 'react';

/** True once the page stands and the browser has nothing more urgent to do. */
export function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    // Safari does not know it.
    if (!('requestIdleCallback' in window)) return setIdle(true);
    const handle = requestIdleCallback(() => setIdle(true));
    return () => cancelIdleCallback(handle);
  }, []);
  return idle;
}
