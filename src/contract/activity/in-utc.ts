const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', timeZone: 'UTC' });

/** `November 22, 2026, 10:42:31 AM UTC`, with plain spaces. Some versions of Node put a narrow one before AM. */
export function inUtc(at: Date): string {
  return `${date.format(at)}, ${time.format(at)} UTC`.split(/\s/).join(' ');
}
