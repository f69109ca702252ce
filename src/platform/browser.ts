import type { BrowserFamily } from '../contract/users/account.js';

/**
 * Values that a browser keeps for the portal from one request to the next, readable by the portal alone. `binding`
 * identifies the browser; `second-step` is a sign-in that awaits its second factor; `known` marks a browser in which a
 * user has signed in before.
 */
export type KeptValue = 'binding' | 'second-step' | 'known';

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
