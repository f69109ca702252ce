import { type Message, message } from '../messages/message.js';
export const lifetimeMessage = message('lifetime-invalid');
export const refreshMustExceedAccess = message('refresh-must-exceed-access');

/** `spec §9`: longer access tokens are allowed, with a warning. */
export const recommendedAccessTokenSeconds = 3600;
/** `spec §5`: the gateway accepts a JWT access token for this long after its `exp`. */
export const jwtGraceSeconds = 300;

/** Seconds for which an authorization code can be redeemed (RFC 6749 §4.1.2). */
export const codeSeconds = 60;

/** Five digits of days, so that every sum with a date stays a date. */
const lifetime = /^(?:(\d{1,5})|(?:(\d{1,5})\.)?([01]\d|2[0-3]):([0-5]\d):([0-5]\d))$/;

/** Seconds of `d` (days) or `[d.]hh:mm:ss`; undefined when the text is neither. */
export function parseLifetime(text: string): number | undefined {
  const match = lifetime.exec(text);
  if (!match) return undefined;
  const [, days, moreDays, hours = 0, minutes = 0, seconds = 0] = match;
  return ((Number(days ?? moreDays ?? 0) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** The lifetime of a client's access tokens; a stored text that is not a lifetime counts as the default, an hour. */
export function accessTokenSeconds({ accessTokenLifetime }: { accessTokenLifetime: string }): number {
  return parseLifetime(accessTokenLifetime) ?? 3600;
}

/** The message for a lifetime that must be there. */
export function lifetimeProblem(text: string): Message | undefined {
  const seconds = parseLifetime(text);
  if (seconds === undefined) return lifetimeMessage;
  return seconds < 1 ? message('lifetime-too-short') : undefined;
}
