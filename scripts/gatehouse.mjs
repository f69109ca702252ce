#!/usr/bin/env node
/** `npx gatehouse <command>`: prepares the clone and becomes the command, in this very process. */
import { exitWith, prepare, root } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  exitWith(error);
}
// Files in arguments are relative to the folder of the caller.
process.env.INIT_CWD = process.cwd();
// Configuration and data are looked for in the clone, wherever this was called from.
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/src/cli.js');
