import { Agent, type Answer } from './agent.js';
import type { TestIdentityProvider } from './identity-provider.js';
import type { TestPortal } from './portal.js';

/** The way to the provider; `to` is where it goes on in the portal afterwards. */
export function begin(browser: Agent, scheme = 'hospital', to?: string): Promise<Answer> {
  return browser.get(
    `/connect/authorize/external?${new URLSearchParams({ scheme, ...(to ? { returnUrl: to } : {}) })}`,
  );
}

export interface ExternalVisit {
  /** The scheme of the portal's configuration. */
  scheme?: string;
  returnUrl?: string;
  browser?: Agent;
  /** The browser's cookies at the provider. */
  there?: Agent;
}

/** To the provider, its sign-in page and back; `answer` is the portal's to the callback. */
export async function signInElsewhere(
  portal: TestPortal,
  provider: TestIdentityProvider,
  subject: string,
  { scheme = 'hospital', returnUrl, browser = new Agent(portal.issuer), there }: ExternalVisit = {},
): Promise<{ browser: Agent; callback: string; answer: Answer }> {
  const { location, status, text } = await begin(browser, scheme, returnUrl);
  if (!location?.startsWith(provider.authority))
    throw new Error(`not sent to the provider: ${status} ${location} ${text}`);
  const callback = await provider.signIn(location, subject, there);
  return { browser, callback, answer: await browser.get(callback) };
}
