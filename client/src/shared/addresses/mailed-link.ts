import { storageKey } from './base-path.js';

/** The parameters of a link by mail. */
export interface MailedLink {
  userId: string;
  token: string;
}

/** The pages that such links lead to. */
export const mailedPages = [
  '/account/activate',
  '/account/keep',
  '/account/recovery',
  '/password/reset',
  '/ask',
  '/invitation',
];

/** Null when something of it is missing. */
export function linkOf(search: string): MailedLink | null {
  const query = new URLSearchParams(search);
  const userId = query.get('u');
  const token = query.get('t');
  return userId && token ? { userId, token } : null;
}

const key = (path: string) => storageKey(`link:${path}`);

/**
 * The link is kept for this tab alone, so that the page can be reloaded after the address bar has dropped it, as
 * phones do with a tab that was left for a while.
 */
export function keepLink(path: string, { userId, token }: MailedLink): void {
  try {
    sessionStorage.setItem(key(path), `?${new URLSearchParams({ u: userId, t: token })}`);
  } catch {
    // Storage can be forbidden; then the page works until it is reloaded.
  }
}

/** The query of the link that led to this page of the tab; empty when there is none. */
export function keptLink(path: string): string {
  try {
    return (mailedPages.includes(path) && sessionStorage.getItem(key(path))) || '';
  } catch {
    return '';
  }
}

export function forgetLink(path: string): void {
  try {
    sessionStorage.removeItem(key(path));
  } catch {
    // See above.
  }
}
