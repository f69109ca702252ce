import { useMedia } from '../../browser/use-media.js';

/** True if the window is wide enough for a sheet next to its page. */
export const useSidePanel = (wanted: boolean): boolean => useMedia('(min-width: 1280px)') && wanted;
