/** The types of accounts (`spec §5`); `RelatedPerson` is that of accounts which only act for patients. */
export type UserType = 'Incomplete' | 'Patient' | 'Practitioner' | 'RelatedPerson' | 'Admin';
