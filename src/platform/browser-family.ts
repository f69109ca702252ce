import type { BrowserFamily } from '../contract/users/account.js';

/** In this order: most browsers also name those whose pages they want to get. */
const names: [name: string, mark: RegExp][] = [
  ['Samsung Internet', /SamsungBrowser\//],
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /Version\/\S+ .*Safari\//],
];

const systems: [name: string, mark: RegExp][] = [
  ['iOS', /iPhone|iPad|iPod/],
  ['Android', /Android/],
  ['ChromeOS', /CrOS/],
  ['Windows', /Windows NT/],
  ['macOS', /Macintosh/],
  ['Linux', /Linux/],
];

/**
 * The family of a browser by its User-Agent (RFC 9110 §10.1.5), which the browser may choose freely: it helps to recognise a
 * session and proves nothing. Versions and models are left out.
 */
export function browserFamilyOf(userAgent: string | undefined): BrowserFamily {
  const find = (rows: [string, RegExp][]) => rows.find(([, mark]) => mark.test(userAgent ?? ''))?.[0] ?? null;
  return { name: find(names), system: find(systems) };
}
