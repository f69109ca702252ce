/**
 * `npm start`: prepares the clone and becomes Gatehouse, in this very process, so that signals and exit codes are its
 * own.
 */
import { exitWith, prepare, root } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  exitWith(error);
}
// Configuration and data are looked for in the clone, wherever this was called from.
process.chdir(root);
await import('../dist/src/main.js');
