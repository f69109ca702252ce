import type { ReactNode } from 'react';

interface OfferedAction {
  key: string;
  label: string;
  icon: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  act: () => void;
}

/** Actions that the page offers besides its buttons: of a list, those for the rows that are selected. */
export interface Offer {
  title: string;
  actions: OfferedAction[];
}

let current: Offer | null = null;

/** Returns what takes the offer back. */
export function offerActions(offer: Offer): () => void {
  current = offer;
  return () => {
    if (current === offer) current = null;
  };
}

export const offeredActions = (): Offer | null => current;
