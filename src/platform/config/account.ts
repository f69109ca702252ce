import { z } from 'zod';

const passkeySettings = ['off', 'allowed', 'required'] as const;
const adminNeeds = ['password', 'two-factor', 'passkey'] as const;

const lostFactorWays = ['help-desk', 'waiting-time'] as const;

const helpDesk = z
  .strictObject({
    phone: z
      .string()
      .regex(/^(?=.*\d)[+\d][\d ()/.-]{2,39}$/, 'must be a phone number')
      .optional()
      .describe('Its phone number.'),
    email: z.email().optional().describe('Its e-mail address.'),
    page: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe('Its web page (https).'),
    hours: z.string().min(1).max(200).optional().describe('When it can be reached; text only.'),
  })
  .refine(({ phone, email, page }) => phone ?? email ?? page, 'must have a phone number, an e-mail address or a page')
  .optional()
  .describe(
    'How users reach the help desk that resets a lost second factor. Shown to users who have lost it. Absent: they are told to contact the hospital.',
  );

export const account = z.strictObject({
  password: z
    .strictObject({
      requiredLength: z.coerce.number().int().min(8).max(128).default(12).describe('Shortest password.'),
      requireDigit: z.boolean().default(false).describe('Whether a password needs a digit.'),
      requireUppercase: z.boolean().default(false).describe('Whether a password needs an upper-case letter.'),
      requireLowercase: z.boolean().default(false).describe('Whether a password needs a lower-case letter.'),
      requireNonAlphanumeric: z
        .boolean()
        .default(false)
        .describe('Whether a password needs a character that is neither a letter nor a digit.'),
    })
    .prefault({})
    .describe('Password rules; common passwords are always refused.'),
  session: z
    .strictObject({
      idleMinutes: z.coerce
        .number()
        .int()
        .min(1)
        .default(30)
        .describe('Minutes without use after which a sign-in ends.'),
      adminIdleMinutes: z.coerce.number().int().min(1).default(15).describe('The same for administrators.'),
      absoluteHours: z.coerce.number().int().min(1).default(12).describe('Hours after which it ends in any case.'),
      rememberedDays: z.coerce
        .number()
        .int()
        .min(1)
        .default(14)
        .describe('Days after which a remembered sign-in ends instead; those of administrators are not remembered.'),
    })
    .prefault({})
    .describe('How long a sign-in lasts.'),
  localLogin: z.boolean().default(true).describe('Whether users may sign in with a password.'),
  passkeys: z
    .enum(passkeySettings)
    .default('allowed')
    .describe(
      'Whether users sign in with passkeys. `off`: none are made or offered; those that exist stay stored, and sign no user in. `allowed`: a user without one is offered one three times. `required`: such a user is led to make one at each sign-in with a password, and may continue without it where the device makes none; an invitation asks for one before a password. No sign-in is refused.',
    ),
  adminsNeed: z
    .enum(adminNeeds)
    .default('password')
    .describe(
      'The sign-in that the pages and calls of administrators need: any, one with two factors, or one with a passkey. An administrator who has signed in with less is led to add or to use what is missing.',
    ),
  deletionDays: z.coerce
    .number()
    .int()
    .min(0)
    .max(365)
    .default(0)
    .describe(
      'Days between the request of a user to delete their own account and its deletion. Until then the account is locked, and its user can keep it. With 0 it is deleted at once.',
    ),
  recoveryWaitHours: z.coerce
    .number()
    .int()
    .min(1)
    .max(720)
    .default(72)
    .describe(
      'Hours for which a user who has lost their passkeys and recovery codes waits before a mailed link lets them in again. The user is notified by mail, and can end it.',
    ),
  lostSecondFactor: z
    .enum(lostFactorWays)
    .default('help-desk')
    .describe(
      'How a user who has lost the authenticator app and all recovery codes gets back. `help-desk`: an administrator resets the second factor. `waiting-time`: the user can also wait `recoveryWaitHours`; then a mailed link sets a new password and removes the authenticator app. Never for administrators; needs a mail server (`email.smtp`).',
    ),
  helpDesk,
  restrictExternalLogin: z
    .boolean()
    .default(false)
    .describe(
      'Whether only users who have signed in with a password may authorize apps, and not those of other providers.',
    ),
});
