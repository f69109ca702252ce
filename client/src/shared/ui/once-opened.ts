import type { MouseEvent } from 'react';

/** Whoever opens something by a double click hits with the second one what has just covered the page, and means nothing by it. */
export const onceOpened =
  (onClose: (() => void) | undefined) =>
  ({ detail }: Pick<MouseEvent, 'detail'>): void => {
    if (detail < 2) onClose?.();
  };
