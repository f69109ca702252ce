import { lazyOverlay } from '../../loading/lazy-overlay.js';
import type { SheetProps } from './sheet-frame.js';

/**
 * A panel at the right edge, over the whole screen on a phone. One that stands next to a page (`sidePanel`) leaves that
 * page usable where the window is wide enough for both; it stays the same element, so that a form in it survives the
 * change.
 */
export const Sheet = lazyOverlay<SheetProps>(async () => (await import('./sheet-frame.js')).SheetFrame);
