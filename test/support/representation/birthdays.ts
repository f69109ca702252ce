import { dayIn } from '../../../src/representation/domain/ages.js';
import { addDays } from '../../../src/representation/domain/coming-steps.js';

/** The day so many days after this one; 1 March in the place of 29 February, which most years do not have. */
export function birthdayAfter(day: string, days: number): string {
  const found = addDays(day, days);
  return found.endsWith('-02-29') ? addDays(found, 1) : found;
}

/** The birth date of a patient who becomes so many years old on this day. */
export function bornFor(age: number, birthday: string): string {
  return `${Number(birthday.slice(0, 4)) - age}${birthday.slice(4)}`;
}

/** The year that it is at the portal, which begins before that of UTC. */
export function thisYear(): number {
  return Number(dayIn(new Date(), 'Europe/Amsterdam').slice(0, 4));
}
