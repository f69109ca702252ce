import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, runnerImport } from 'vite';
import { antdStyles } from './antd-styles.js';
import { groups } from './chunks.js';
import { earlyStyles } from './early-styles.js';
import { fontFileNames, fontSubsets } from './font-subsets.js';
import { libraryParts } from './library-parts.js';
import { precompress } from './precompress.js';
import { preloadLinks } from './preload-links.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The English texts as a file, for translators who add a language. */
const textsFile: Plugin = {
  name: 'texts',
  async generateBundle() {
    const file = join(import.meta.dirname, 'texts.ts');
    const { module } = await runnerImport<typeof import('./texts.js')>(file, { configFile: false });
    this.emitFile({ type: 'asset', fileName: 'texts.en.json', source: JSON.stringify(module.texts, null, 2) });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // The server writes the path of its issuer in front, and chunks find each other by where they lie themselves.
  base: './',
  plugins: [
    libraryParts(),
    antdStyles(),
    react(),
    textsFile,
    earlyStyles(),
    fontSubsets(),
    preloadLinks(),
    precompress(),
  ],
  // Replaced by the server in every answer, so that the Content-Security-Policy needs no 'unsafe-inline'.
  html: { cspNonce: '__CSP_NONCE__' },
  define: { __APP_VERSION__: JSON.stringify(version) },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    sourcemap: false,
    // One style sheet: those of a page would be small, and each of them a round trip before anything is shown.
    cssCodeSplit: false,
    // Every browser that knows the language level of the build preloads modules by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /@rc-component/, sideEffects: false }] },
      output: {
        codeSplitting: { groups },
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith('.woff2')) ? fontFileNames : 'assets/[name]-[hash][extname]',
      },
    },
  },
  // `vite` alone serves the pages during development; everything else comes from a portal started next to it.
  server: { proxy: { '^/(api|connect|logout|\\.well-known)': 'http://localhost:3000' } },
});
