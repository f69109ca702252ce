/**
 * `node scripts/checks/modules.mjs`: checks that each folder of `src` says what it is and on which line of the
 * direction of use it stands (`scripts/modules.cjs`), and that `app.module.ts` has all modules in this direction.
 */
import { readdirSync, readFileSync } from 'node:fs';
import modules from '../modules.cjs';

const described = modules.modulesOf('src');
const known = new Set([...modules.FOUNDATIONS, ...described.map(({ name }) => name)]);
const unknown = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !known.has(entry.name))
  .map(
    ({ name }) => `src/${name}/${name}.module.ts does not say what the module is and its line of the direction of use`,
  );
const start = modules.faultsOfStart(
  described,
  readFileSync('src/app.module.ts', 'utf8'),
  readFileSync('src/cli.module.ts', 'utf8'),
);
const faults = [...unknown, ...start];
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
