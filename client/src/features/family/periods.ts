/** The periods that a patient chooses from; 0 months is one without end. */
export const lengths = [
  { months: 3, text: 'family.threeMonths' },
  { months: 12, text: 'family.oneYear' },
  { months: 0, text: 'family.unlimited' },
] as const;

/** `YYYY-MM-DD` so many months after `from`; null for 0. */
export function lastDay(months: number, from = new Date()): string | null {
  if (months === 0) return null;
  const day = new Date(from);
  day.setMonth(day.getMonth() + months);
  return dayHere(day);
}

/** `YYYY-MM-DD` in the reader's time zone. */
export function dayHere(day = new Date()): string {
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${digits(day.getMonth() + 1)}-${digits(day.getDate())}`;
}
