/** Hours for which the link of a user works who wants to ask for a patient. */
export const accountLinkHours = 24;
