/** Every migration, in order; a released one is never edited. */
export { Platform1763700000000 } from './1763700000000-platform.js';
