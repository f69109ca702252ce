import { useMedia } from '../use-media.js';

/** Whether there is room for a sheet beside the page that it belongs to. */
export const useSidePanel = (wanted: boolean): boolean => useMedia('(min-width: 1280px)') && wanted;
