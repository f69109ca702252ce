import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { type LoadedPage, loadedPages } from '../src/contract/rules/pages.js';

/** The files that a page needs before it can be shown. */
interface PageFiles {
  scripts: string[];
  styles: string[];
}

/**
 * Lists the files of each page, which the server names in the page's document: else the browser learns of a page's own
 * scripts only when the application runs, which on a phone is a second later.
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
        const filesOf = ({ file, shell }: LoadedPage): PageFiles => {
          const sources = [...(shell ? [`app/shells/${shell}`] : []), `features/${file}`];
          const own = new Map(
            sources.flatMap((source) => closure(chunkOf(source), bundle)).map((one) => [one.fileName, one]),
          );
          const styles = [...own.values()].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
          return {
            scripts: [...own.keys()].filter(missing).map((name) => `/${name}`),
            styles: [...new Set(styles)].filter(missing).map((name) => `/${name}`),
          };
        };
        const source = JSON.stringify(
          Object.fromEntries(loadedPages.map((page) => [page.path, filesOf(page)])),
          null,
          2,
        );
        this.emitFile({ type: 'asset', fileName: '.preload-links.json', source });
      },
    },
  };
}

/** A chunk's dependencies, then the chunk: a style sheet wins over those of its imports. */
function closure(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  known = new Set<string>(),
): Rolldown.OutputChunk[] {
  known.add(chunk.fileName);
  const before = chunk.imports.flatMap((name) => {
    const imported = bundle[name];
    return imported?.type === 'chunk' && !known.has(name) ? closure(imported, bundle, known) : [];
  });
  return [...before, chunk];
}
