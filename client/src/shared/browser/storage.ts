import { basePath } from '../addresses/base-path.js';

/** The key of a value in the browser's storage, which several portals of one host share. */
export const storageKey = (name: string): string => `gatehouse${basePath}.${name}`;
