import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const keptMs = 60_000;

/**
 * Returns a function that puts files and lines of the sources into a stack trace, for the files of one folder that have
 * a source map next to them. A trace also contains the error's message, which a request may have caused, so no other
 * file is read. Maps that Node itself enables (`--enable-source-maps`) take 30 MB from the start on; here one is read
 * for the first error and dropped a minute later.
 */
export function sourcePositionsIn(folder: string): (stack: string) => string {
  const maps = new Map<string, SourceMap>();
  const places = new RegExp(
    `(${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[\\w-]+(?:\\.[\\w-]+)*\\.js):(\\d+):(\\d+)`,
    'g',
  );

  const mapOf = (file: string): SourceMap | undefined => {
    const known = maps.get(file);
    if (known) return known;
    const read = readMap(file);
    if (!read) return undefined;
    maps.set(file, read);
    setTimeout(() => maps.delete(file), keptMs).unref();
    return read;
  };

  return (stack) =>
    stack.replace(places, (place, file, line, column) => {
      const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (!found || !('originalSource' in found)) return place;
      return `${new URL(found.originalSource, file).href}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    });
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    // Packages have none.
    return undefined;
  }
}
