import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const output = join(root, 'dist/.model');
let made = 0;
/** By path and text: a fault changes one file, and the others stay as they are. */
const known = new Map<string, string>();

async function compiled(path: string, text: string): Promise<string> {
  const key = `${path} ${text}`;
  const code = known.get(key) ?? (await transform(text, { filename: path, swcrc: true, sourceMaps: false })).code;
  known.set(key, code);
  return code;
}

/** A change of one place in the source of the gateway. */
export interface Fault {
  /** Below `src`. */
  file: string;
  before: string;
  after: string;
}

/** Faults in the files of a folder of `src`. */
export function faultsOf(folder: string): (file: string, ...changes: [before: string, after: string][]) => Fault[] {
  return (file, ...changes) => changes.map(([before, after]) => ({ file: `${folder}/${file}`, before, after }));
}

/**
 * Gateway and model in one file that a thread loads in a moment; with a fault, of a changed copy of the source. Throws
 * if the source does not have the place once.
 */
export async function bundled(fault?: Fault): Promise<{ url: string; remove(): Promise<void> }> {
  made += 1;
  const file = join(output, `${process.pid}-${made}.mjs`);
  await mkdir(output, { recursive: true });
  let isPlanted = false;
  const typescript = {
    name: 'typescript',
    resolveId(source: string, importer: string | undefined) {
      return importer && source.startsWith('.') ? join(importer, '..', source.replace(/\.js$/, '.ts')) : undefined;
    },
    async load(path: string) {
      if (!path.endsWith('.ts')) return undefined;
      let text = await readFile(path, 'utf8');
      if (fault && path === join(root, 'src', fault.file)) {
        if (text.split(fault.before).length !== 2) throw new Error(`${fault.file} does not have once: ${fault.before}`);
        text = text.replace(fault.before, () => fault.after);
        isPlanted = true;
      }
      return { code: await compiled(path, text), moduleType: 'js' as const };
    },
  };
  const bundle = await rolldown({
    input: fileURLToPath(new URL('worker.ts', import.meta.url)),
    external: /^[^./]/,
    platform: 'node',
    plugins: [typescript],
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  if (fault && !isPlanted) throw new Error(`the gateway does not load ${fault.file}`);
  return { url: pathToFileURL(file).href, remove: () => rm(file, { force: true }) };
}
