/**
 * Returns the part of a server's link after the server's base; undefined when the link leads to another server. The link may
 * be relative.
 */
export function targetBelow(serverBase: string, url: string): string | undefined {
  if (!URL.canParse(url, `${serverBase}/`)) return undefined;
  const base = new URL(serverBase).href.replace(/\/$/, '');
  const { href } = new URL(url, `${serverBase}/`);
  const target = href.startsWith(base) ? href.slice(base.length) : '';
  return /^[/?]/.test(target) && !target.includes('#') ? target : undefined;
}
