/** Room for a long redirect URI. */
export const longestPaletteTerm = 500;
/** Matches of each kind. */
export const mostFound = 5;
/** The clients and users that were opened last. */
export const mostOpened = 5;
