import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressors = { br: promisify(brotliCompress), gz: promisify(gzip) };
/** Below this a header costs as much as is won. */
const smallest = 1024;

/**
 * Lays compressed copies next to scripts and styles: the server serves them as they are and never compresses itself.
 */
export function precompress(): Plugin {
  return {
    name: 'gatehouse:precompress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const paths = Object.keys(bundle)
        .filter((name) => /\.(js|css)$/.test(name))
        .map((name) => join(dir, name));
      for (const path of paths) {
        const content = await readFile(path);
        if (content.length < smallest) continue;
        for (const [extension, compress] of Object.entries(compressors)) {
          await writeFile(`${path}.${extension}`, await compress(content));
        }
      }
    },
  };
}
