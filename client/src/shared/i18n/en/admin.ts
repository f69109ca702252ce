import { activity, attention } from './activity.js';

/** The texts that only administrators see. */
export const adminTexts = { activity, attention } as const;
