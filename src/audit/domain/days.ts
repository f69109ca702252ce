const dayMs = 86_400_000;

/** Finds the days of a time zone. */
export class Days {
  private readonly parts: Intl.DateTimeFormat;

  /** An unknown time zone counts as UTC. */
  constructor(timeZone: string) {
    this.parts = formatFor(timeZone) ?? (formatFor('UTC') as Intl.DateTimeFormat);
  }

  /** The midnight at which the day of this moment began. */
  beginOf(moment: Date): Date {
    const ms = moment.getTime();
    const midnight = Math.floor((ms + this.offsetAt(ms)) / dayMs) * dayMs;
    // The clock may have changed since then.
    const about = midnight - this.offsetAt(ms);
    return new Date(midnight - this.offsetAt(about));
  }

  /** The midnight after this moment. */
  endOf(moment: Date): Date {
    return this.beginOf(new Date(this.beginOf(moment).getTime() + 1.5 * dayMs));
  }

  /** The beginnings of `count` days before this midnight, the earliest first. */
  startsBefore(midnight: Date, count: number): Date[] {
    const found: Date[] = [];
    for (let last = midnight; found.length < count; found.unshift(last)) {
      last = this.beginOf(new Date(last.getTime() - dayMs / 2));
    }
    return found;
  }

  /** Milliseconds by which local time is ahead of UTC. */
  private offsetAt(ms: number): number {
    const seconds = Math.floor(ms / 1000) * 1000;
    const parts = this.parts.formatToParts(seconds);
    const at = (name: Intl.DateTimeFormatPartTypes) => Number(parts.find(({ type }) => type === name)?.value);
    const local = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'));
    return local - seconds;
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = 'numeric' as const;
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    return new Intl.DateTimeFormat('en-US', { ...fields, hourCycle: 'h23', timeZone });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
