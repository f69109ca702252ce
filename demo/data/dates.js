// @ts-check

/** "Today" in the demo data. Fixed, so that every start generates the same records. */
export const REFERENCE_DATE = '2026-06-01';

const DAY = 86_400_000;

/**
 * @param {number} days before the reference date
 * @returns {string} a date
 */
export function daysAgo(days) {
  return daysAfter(REFERENCE_DATE, -days);
}

/**
 * @param {string} date
 * @param {number} days
 * @returns {string} a date
 */
export function daysAfter(date, days) {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
}

/**
 * @param {string} date
 * @param {string} time `HH:MM`
 * @returns {string} an instant in UTC
 */
export function at(date, time) {
  return `${date}T${time}:00Z`;
}

/**
 * @param {string} birthDate
 * @returns {number} whole years at the reference date
 */
export function ageOn(birthDate) {
  const years = Number(REFERENCE_DATE.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return REFERENCE_DATE.slice(5) < birthDate.slice(5) ? years - 1 : years;
}
