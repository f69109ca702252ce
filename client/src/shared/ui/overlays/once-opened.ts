import type { MouseEvent } from 'react';

/** The second click of a double click hits the element that has just covered the page, and is ignored. */
export const onceOpened =
  (onClose: (() => void) | undefined) =>
  ({ detail }: Pick<MouseEvent, 'detail'>): void => {
    if (detail < 2) onClose?.();
  };
