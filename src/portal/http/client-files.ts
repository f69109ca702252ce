import { type Dirent, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** A built file and the compressed copies that lie next to it. */
export interface ClientFile {
  path: string;
  compressed: Partial<Record<'br' | 'gzip', string>>;
}

/**
 * The files of the built client. They are listed once, at start: an address is looked up in that list and never becomes
 * a path, so nothing next to the client's own files can be asked for (security T-06).
 */
export class ClientFiles {
  private readonly files = new Map<string, ClientFile>();

  constructor(folder: string) {
    const built = new Map(listed(folder).map((path) => [`/${relative(folder, path).split(sep).join('/')}`, path]));
    for (const [address, path] of built) {
      if (!isPublic(address)) continue;
      const [br, gzip] = [built.get(`${address}.br`), built.get(`${address}.gz`)];
      this.files.set(address, { path, compressed: { ...(br && { br }), ...(gzip && { gzip }) } });
    }
  }

  byAddress(address: string): ClientFile | undefined {
    return this.files.get(address);
  }
}

/**
 * Excludes the document, whose nonce has to be filled in, source maps, hidden files and the compressed copies
 * themselves.
 */
function isPublic(address: string): boolean {
  return !/\.(html|map|br|gz)$|\/\./.test(address);
}

function listed(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Empty without a built client: the portal's API works without its pages. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
