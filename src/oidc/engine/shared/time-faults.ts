/** A time of a JWT in another form than NumericDate (RFC 7519 §2): seconds since 1970. */
export interface TimeFault {
  claim: string;
  sent: string;
  /** A clause that begins with `it`. */
  fault: string;
}

/** A thousand times the seconds of 1976, or more. */
const leastMilliseconds = 2e11;
/** Less than ten years in seconds: a duration, as no JWT is of 1980. */
const longestDuration = 315_360_000;

/** The first of these claims that is not a time; undefined if each is one or is absent. */
export function timeFault(claims: Record<string, unknown>, names: readonly string[]): TimeFault | undefined {
  for (const claim of names) {
    const value = claims[claim];
    const fault = value === undefined ? undefined : faultOf(value);
    if (fault !== undefined) return { claim, sent: String(JSON.stringify(value)).slice(0, 60), fault };
  }
  return undefined;
}

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'string') return 'it is a text and no number';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'it is not a number';
  if (value >= leastMilliseconds) return 'it is in milliseconds';
  return value > 0 && value < longestDuration ? 'it is a duration and no time' : undefined;
}
