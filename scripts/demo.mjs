/**
 * `npm run demo`: Gatehouse with a FHIR server full of generated patients, accounts to sign in with, an app to sign in
 * to and a stand-in for an EHR, in one process and, once installed, without a network. What it stores lies in data/demo
 * and survives; `-- --reset` starts over. With `-- --port 4000` all of its ports move, and it stores in data/demo-4000,
 * so that demos run next to each other.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DEFAULT_PORTAL_PORT, demoPorts, LARGEST_PORTAL_PORT } from '../demo/demo-ports.js';
import { CommandFailed, exitWith, prepare, root } from './prepare.mjs';

process.chdir(root);
process.setSourceMapsEnabled(true);
try {
  const { ports, dataDir, isReset } = options();
  await prepare();
  // Before anything is removed: a demo that still runs would continue writing into the emptied folder.
  await mustBeFree(ports);
  if (isReset) await reset(dataDir);
  await start(ports, dataDir);
} catch (error) {
  exitWith(error);
}

function options() {
  const { port, reset: isReset } = parsed();
  const portal = Number(port);
  if (!/^\d+$/.test(port) || portal < 1 || portal > LARGEST_PORTAL_PORT) {
    throw new CommandFailed(`--port takes a number from 1 to ${LARGEST_PORTAL_PORT}, not ${port}.`);
  }
  const folder = portal === DEFAULT_PORTAL_PORT ? 'demo' : `demo-${portal}`;
  return { ports: demoPorts(portal), dataDir: join(root, 'data', folder), isReset };
}

function parsed() {
  const known = {
    port: { type: 'string', default: String(DEFAULT_PORTAL_PORT) },
    reset: { type: 'boolean', default: false },
  };
  try {
    return parseArgs({ options: known }).values;
  } catch (error) {
    throw new CommandFailed(`${error.message}\nThe demo takes --port <port of the portal> and --reset.`);
  }
}

async function start(ports, dataDir) {
  const portal = `http://localhost:${ports.portal}`;
  const { demoAccounts, demoClients, demoEhr } = await import('../demo/demo-accounts.js');
  const { demoDisclaimers } = await import('../demo/disclaimers.js');
  const { demoOrganizations } = await import('../demo/organizations.js');
  const { demoStepUp } = await import('../demo/step-up.js');
  const { demoRepresentation, importFamilies } = await import('../demo/families.js');
  const { startFhirServer } = await import('../demo/fhir-server/server.js');
  const { startSampleApp } = await import('../demo/app/server.js');
  const { startEhr } = await import('../demo/ehr/server.js');

  const accounts = demoAccounts();
  const fhir = await startFhirServer({ port: ports.fhir });
  const app = await startSampleApp({ port: ports.app, fhirBase: `${portal}/fhir` });
  const ehr = await startEhr({ port: ports.ehr, portal, app: app.url });
  const { tenants, brands } = demoOrganizations({ portal, clinic: fhir.clinicUrl });
  process.env.GATEHOUSE_CONFIG = await writeConfiguration({
    dataDir,
    server: { issuer: portal, port: ports.portal },
    // All of its patients are made up.
    fhir: { baseUrl: fhir.url, testPatients: ['1', '2'], tenants },
    ehr: { callers: [demoEhr] },
    // Apps that are tried out publish their keys on this machine, too.
    outbound: { allowedPrivateHosts: ['localhost'] },
    gateway: { stepUp: demoStepUp },
    branding: { organizationTitle: 'Demo Hospital' },
    account: {
      helpDesk: { phone: '+1 617 555 0100', email: 'help@demo-hospital.example', hours: 'Monday to Friday, 8 to 18' },
    },
    brands,
    audit: { reportAddress: 'privacy@demo-hospital.example' },
    logging: { level: 'warn' },
    ...demoRepresentation,
    disclaimers: demoDisclaimers,
    clients: demoClients(app.url),
    users: accounts,
  });
  // The demo has a database of its own, whatever this machine is otherwise set up for.
  delete process.env.DATABASE_URL;
  await import('../dist/src/main.js');
  await untilReady(ports.portal);
  const administrator = accounts.find(({ userType }) => userType === 'Admin');
  if (administrator) await importFamilies(portal, administrator);
  printTable([
    ['Sample app', app.url, ''],
    ['Stand-in for an EHR', ehr.url, ''],
    ['Portal', portal, ''],
    ['FHIR base for apps', `${portal}/fhir`, ''],
    ['FHIR server behind it', fhir.url, ''],
    ...accounts.map(({ fullName, userType, email, password }) => [`${fullName} (${userType})`, email, password]),
  ]);
}

/** Clients and accounts are registered by Gatehouse itself at its first start with this file. */
async function writeConfiguration(configuration) {
  const { stringify } = await import('yaml');
  const { dataDir } = configuration;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'gatehouse.yaml');
  await writeFile(file, `# Written by \`npm run demo\` at each start.\n${stringify(configuration)}`);
  return file;
}

async function reset(dataDir) {
  if (existsSync(join(dataDir, 'postgres'))) {
    const { startEmbeddedPostgres } = await import('../dist/src/platform/database/embedded-postgres.js');
    // A server may have outlived a demo that was killed; the last to leave stops it. One that cannot start needs no
    // stop.
    await startEmbeddedPostgres({ dataDir, log: { info() {}, error() {} } }).then(
      (database) => database.stop(),
      () => {},
    );
  }
  await rm(dataDir, { recursive: true, force: true });
}

async function mustBeFree(ports) {
  for (const port of Object.values(ports)) {
    if (await isFree(port)) continue;
    throw new CommandFailed(
      `Port ${port} is taken. The demo needs ${Object.values(ports).join(', ')}; --port moves all of them.`,
    );
  }
}

async function isFree(port) {
  const probe = createServer();
  const error = await new Promise((done) => {
    probe.once('error', done);
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(undefined)));
  });
  if (error && error.code !== 'EADDRINUSE') throw new CommandFailed(`Port ${port} cannot be used: ${error.message}`);
  return !error;
}

/** The portal ends the process when it cannot start. */
async function untilReady(port) {
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
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
