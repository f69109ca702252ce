import type { BrowserFamily } from '../../contract/users/account.js';

/**
 * Values that a browser keeps for the portal from one request to the next, readable by the portal alone. `binding`
 * identifies the browser; `second-step` is a sign-in that awaits its second factor; `known` marks a browser in which a
 * user has signed in before, `link-asked` one in which a link for a new password was requested, `invited` one in which
 * the link of an invitation was opened.
 */
export type KeptValue = 'binding' | 'second-step' | 'known' | 'link-asked' | 'invited';

/** The browser of the current request, as a use case sees it; `platform/http/http-browser.ts` implements it. */
export abstract class Browser {
  /** Key of limits that count by network address. */
  abstract get addressKey(): string;

  /** The family of the browser, by its own account. */
  abstract get family(): BrowserFamily;

  abstract recall(name: KeptValue): string | undefined;

  /** Without an age the value lasts as long as the browser is open. */
  abstract keep(name: KeptValue, value: string, maxAgeSeconds?: number): void;

  abstract forget(name: KeptValue): void;
}

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
 * The family of a browser by its User-Agent (RFC 9110 §10.1.5), which the browser may choose freely: it helps to
 * recognise a session and proves nothing. Versions and models are left out.
 */
export function browserFamilyOf(userAgent: string | undefined): BrowserFamily {
  const find = (rows: [string, RegExp][]) => rows.find(([, mark]) => mark.test(userAgent ?? ''))?.[0] ?? null;
  return { name: find(names), system: find(systems) };
}
