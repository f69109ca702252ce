import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { precompress } from './precompress.js';
import { en } from './src/shared/i18n/en/en.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The English texts as a file, for whoever adds a language. */
const texts: Plugin = {
  name: 'texts',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'texts.en.json', source: JSON.stringify(en, null, 2) });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), texts, precompress()],
  // Replaced by the server in every answer, so that the Content-Security-Policy needs no 'unsafe-inline'.
  html: { cspNonce: '__CSP_NONCE__' },
  define: { __APP_VERSION__: JSON.stringify(version) },
  build: { outDir: '../dist/client', emptyOutDir: true, sourcemap: false },
  // `vite` alone serves the pages during development; everything else comes from a portal started beside it.
  server: { proxy: { '^/(api|connect|logout|\\.well-known)': 'http://localhost:3000' } },
});
