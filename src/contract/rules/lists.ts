/** Sizes of a page of a list. */
export const pageSizes = [5, 10, 25, 50, 100] as const;

/** `spec §7`: 0 ascending, 1 descending. */
export const sortDirections = [0, 1] as const;

/** Limit up to which frequent matches of a search term or claim are counted. */
export const countedMatches = 1000;

/** Columns by which the list of clients can be sorted; the first is the default (`spec §9`). */
export const clientSortColumns = ['clientId', 'clientName', 'clientType', 'enabled'] as const;

/** Columns by which the list of users can be sorted, and the types of users in it: all but administrators. */
export const userSortColumns = ['fullName', 'email', 'userType', 'emailConfirmed', 'isExternal'] as const;
export const listedUserTypes = ['Patient', 'Practitioner', 'Incomplete'] as const;

/** Room for a long redirect URI. */
export const longestPaletteTerm = 500;
/** Matches of each kind. */
export const mostFound = 5;
/** The clients and users that were opened last. */
export const mostOpened = 5;
