/**
 * `npm run demo`: Gatehouse with a FHIR server full of generated patients, accounts to sign in with, an app to sign in
 * to and a stand-in for an EHR, in one process and, once installed, without a network. What it stores lies in data/demo
 * and survives; `-- --reset` starts over.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, exitWith, prepare, root } from './prepare.mjs';

const PORTS = { portal: 3000, fhir: 3801, app: 3802, ehr: 3803 };
const PORTAL = `http://localhost:${PORTS.portal}`;
const dataDir = join(root, 'data', 'demo');

process.chdir(root);
process.setSourceMapsEnabled(true);
try {
  await prepare();
  // Before anything is removed: a demo that still runs would go on writing into the emptied folder.
  for (const port of Object.values(PORTS)) await mustBeFree(port);
  if (process.argv.includes('--reset')) await reset();
  await start();
} catch (error) {
  exitWith(error);
}

async function start() {
  const { demoAccounts, demoClients, demoEhr } = await import('../demo/demo-accounts.js');
  const { demoDisclaimers } = await import('../demo/disclaimers.js');
  const { startFhirServer } = await import('../demo/fhir-server/server.js');
  const { startSampleApp } = await import('../demo/app/server.js');
  const { startEhr } = await import('../demo/ehr/server.js');

  const accounts = demoAccounts();
  const fhir = await startFhirServer({ port: PORTS.fhir });
  const app = await startSampleApp({ port: PORTS.app, fhirBase: `${PORTAL}/fhir` });
  const ehr = await startEhr({ port: PORTS.ehr, portal: PORTAL });
  process.env.GATEHOUSE_CONFIG = await writeConfiguration({
    fhir,
    accounts,
    clients: demoClients,
    disclaimers: demoDisclaimers,
    ehr: demoEhr,
  });
  // The demo has a database of its own, whatever this machine is otherwise set up for.
  delete process.env.DATABASE_URL;
  await import('../dist/src/main.js');
  await untilReady();
  printTable([
    ['Sample app', app.url, ''],
    ['Stand-in for an EHR', ehr.url, ''],
    ['Portal', PORTAL, ''],
    ['FHIR base for apps', `${PORTAL}/fhir`, ''],
    ['FHIR server behind it', fhir.url, ''],
    ...accounts.map(({ fullName, userType, email, password }) => [`${fullName} (${userType})`, email, password]),
  ]);
}

/** Clients and accounts are registered by Gatehouse itself at its first start with this file. */
async function writeConfiguration({ fhir, accounts, clients, disclaimers, ehr }) {
  const { stringify } = await import('yaml');
  const configuration = {
    dataDir,
    server: { issuer: PORTAL, port: PORTS.portal },
    fhir: { baseUrl: fhir.url },
    ehr: { callers: [ehr] },
    // Apps that are tried out publish their keys on this machine, too.
    outbound: { allowedPrivateHosts: ['localhost'] },
    branding: { organizationTitle: 'Demo Hospital' },
    logging: { level: 'warn' },
    disclaimers,
    clients,
    users: accounts,
  };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'gatehouse.yaml');
  await writeFile(file, `# Written by \`npm run demo\` at each start.\n${stringify(configuration)}`);
  return file;
}

async function reset() {
  if (existsSync(join(dataDir, 'postgres'))) {
    const { startEmbeddedPostgres } = await import('../dist/src/platform/database/embedded-postgres.js');
    // A server may have outlived a demo that was killed; the last to leave stops it. One that cannot start needs no stop.
    await startEmbeddedPostgres({ dataDir, log: { info() {}, error() {} } }).then(
      (database) => database.stop(),
      () => {},
    );
  }
  await rm(dataDir, { recursive: true, force: true });
}

async function mustBeFree(port) {
  const probe = createServer();
  await new Promise((done, fail) => {
    probe.once('error', (error) => {
      const taken = error.code === 'EADDRINUSE';
      fail(
        taken ? new CommandFailed(`Port ${port} is taken. The demo needs ${Object.values(PORTS).join(', ')}.`) : error,
      );
    });
    probe.listen(port, '127.0.0.1', done);
  });
  await new Promise((done) => probe.close(done));
}

/** The portal ends the process when it cannot start. */
async function untilReady() {
  const ready = () =>
    fetch(`http://127.0.0.1:${PORTS.portal}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await ready())) await sleep(100);
}

function printTable(rows) {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  const line = `  ${widths.map((width) => '─'.repeat(width)).join('  ')}`;
  const print = (row) =>
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd());
  console.log();
  print(['What', 'Address or e-mail', 'Password']);
  console.log(line);
  for (const row of rows) print(row);
  console.log('\n  Open the sample app and sign in as one of the patients. Ctrl-C stops everything.\n');
}
