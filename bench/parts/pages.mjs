import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium, request } from 'playwright-core';
import { findChromium } from '../../scripts/chromium.mjs';
import { withNginx } from '../servers/nginx.mjs';
import { freePort, withGatehouse } from '../servers/processes.mjs';
import { login } from '../tools/requests.mjs';

const patient = {
  email: 'bench.patient@example.org',
  password: 'granite-violin-5512',
  fullName: 'Bench Patient',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/1' }],
};
const admin = { ...patient, email: 'bench.admin@example.org', userType: 'Admin', claims: [] };
const app = {
  clientId: 'bench-app',
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  enabled: true,
  requireClientSecret: false,
  requirePkce: true,
  requireConsent: true,
  allowOfflineAccess: true,
  showFineGrainedScopes: true,
  redirectUris: ['http://localhost/callback'],
};
const scope = 'openid fhirUser offline_access launch/patient patient/Observation.rs patient/Appointment.cruds';
const lighthouseFolder = '../lighthouse/node_modules/lighthouse/core';
/** A mid-range phone on 4G. */
const phone = { wanted: { performance: 0.95, accessibility: 1 }, isPhone: true };
/**
 * Lighthouse is four times as slow as the machine, which makes a machine of this speed (`benchmarkIndex`) a mid-range
 * phone.
 */
const fast = { index: 1750, slowdown: 4 };
const desk = {
  wanted: { performance: 0.95, accessibility: 0.95, 'best-practices': 0.95 },
  preset: 'desktop-config.js',
};

const adminPages = [
  ...['dashboard', 'user-management', 'client-management', 'openid-configuration', 'smart-configuration'],
  'account-settings',
];

/**
 * The scores that Lighthouse gives to the pages a patient meets on a phone, and to those of an administrator at a desk,
 * behind a proxy with TLS and HTTP/2, as users reach them (browsers ask for brotli there only), with the audits that
 * cost points where they are below what is wanted, and how much JavaScript came over the wire.
 */
export async function pages(table) {
  // Larger than all else that is installed for development together, and needed here alone; and it would change what
  // is.
  const { default: lighthouse } = await import(`${lighthouseFolder}/index.js`).catch(() => ({}));
  if (!lighthouse) {
    console.log('Lighthouse is not installed: npm install --prefix bench/lighthouse lighthouse@12.8.2');
    return;
  }
  const tls = await freePort();
  const server = { issuer: `https://localhost:${tls}`, trustedProxies: ['127.0.0.1'] };
  await withGatehouse({ users: [patient, admin], clients: [app], server }, ({ origin, dataDir }) =>
    withNginx(new URL(origin).port, (nginx) => judgeAll(lighthouse, table, { origin: nginx.origin, dataDir }), { tls }),
  );
}

async function judgeAll(lighthouse, table, { origin, dataDir }) {
  const port = await freePort();
  const flags = ['--headless', '--no-sandbox', '--ignore-certificate-errors', `--remote-debugging-port=${port}`];
  const browser = spawn(findChromium(), [...flags, `--user-data-dir=${join(dataDir, 'browser')}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // With a group of its own: what the name starts may be a script that starts the browser.
    detached: true,
  });
  await listening(browser);
  try {
    const indexes = [];
    const judge = async (name, url, visitor, look) => {
      const slowdown = look.isPhone ? slowdownAt(median(indexes)) : undefined;
      const lhr = await score(lighthouse, table, { name, url, visitor, port, slowdown, ...look });
      indexes.push(lhr.environment.benchmarkIndex);
    };
    await judge('login', `${origin}/login`, await visitorOf(origin), desk);
    const administrator = await visitorOf(origin, admin);
    for (const page of adminPages) await judge(page, `${origin}/admin/${page}`, administrator, desk);
    const visitor = await visitorOf(origin, patient);
    const { returnUrl, consent } = await asked(origin, visitor);
    table.ratio('benchmark index of Lighthouse', median(indexes));
    table.ratio('the phone is slower than this machine by', slowdownAt(median(indexes)));
    await judge('consent', consent, visitor, phone);
    const answer = { returnUrl, rememberConsent: true, scopesConsented: scope.split(' ') };
    await visitor.post('/api/consent', { data: answer });
    await judge('grants', `${origin}/user/grants`, visitor, phone);
  } finally {
    process.kill(-browser.pid, 'SIGKILL');
    await once(browser, 'exit');
  }
}

/** Until the browser can be talked to. */
async function listening({ stderr }) {
  for await (const chunk of stderr) if (String(chunk).includes('DevTools listening')) return;
  throw new Error('the browser did not start');
}

/**
 * A slow machine has to be slowed down less, as the documentation of Lighthouse says; a fast one is slowed down as
 * Lighthouse does by itself.
 */
const slowdownAt = (index) => Math.min(fast.slowdown, Math.max(1, (fast.slowdown * index) / fast.index));

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** The middle one of five visits, each of a browser that has nothing of the portal yet. */
async function score(lighthouse, table, { name, url, visitor, port, wanted, preset, slowdown }) {
  const flags = {
    port,
    logLevel: 'silent',
    onlyCategories: Object.keys(wanted),
    ...(slowdown && { throttling: { cpuSlowdownMultiplier: slowdown } }),
  };
  await giveCookies(port, visitor);
  const config = preset && (await import(`${lighthouseFolder}/config/${preset}`)).default;
  const visits = [];
  for (let visit = 0; visit < 5; visit += 1) {
    const { lhr } = await lighthouse(url, flags, config);
    if (lhr.finalDisplayedUrl !== url) throw new Error(`${name}: came to ${lhr.finalDisplayedUrl}`);
    visits.push(lhr);
  }
  const performance = ({ categories }) => categories.performance.score;
  const lhr = visits.toSorted((one, other) => performance(one) - performance(other))[2];
  table.ratio(`${name}: JavaScript in kB`, await scriptSize(lhr, visitor));
  for (const [category, least] of Object.entries(wanted)) {
    const reached = lhr.categories[category].score;
    table.ratio(`${name}: Lighthouse ${category} (at least ${least})`, reached);
    if (reached < least) process.stdout.write(`${name}, ${category}: ${findings(lhr, category)}\n`);
  }
  return lhr;
}

/** The visitor's cookies, in the browser itself: Chromium sends a `Cookie` among extra headers with the page alone. */
async function giveCookies(port, visitor) {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const [context] = browser.contexts();
  await context.clearCookies();
  const { cookies } = await visitor.storageState();
  await context.addCookies(cookies);
  await browser.close();
}

/** Kilobytes, compressed as browsers ask for it where there is TLS (brotli). */
async function scriptSize({ audits }, visitor) {
  const scripts = audits['network-requests'].details.items.filter(({ resourceType }) => resourceType === 'Script');
  const sizes = scripts.map(async ({ url }) => {
    const answer = await visitor.head(url, { headers: { 'accept-encoding': 'br' } });
    return Number(answer.headers()['content-length']);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

/** The audits that cost points. */
function findings({ audits, categories }, category) {
  const failed = categories[category].auditRefs.filter(({ id, weight }) => weight > 0 && audits[id].score < 1);
  return failed.map(({ id }) => `${id} ${audits[id].displayValue ?? ''}`).join(', ');
}

/** Requests with the cookies of a visitor, who is signed in as this person. */
async function visitorOf(origin, person) {
  const visitor = await request.newContext({ baseURL: origin, ignoreHTTPSErrors: true, failOnStatusCode: true });
  if (person) {
    const { path, body } = login(person);
    await visitor.post(path, { data: JSON.parse(body) });
  }
  return visitor;
}

/** At the consent page of the app's request. */
async function asked(origin, visitor) {
  const query = {
    client_id: app.clientId,
    redirect_uri: app.redirectUris[0],
    response_type: 'code',
    scope,
    aud: `${origin}/fhir`,
    state: 'bench',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
  };
  const answer = await visitor.get('/connect/authorize', { params: query });
  return { consent: answer.url(), returnUrl: new URL(answer.url()).searchParams.get('returnUrl') };
}
