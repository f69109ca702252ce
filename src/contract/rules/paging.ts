export const pageSizes = [5, 10, 25, 50, 100] as const;

/** `spec §7`: 0 ascending, 1 descending. */
export const sortDirections = [0, 1] as const;

/** Limit up to which frequent matches of a search term or claim are counted. */
export const countedMatches = 1000;
