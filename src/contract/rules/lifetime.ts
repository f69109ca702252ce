export const lifetimeMessage = 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"';
export const lifetimeTooShort = 'Lifetime must be at least 00:00:01';
export const refreshMustExceedAccess = 'The Refresh Token Lifetime must be greater then the Access Token Lifetime';

/** `spec §9`: longer access tokens are allowed, with a warning. */
export const recommendedAccessTokenSeconds = 3600;
/** `spec §5`: the gateway accepts a JWT access token for this long after its `exp`. */
export const jwtGraceSeconds = 300;

/** Five digits of days, so that every sum with a date stays a date. */
const lifetime = /^(?:(\d{1,5})|(?:(\d{1,5})\.)?([01]\d|2[0-3]):([0-5]\d):([0-5]\d))$/;

/** Seconds of `d` (days) or `[d.]hh:mm:ss`; undefined when the text is neither. */
export function parseLifetime(text: string): number | undefined {
  const match = lifetime.exec(text);
  if (!match) return undefined;
  const [, days, moreDays, hours = 0, minutes = 0, seconds = 0] = match;
  return ((Number(days ?? moreDays ?? 0) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** The message for a lifetime that must be there. */
export function lifetimeProblem(text: string): string | undefined {
  const seconds = parseLifetime(text);
  if (seconds === undefined) return lifetimeMessage;
  return seconds < 1 ? lifetimeTooShort : undefined;
}

/** '1 day 2 hours', for display; '0 seconds' is the shortest. */
export function describeDuration(seconds: number): string {
  const units = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const;
  const parts = units.filter(([, n]) => n > 0).map(([unit, n]) => `${n} ${unit}${n === 1 ? '' : 's'}`);
  return parts.length > 0 ? parts.join(' ') : '0 seconds';
}
