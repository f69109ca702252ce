import { counted } from '../../contract/messages/counted.js';

/** The last line of `audit verify`. */
export function verifiedSummary({ events, seals }: { events: number; seals: number }): string {
  const [are, they, were] = events === 1 ? ['is', 'it', 'was'] : ['are', 'they', 'were'];
  return `${counted(events, 'event')} under ${counted(seals, 'seal')} ${are} as ${they} ${were} recorded.`;
}

/** The last line of `audit archive`. */
export function archivedSummary(
  file: string,
  month: string,
  { events, seals }: { events: number; seals: number },
): string {
  return `${file} has ${counted(events, 'event')} of ${month} under ${counted(seals, 'seal')}, and was verified. The month is no longer in the database.`;
}

/** `first` and `last` are the ids of the events that a broken seal covers. */
export function changedEvents(first: unknown, last: unknown): string {
  return first === last ? `event ${first} was changed` : `one of the events ${first} to ${last} was changed`;
}

export function strayEvents(number: number): string {
  return `${counted(number, 'event')} ${number === 1 ? 'was' : 'were'} inserted or removed`;
}

/** Events of an archived month that are in the table. */
export function eventsLeft(month: string, number: number): string {
  return `${month} is in an archive, and the table has ${counted(number, 'event')} of it still: repeat \`audit archive\` with its file`;
}
