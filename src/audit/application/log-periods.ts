import type { AccessLogFilter } from '../../contract/own-record/access-log.js';
import type { AccessLog, LogDays } from '../domain/access-log.js';
import { Days } from '../domain/days.js';

/** Days that are read at first, and at most at a time. */
const firstDays = 7;
const longest = 366;

type Period = Pick<AccessLogFilter, 'from' | 'to' | 'timeZone'>;

/**
 * The whole days of a period of a log, so that no visit is cut, the latest first. The parts become longer: of most logs
 * the first part is enough.
 */
export async function* daysInParts(
  log: AccessLog,
  { from, to, timeZone }: Period,
  { last, mostDays = longest }: { last?: Date | undefined; mostDays?: number } = {},
): AsyncGenerator<LogDays> {
  const days = new Days(timeZone);
  const now = new Date();
  const latest = [now, ...(to === undefined ? [] : [new Date(Date.parse(to) - 1)]), ...(last ? [last] : [])];
  let end = days.endOf(earliest(latest));
  const oldest = await log.oldest();
  if (!oldest) return;
  const first = new Date(Math.max(oldest.getTime(), from === undefined ? 0 : Date.parse(from)));
  for (let count = firstDays; end > first; count = Math.min(2 * count, mostDays)) {
    const begins = days.startsBefore(end, count).filter((begin) => days.endOf(begin) > first);
    if (!begins[0]) return;
    yield { begins, end };
    [end] = begins as [Date];
  }
}

/** All days of a period at once; undefined if it has none. */
export async function wholePeriod(log: AccessLog, period: Period): Promise<LogDays | undefined> {
  const parts: LogDays[] = [];
  for await (const part of daysInParts(log, period)) parts.unshift(part);
  const end = parts.at(-1)?.end;
  return end && { begins: parts.flatMap(({ begins }) => begins), end };
}

function earliest(all: Date[]): Date {
  return new Date(Math.min(...all.map((one) => one.getTime())));
}
