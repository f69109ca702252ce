/** What is asked: `act-for` by the form of a user, the others about a relationship that exists. */
export const requestKinds = ['act-for', 'change', 'patient-ended', 'still-right'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** `cancelled`: taken back by its user; `in-error`: approved, and found to be wrong. */
export const requestStatuses = ['waiting', 'more-needed', 'approved', 'declined', 'cancelled', 'in-error'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** Days in which a request is answered, and for which closed ones and their files are kept. */
export const answerDays = 3;
