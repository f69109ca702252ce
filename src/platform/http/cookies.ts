import type { IncomingMessage } from 'node:http';

/** Names of the portal's cookies; with https they carry the prefixes that keep other hosts and paths from setting them. */
export function cookieNames(issuer: string) {
  const secure = issuer.startsWith('https:');
  return {
    secure,
    session: secure ? '__Host-gatehouse_session' : 'gatehouse_session',
    /** One random value per browser; an interaction answers only to the browser that started it. */
    browser: secure ? '__Host-gatehouse_browser' : 'gatehouse_browser',
    // Scoped to a path by the engine, which __Host- forbids.
    interaction: secure ? '__Secure-gatehouse_interaction' : 'gatehouse_interaction',
    resume: secure ? '__Secure-gatehouse_resume' : 'gatehouse_resume',
  };
}

/** The value of a cookie of the request. */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
