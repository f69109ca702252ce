import { lazyOverlay } from '../../loading/lazy-overlay.js';
import type { DialogProps } from './dialog-frame.js';

/**
 * A short question or message with its buttons, the primary one last (on a phone first, and stacked). A dialog whose
 * content is a form brings its own button: it has no actions but a mark to close it, and leaves space for the
 * keyboard.
 */
export const Dialog = lazyOverlay<DialogProps>(async () => (await import('./dialog-frame.js')).DialogFrame);
