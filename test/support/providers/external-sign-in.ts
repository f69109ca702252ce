import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import type { TestIdentityProvider } from './identity-provider.js';

/** Starts a sign-in at the provider, which continues at the address `to` of the portal. */
export function beginExternalSignIn(browser: Agent, scheme = 'hospital', to?: string): Promise<Answer> {
  return browser.get(
    `/connect/authorize/external?${new URLSearchParams({ scheme, ...(to ? { returnUrl: to } : {}) })}`,
  );
}

export interface ExternalSignIn {
  /** The scheme of the portal's configuration. */
  scheme?: string;
  returnUrl?: string;
  browser?: Agent;
  /** The browser's cookies at the provider. */
  atProvider?: Agent;
}

/** Signs in at the provider and returns; `answer` is the portal's answer to the callback. */
export async function signInAtProvider(
  portal: TestPortal,
  provider: TestIdentityProvider,
  subject: string,
  { scheme = 'hospital', returnUrl, browser = new Agent(portal.issuer), atProvider: there }: ExternalSignIn = {},
): Promise<{ browser: Agent; callback: string; answer: Answer }> {
  const { location, status, text } = await beginExternalSignIn(browser, scheme, returnUrl);
  if (!location?.startsWith(provider.authority))
    throw new Error(`not sent to the provider: ${status} ${location} ${text}`);
  const callback = await provider.signIn(location, subject, there);
  return { browser, callback, answer: await browser.get(callback) };
}
