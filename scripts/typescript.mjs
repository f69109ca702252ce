/**
 * `node --import ./scripts/typescript.mjs <file>` runs TypeScript from its sources, compiled by SWC with the build's
 * own settings. The same file is the module hooks of Node, which run in a thread of their own.
 */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformFile } from '@swc/core';

const isTypeScript = (url) => /\.tsx?$/.test(url ?? '') && !url.includes('/node_modules/');

if (isMainThread) {
  process.setSourceMapsEnabled(true);
  register(import.meta.url);
}

/** An import names the compiled file: `./log.js` is `./log.ts`, if that exists. */
export async function resolve(specifier, context, nextResolve) {
  if (isTypeScript(context.parentURL) && /^\..*\.js$/.test(specifier)) {
    for (const extension of ['.ts', '.tsx']) {
      const url = new URL(specifier.replace(/\.js$/, extension), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!isTypeScript(url)) return nextLoad(url, context);
  const { code } = await transformFile(fileURLToPath(url), { swcrc: true, sourceMaps: 'inline' });
  return { format: 'module', source: code, shortCircuit: true };
}
