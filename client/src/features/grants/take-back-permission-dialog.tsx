import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import type { TakeBackPermissionProps } from './take-back-permission-question.js';

/** Asks before one permission of an app is taken back. */
export const TakeBackPermissionDialog = lazyOverlay<TakeBackPermissionProps>(
  async () => (await import('./take-back-permission-question.js')).TakeBackPermissionQuestion,
  { seldom: true },
);
