/**
 * Must be the first import: the engine (oidc-provider) prints a warning in bold, each time it is loaded, that it does
 * not support Node 20. Gatehouse is tested with it, and logs its own advice.
 */
const { warn } = console;

console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) {
    warn(...words);
    return;
  }
  console.warn = warn;
};

/** Advice to the operator about the running version of Node; undefined if there is none. */
export function nodeAdvice(version = process.versions.node): string | undefined {
  if (Number(version.split('.')[0]) >= 22) return undefined;
  return `Node ${version} works, and gets no more security fixes: use Node 22 or 24`;
}
