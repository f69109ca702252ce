import type { ReactNode } from 'react';
import card from './card-form.module.css';

/**
 * Says quietly, below its button, what did not come about. It is there before its text is, so that screen readers
 * announce it.
 */
export const QuietStatus = ({ children }: { children: ReactNode }) => (
  <p role="status" className={card.quiet}>
    {children}
  </p>
);
