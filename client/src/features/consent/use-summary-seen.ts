import { type RefObject, useEffect, useState } from 'react';

/**
 * Ignores a click right after the summary appeared: one that was meant for something else must not consent (security
 * O-12).
 */
const shortestLookMs = 500;

/** Below this height of the window the buttons stand at the end of the page, and not over the window. */
const lowWindow = 480;

interface SummarySeen {
  /** `away` while a part of the summary was not on screen yet. */
  state: 'coming' | 'away' | 'seen';
  /** Scrolls to the first part that was not on screen. */
  show: () => void;
}

/** The summary is seen once its beginning and its end were on screen, if not at the same time. */
export function useSummarySeen(summary: RefObject<HTMLElement | null>): SummarySeen {
  const [state, setState] = useState<SummarySeen['state']>('coming');
  const [edges] = useState(() => new Set<Element>());
  useEffect(() => {
    for (const edge of summary.current?.querySelectorAll('[data-edge]') ?? []) edges.add(edge);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) edges.delete(target);
        if (edges.size > 0) return setState('away');
        observer.disconnect();
        timer = setTimeout(() => setState('seen'), shortestLookMs);
      },
      // The buttons stand over the end of the window.
      { rootMargin: `0px 0px -${window.innerHeight < lowWindow ? 0 : 80}px` },
    );
    for (const edge of edges) observer.observe(edge);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [summary, edges]);
  return { state, show: () => [...edges][0]?.scrollIntoView({ block: 'center' }) };
}
