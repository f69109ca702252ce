/**
 * `npm run bench`: what requests cost here, next to what they cost without Gatehouse, all in one run. Trust the ratios,
 * not the numbers. Prints a table and writes `result.json` next to this file. `npm run bench -- tokens` runs one part
 * of it; with `--write` the results become sections of `docs/numbers.md`. A part that fails does not prevent the
 * others.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CommandFailed, exitWith, prepare } from '../scripts/prepare.mjs';
import { activity } from './parts/activity.mjs';
import { audit } from './parts/audit.mjs';
import { clients } from './parts/clients.mjs';
import { gateway } from './parts/gateway.mjs';
import { gateways } from './parts/gateways.mjs';
import { growth } from './parts/growth.mjs';
import { keycloak } from './parts/keycloak.mjs';
import { latency } from './parts/latency.mjs';
import { nodes } from './parts/nodes.mjs';
import { pages } from './parts/pages.mjs';
import { palette } from './parts/palette.mjs';
import { recording } from './parts/recording.mjs';
import { representation } from './parts/representation.mjs';
import { signIns } from './parts/sign-ins.mjs';
import { start } from './parts/start.mjs';
import { telemetry } from './parts/telemetry.mjs';
import { timing } from './parts/timing.mjs';
import { tokens } from './parts/tokens.mjs';
import { users } from './parts/users.mjs';
import { writeNumbers } from './tools/numbers.mjs';
import { Table } from './tools/table.mjs';

const parts = { start, tokens, latency, timing, users, clients, palette, gateway, pages };
/** Parts that run only when they are named: they fill gigabytes, download a peer, or are within another part. */
const onRequest = {
  ...{ nodes, growth, activity, audit, recording, representation, telemetry, keycloak, gateways },
  'sign-ins': signIns,
};
const known = { ...parts, ...onRequest };
const named = process.argv.slice(2).filter((word) => word !== '--write');
const unknown = named.filter((name) => !known[name]);
if (unknown.length > 0)
  exitWith(new CommandFailed(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(known).join(' ')}`));

await prepare();
const done = {};
for (const name of named.length > 0 ? named : Object.keys(parts)) {
  const table = new Table();
  try {
    await known[name](table);
    done[name] = table;
  } catch (error) {
    process.stderr.write(`The part ${name} failed: ${error.stack}\n`);
    process.exitCode = 1;
  }
}
for (const table of Object.values(done)) table.print();
printGoals(Object.values(done).flatMap((table) => table.goals()));
const results = Object.fromEntries(Object.entries(done).map(([name, { rows, ratios }]) => [name, { rows, ratios }]));
const file = fileURLToPath(new URL('result.json', import.meta.url));
await writeFile(file, `${JSON.stringify({ node: process.version, parts: results }, null, 2)}\n`);
if (process.argv.includes('--write')) await writeNumbers(results);

function printGoals(all) {
  if (all.length === 0) return;
  const missed = all.filter(({ goal }) => !goal.isMet);
  process.stdout.write(`\nGoals: ${all.length - missed.length} of ${all.length} are met.\n`);
  for (const { name, goal, value } of missed) process.stdout.write(`  ${name}: ${value} (${goal.text})\n`);
}
