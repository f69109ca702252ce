/** English of the mails (`src/platform/mail/templates`). */
export const mailTexts = {} as const;
