/** Columns by which the list of users can be sorted, and the types of users in it: all but administrators. */
export const userSortColumns = ['fullName', 'email', 'userType', 'emailConfirmed', 'isExternal'] as const;
export const listedUserTypes = ['Patient', 'Practitioner', 'Incomplete'] as const;
