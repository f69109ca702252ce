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
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${digits(day.getMonth() + 1)}-${digits(day.getDate())}`;
}
