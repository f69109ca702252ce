import { useRef } from 'react';

/** Ignores calls while one is under way: Enter right after the sixth digit does not send the form twice. */
export function useOneAtATime<A extends unknown[]>(
  act: (...args: A) => Promise<unknown>,
): (...args: A) => Promise<void> {
  const running = useRef(false);
  return async (...args) => {
    if (running.current) return;
    running.current = true;
    try {
      await act(...args);
    } finally {
      running.current = false;
    }
  };
}
