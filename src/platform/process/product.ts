import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of package.json, for the sources and for the build. */
export const productRoot = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The product's own version (`spec §3`). */
export const productVersion = (
  JSON.parse(readFileSync(join(productRoot, 'package.json'), 'utf8')) as { version: string }
).version;

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}
