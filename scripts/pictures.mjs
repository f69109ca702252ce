/**
 * `npm run pictures`: the pictures of the README, taken in Chromium from a demo of its own, in light and dark. They are
 * in docs/pictures; a change of a page that they show needs them again.
 */
import { spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { demoAccounts } from '../demo/demo-accounts.js';
import { demoPorts } from '../demo/demo-ports.js';
import { findChromium } from './chromium.mjs';
import { root } from './prepare.mjs';

const ports = demoPorts(4900);
const portal = `http://localhost:${ports.portal}`;
const folder = join(root, 'docs', 'pictures');
const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 800 };
const [admin, patient] = demoAccounts();

await mkdir(folder, { recursive: true });
const demo = spawn(process.execPath, ['scripts/demo.mjs', '--port', String(ports.portal), '--reset'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const ended = new Promise((done) => {
  demo.once('exit', done);
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  await untilReady();
  for (const colorScheme of ['light', 'dark']) {
    await picture(`consent-${colorScheme}`, { colorScheme, viewport: phone }, toConsent);
    await picture(`clients-${colorScheme}`, { colorScheme, viewport: desktop }, toClients);
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await ended;
}

/** A patient decides what the sample app may see; another time, the agreements of the first time still stand. */
async function toConsent(page) {
  await page.goto(`http://localhost:${ports.app}/launch`);
  await signIn(page, patient);
  await page.waitForURL(/\/user\/(disclaimer|consent)/);
  if (page.url().includes('/user/disclaimer')) {
    await page.getByRole('button', { name: 'Confirm my choices' }).waitFor();
    for (const box of await page.getByRole('checkbox').all()) {
      await box.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
  }
  await page.getByRole('button', { name: 'Accept' }).waitFor();
}

/** An administrator looks at the registered clients, with one of them open next to the list. */
async function toClients(page) {
  await page.goto(`${portal}/login`);
  await signIn(page, admin);
  await page.waitForURL(/\/admin\//);
  await page.goto(`${portal}/admin/client-management`);
  await page.getByRole('row').nth(1).click();
  await page.getByRole('dialog').or(page.getByRole('complementary')).first().waitFor();
}

async function signIn(page, { email, password }) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function picture(name, look, open) {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce', deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await open(page);
  await page.waitForLoadState('networkidle');
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  process.stdout.write(`docs/pictures/${name}.png: ${Math.ceil((await stat(path)).size / 1024)} kB\n`);
}

async function untilReady() {
  const isReady = () =>
    fetch(`${portal}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (demo.exitCode !== null) throw new Error('the demo has not started');
    await sleep(200);
  }
}
