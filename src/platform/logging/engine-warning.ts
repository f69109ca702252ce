/**
 * Imported before everything else: the engine (oidc-provider) writes in bold between our own lines, each time it is
 * loaded, that it does not support Node 20. Gatehouse is tested with it, and says by itself what to do.
 */
const { warn } = console;

console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) {
    warn(...words);
    return;
  }
  console.warn = warn;
};

/** What to tell an operator of the Node that this runs on; undefined where there is nothing to tell. */
export function nodeAdvice(version = process.versions.node): string | undefined {
  if (Number(version.split('.')[0]) >= 22) return undefined;
  return `Node ${version} works, and gets no more security fixes: use Node 22 or 24`;
}
