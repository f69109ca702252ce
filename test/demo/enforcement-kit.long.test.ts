import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { generateCareProviders } from '../../demo/data/care-providers.js';
import { fullName } from '../../demo/data/names.js';
import { generatePerson } from '../../demo/data/patients.js';
import { demoAccounts } from '../../demo/demo-accounts.js';
import { demoRepresentation, importFamilies } from '../../demo/families.js';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { useBrowser } from '../support/browser/browser.js';
import { expectConsent, expectLogin } from '../support/browser/pages.js';
import { createDatabase } from '../support/database/database.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { until } from '../support/until.js';

const browser = useBrowser();
const [administrator, one, other] = demoAccounts();
if (!administrator || !one || !other) throw new Error('The demo has no two patients.');

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let database: Awaited<ReturnType<typeof createDatabase>>;
let portal: PortalProcess;
let folder: string;
let callbackPort: number;

beforeAll(async () => {
  const [port = 0, free = 0] = await freePorts(2);
  callbackPort = free;
  [fhirServer, database] = await Promise.all([startFhirServer({ port: 0 }), createDatabase()]);
  portal = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      fhir: { baseUrl: fhirServer.url },
      ...demoRepresentation,
      users: demoAccounts(),
      clients: [
        {
          clientId: 'enforcement-kit',
          clientName: 'Enforcement kit',
          clientType: 'StandaloneApp',
          requireClientSecret: false,
          requirePkce: true,
          requireConsent: true,
          redirectUris: [`http://127.0.0.1:${callbackPort}/callback`],
        },
      ],
    },
  });
  await until(async () => (await fetch(`${portal.issuer}/fhir/metadata`)).status === 200);
  folder = mkdtempSync(join(tmpdir(), 'packed-kit-'));
  execFileSync('npm', ['pack', '-w', 'kit', '--pack-destination', folder], { stdio: 'ignore' });
  // In place of the browser of the system: it writes the address down, which the test opens.
  writeFileSync(join(folder, 'browser.sh'), `#!/bin/sh\necho "$1" >> '${join(folder, 'addresses')}'\n`, {
    mode: 0o755,
  });
  writeFileSync(join(folder, 'addresses'), '');
  mkdirSync(join(folder, 'empty'));
});

afterAll(async () => {
  await portal?.end('SIGTERM');
  await fhirServer?.close();
  await database?.drop();
  rmSync(folder, { recursive: true });
});

/** What the command has said so far. */
let said = '';

/** Runs the packed command in an empty folder. */
function kit(args: readonly string[]): Promise<{ code: number; text: string }> {
  const { version } = JSON.parse(readFileSync('kit/package.json', 'utf8')) as { version: string };
  const command = ['--yes', '--offline', `../gatehouse-enforcement-kit-${version}.tgz`, ...args];
  const env = { ...process.env, BROWSER: join(folder, 'browser.sh') };
  said = '';
  return new Promise((done) => {
    const child = execFile('npx', command, { cwd: join(folder, 'empty'), env }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
    child.stderr?.on('data', (text) => {
      said += text;
    });
  });
}

const addressFor = (name: string) => new RegExp(`as patient ${name}.*\\n {2}(http\\S+)`).exec(said)?.[1] ?? '';

/** With the name of a patient where the user acts for some. */
async function signInAs(
  page: Page,
  address: string,
  person: { email: string; password: string },
  patient?: string,
): Promise<void> {
  await page.goto(address);
  await (await expectLogin(page)).signIn(person);
  if (patient !== undefined) {
    await page.getByRole('radio', { name: patient }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    // What was allowed for the own record by the test before is remembered.
    const accept = page.getByRole('button', { name: /^Accept/ });
    const end = page.getByText('You can close this page.');
    await accept.or(end).waitFor();
    if (await accept.isVisible()) await accept.click();
    await end.waitFor();
    return;
  }
  await (await expectConsent(page, 'Enforcement kit')).accept.click();
  await page.getByText('You can close this page.').waitFor();
}

it('The packed kit signs two patients in with a browser, and finds nothing before the demo', async () => {
  const began = Date.now();
  const args = ['--url', `${portal.issuer}/fhir`, '--sign-in', 'enforcement-kit', '--rate', '40', '--minutes', '1'];
  const running = kit([...args, '--redirect-port', String(callbackPort), '--json', join(folder, 'report.json')]);
  const opened = () => readFileSync(join(folder, 'addresses'), 'utf8').trim();
  await until(() => opened() !== '');
  expect(opened()).toBe(addressFor('A'));
  await signInAs(await browser.open(), opened(), one);
  await until(() => addressFor('B') !== '');
  // The pages of a test share nothing, as a private window.
  await signInAs(await browser.open(), addressFor('B'), other);
  const { code, text } = await running;
  expect(text).toContain('0 ways found something');
  expect(text).not.toContain('The report is not complete');
  expect(code).toBe(0);
  expect(Date.now() - began).toBeLessThan(5 * 60_000);
  const { actors, results } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    actors: { name: string; resources: number }[];
    results: { state: string }[];
  };
  expect(actors.map(({ name, resources }) => [name, resources > 10])).toEqual([
    ['A', true],
    ['B', true],
  ]);
  expect(results.filter(({ state }) => state === 'nothing found').length).toBeGreaterThan(100);
});

it('The packed kit finds nothing with the token of a user who acts for a patient', async () => {
  await importFamilies(portal.issuer, administrator);
  writeFileSync(join(folder, 'addresses'), '');
  const args = ['--url', `${portal.issuer}/fhir`, '--sign-in', 'enforcement-kit', '--rate', '40', '--minutes', '1'];
  const running = kit([...args, '--redirect-port', String(callbackPort), '--json', join(folder, 'report.json')]);
  const [represented = {}] = generatePerson(13, generateCareProviders()).patient.name ?? [];
  await until(() => addressFor('A') !== '');
  await signInAs(await browser.open(), addressFor('A'), one, fullName(represented));
  await until(() => addressFor('B') !== '');
  await signInAs(await browser.open(), addressFor('B'), other, other.fullName);
  const { code, text } = await running;
  expect([code, text]).toEqual([0, expect.stringContaining('0 ways found something')]);
  expect(text).not.toContain('The report is not complete');
});

it('The packed kit says in a sentence that a sign-in was declined, and ends with 2', async () => {
  writeFileSync(join(folder, 'addresses'), '');
  const args = ['--url', `${portal.issuer}/fhir`, '--sign-in', 'not-registered'];
  const running = kit([...args, '--redirect-port', String(callbackPort)]);
  await until(() => readFileSync(join(folder, 'addresses'), 'utf8') !== '');
  await fetch(`http://127.0.0.1:${callbackPort}/callback?error=access_denied&error_description=No`);
  const { code, text } = await running;
  expect([code, text]).toEqual([2, expect.stringContaining('Signing in ended with access_denied. No')]);
});
