import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import type { TakeBackProps } from './take-back-question.js';

/** Asks before an app's access is taken back, and leads to the receipt. */
export const TakeBackDialog = lazyOverlay<TakeBackProps>(
  async () => (await import('./take-back-question.js')).TakeBackQuestion,
  { seldom: true },
);
