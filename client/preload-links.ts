import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { type LoadedPage, loadedPages } from '../src/contract/rules/pages.js';

/**
 * Lists the scripts of each page that are not in the document anyway, as all styles are. The server names them in the
 * page's document: else the browser learns of a page's own scripts only when the application runs, which on a phone is
 * a second later.
 */
export function preloadLinks(): Plugin {
  return {
    name: 'gatehouse:preload-links',
    apply: 'build',
    generateBundle: {
      // Once Vite has written the document, and has taken out the chunks of which nothing but a style sheet is left.
      order: 'post',
      handler(_options, bundle) {
        const document = bundle['index.html'];
        const html = document?.type === 'asset' ? String(document.source) : '';
        const missing = (fileName: string) => !html.includes(`/${fileName}"`);
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const chunkOf = (file: string) => {
          const source = join(import.meta.dirname, 'src', `${file}.tsx`);
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === source);
          return chunk ?? this.error(`${file} is in no chunk of its own`);
        };
        const scriptsOf = ({ file, shell }: LoadedPage): string[] => {
          const sources = [...(shell ? [`app/shells/${shell}`] : []), `features/${file}`];
          const own = new Set(sources.flatMap((source) => closure(chunkOf(source), bundle)));
          return [...own].filter(missing).map((name) => `/${name}`);
        };
        const source = JSON.stringify(
          Object.fromEntries(loadedPages.map((page) => [page.path, scriptsOf(page)])),
          null,
          2,
        );
        this.emitFile({ type: 'asset', fileName: '.preload-links.json', source });
      },
    },
  };
}

/** The files of a chunk's dependencies, then its own. */
function closure(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle, known = new Set<string>()): string[] {
  known.add(chunk.fileName);
  const before = chunk.imports.flatMap((name) => {
    const imported = bundle[name];
    return imported?.type === 'chunk' && !known.has(name) ? closure(imported, bundle, known) : [];
  });
  return [...before, chunk.fileName];
}
