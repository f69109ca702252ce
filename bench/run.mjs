/**
 * `npm run bench`: what requests cost here, beside what they cost without Gatehouse, all in one run. Trust the ratios,
 * not the numbers. Prints a table and writes `result.json` beside this file. `npm run bench -- tokens` runs one part of it.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';
import { clients } from './clients.mjs';
import { gateway } from './gateway.mjs';
import { growth } from './growth.mjs';
import { keycloak } from './keycloak.mjs';
import { latency } from './latency.mjs';
import { nodes } from './nodes.mjs';
import { pages } from './pages.mjs';
import { signIns } from './sign-ins.mjs';
import { start } from './start.mjs';
import { Table } from './table.mjs';
import { timing } from './timing.mjs';
import { tokens } from './tokens.mjs';
import { users } from './users.mjs';

const parts = { start, tokens, latency, 'sign-ins': signIns, timing, users, clients, gateway, pages };
/** Parts that run only when they are named: they fill gigabytes, or download a peer. */
const onRequest = { nodes, growth, keycloak };
const wanted = process.argv.slice(2);
const table = new Table();

await prepare();
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) await { ...parts, ...onRequest }[name](table);
table.print();
const { rows, ratios } = table;
const file = fileURLToPath(new URL('result.json', import.meta.url));
await writeFile(file, `${JSON.stringify({ node: process.version, rows, ratios }, null, 2)}\n`);
