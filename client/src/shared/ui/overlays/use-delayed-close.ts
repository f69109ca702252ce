import { useState } from 'react';

/** The value, or the last one until `forget` is called: what closes is still seen for a moment. */
export function useDelayedClose<T>(value: T | null): { lingering: T | null; forget: () => void } {
  const [lingering, setLingering] = useState(value);
  if (value !== null && value !== lingering) setLingering(value);
  return { lingering, forget: () => setLingering(value) };
}
