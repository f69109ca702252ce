import { t } from '../../i18n/i18n.js';
import './words/en.js';

/** 'Your child, 4 years'; without an age where the date of birth is not known to the day (FHIR `date`). */
export function relationText(relation: string, birthDate: string | null, now = new Date()): string {
  const age = birthDate === null ? '' : ageText(birthDate, now);
  return age === '' ? t('acting.relation', { relation }) : t('acting.relationAge', { relation, age });
}

function ageText(birthDate: string, now: Date): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(birthDate) ?? [];
  if (year === undefined) return '';
  const whole = (now.getFullYear() - Number(year)) * 12 + now.getMonth() + 1 - Number(month);
  const months = now.getDate() < Number(day) ? whole - 1 : whole;
  if (months < 0) return '';
  const count = Math.floor(months / 12);
  return months < 24 ? t('acting.months', { count: months }) : t('acting.years', { count });
}
