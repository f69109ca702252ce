import { locale } from './language.js';

/** '1.8 MB', '240 kB'. */
export function fileSize(bytes: number): string {
  const [unit, size] = bytes < 1024 * 1024 ? ['kilobyte', 1024] : ['megabyte', 1024 * 1024];
  const format = new Intl.NumberFormat(locale(), { style: 'unit', unit: String(unit), maximumFractionDigits: 1 });
  return format.format(Math.max(bytes / Number(size), 0.1));
}

/** A part of 1: '45%'. */
export function percent(part: number): string {
  return new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: 0 }).format(part);
}
