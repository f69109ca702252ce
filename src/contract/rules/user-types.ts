/** The types of accounts (`spec §5`). */
export type UserType = 'Incomplete' | 'Patient' | 'Practitioner' | 'Admin';
