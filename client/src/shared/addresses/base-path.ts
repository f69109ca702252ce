/**
 * The path below which the portal lies on its host, such as `/auth`; empty where it has the host to itself. The router
 * knows it, too: its addresses are without it. Tests run where there is no document.
 */
export const basePath =
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[name="gatehouse-base"]')?.content ?? '');

/** The server's address for a path that is not the router's affair. */
export function portalPath(path: string): string {
  return basePath + path;
}

/** The path as the router has it; null for one that is not the portal's. */
export function insidePath(path: string, base = basePath): string | null {
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' ? '/' : null;
}

/** The key of a value in the browser's storage, which several portals of one host share. */
export const storageKey = (name: string): string => `gatehouse${basePath}.${name}`;
