/** What follows the server's base in a link of it, which may be relative; undefined when it leads elsewhere. */
export function targetBelow(serverBase: string, url: string): string | undefined {
  if (!URL.canParse(url, `${serverBase}/`)) return undefined;
  const base = new URL(serverBase).href.replace(/\/$/, '');
  const { href } = new URL(url, `${serverBase}/`);
  const target = href.startsWith(base) ? href.slice(base.length) : '';
  return /^[/?]/.test(target) && !target.includes('#') ? target : undefined;
}
