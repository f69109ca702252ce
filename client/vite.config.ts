import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), precompress()],
  // Replaced by the server in every answer, so that the Content-Security-Policy needs no 'unsafe-inline'.
  html: { cspNonce: '__CSP_NONCE__' },
  define: { __APP_VERSION__: JSON.stringify(version) },
  build: { outDir: '../dist/client', emptyOutDir: true, sourcemap: false },
  // `vite` alone serves the pages during development; everything else comes from a portal started beside it.
  server: { proxy: { '^/(api|connect|logout|\\.well-known)': 'http://localhost:3000' } },
});
