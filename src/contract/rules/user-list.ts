/** What the list of users can be sorted by, and the kinds of people in it: everybody but administrators. */
export const userSortColumns = ['fullName', 'email', 'userType', 'emailConfirmed', 'isExternal'] as const;
export const listedUserTypes = ['Patient', 'Practitioner', 'Incomplete'] as const;
