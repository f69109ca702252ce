export const pageSizes = [5, 10, 25, 50, 100] as const;

/** `spec §7`: 0 ascending, 1 descending. */
export const sortDirections = [0, 1] as const;
