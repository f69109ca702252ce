#!/usr/bin/env node
/** `npx gatehouse <command>`: prepares the clone and becomes the command, in this very process. */
import { exitWith, prepare, root } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  exitWith(error);
}
// Configuration and data are looked for in the clone, wherever this was called from.
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/src/cli.js');
