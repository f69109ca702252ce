import type { Page } from 'playwright-core';
import type { LaunchView } from '../../../src/contract/activity.js';
import type { Path } from '../../../src/contract/rules/pages.js';
import { ActivityLog } from '../../../src/platform/activity/activity-log.js';
import { AdminInvitations } from '../../../src/users/application/admin-invitations.js';
import { KeepLinks } from '../../../src/users/application/deletion/keep-links.js';
import { RequestLinks } from '../../../src/users/application/request-links.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { foreignTexts, makePseudoLanguages, type PseudoLanguages } from '../../support/browser/pseudo-language.js';
import { publicApp } from '../../support/clients/clients.js';
import { startLargeFhirServer } from '../../support/fhir/large-fhir-server.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { recordAccesses } from '../../support/portal/recorded-accesses.js';
import { authenticatorCode } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const agreeing = { ...publicApp, clientId: 'agreeing-app', clientName: 'Gentle Heart' };
const strict = { ...publicApp, clientId: 'strict-app', clientName: 'Ward Round', require2fa: true };
const silent = { ...publicApp, clientId: 'silent-app', clientName: 'Quiet Ward', requireConsent: false };
const disclaimer = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', clients: ['agreeing-app'] };
const scope = 'openid fhirUser offline_access launch/patient patient/Observation.rs patient/Appointment.cruds launch';

/** Texts that are the same in every language: names, addresses, texts of the FHIR server and of the operator. */
const data = [
  ...Object.values(people).flatMap(({ fullName, email }) => [fullName, email]),
  ...[...Object.values(people).map(({ fullName }) => fullName.replace(/[^A-Z]/g, '')), 'AJ', 'HC', 'WR', 'QW', 'GH'],
  ...[publicApp, strict, silent, agreeing].flatMap(({ clientName, clientId }) => [clientName, clientId]),
  ...[
    'Portal use',
    'invited.admin@example.org',
    'Be careful.',
    'Gatehouse',
    'localhost',
    'XXXXXX-XXXXXX',
    '/api/admin/client',
  ],
  ...[
    'Amelia Jane Ward',
    'Imaging study',
    'Noah Reed',
    'Female',
    'Male',
    'NB',
    'Patient/1',
    'Patient/2',
    'Patient/3',
    'Practitioner/practitioner-1',
  ],
];

let languages: PseudoLanguages;
let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  languages = await makePseudoLanguages();
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url, testPatients: ['1'] },
      languages: languages.config,
      users: Object.values(people),
      clients: [publicApp, strict, silent, agreeing],
      disclaimers: [{ everyLogin: false, ...disclaimer }],
    },
  });
  await new SmartApp(portal, { scope }).tokens(people.patient);
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
  await languages.remove();
});

type Show = (page: Page) => Promise<unknown>;

async function settled(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('heading', { level: 1 }).filter({ hasText: '⟦' }).waitFor();
  await page.waitForLoadState('networkidle');
}

const at =
  (path: string): Show =>
  async (page) => {
    await page.goto(portal.issuer + path);
    await settled(page, path.split('?')[0] ?? '');
  };

const as =
  (person: (typeof people)[keyof typeof people], show: Show): Show =>
  async (page) => {
    await signInByApi(page, portal.issuer, person);
    await show(page);
  };

/** Goes to the page at which this app's request stops. */
const asked =
  (client: typeof publicApp, path: string, further: Record<string, string> = {}): Show =>
  async (page) => {
    const app = new SmartApp(portal, { client, scope, parameters: further });
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await settled(page, path);
  };

/** Then presses these buttons, and waits for what the last one opens. */
const then =
  (show: Show, brought: string, ...buttons: RegExp[]): Show =>
  async (page) => {
    await show(page);
    for (const name of buttons) await page.getByRole('button', { name }).first().click();
    await page.locator(brought).first().waitFor();
  };
const dialog = '[role=dialog]:focus-within';
const error = '[aria-invalid=true]';
const field = 'input:focus';

const toTry: Show = async (page) => {
  const { clients } = await (
    await page.request.get(`${portal.issuer}/api/admin/client?searchTerm=${publicApp.clientId}`)
  ).json();
  await at(`/admin/try-launch?${new URLSearchParams({ client: clients[0].id })}`)(page);
};

/** With scopes that are cut. */
const tried: Show = async (page) => {
  await toTry(page);
  await page.getByRole('textbox').fill('user/*.rs patient/Practitioner.rs system/*.rs');
  await page.getByRole('button', { name: /^⟦Stårt/ }).click();
  await settled(page, '/user/consent');
  const accept = page.getByRole('button', { name: /^⟦Aççépt/ });
  await accept.click();
  await settled(page, '/admin/try-launch');
  const id = new URL(page.url()).searchParams.get('id');
  const view = await (await page.request.get(`${portal.issuer}/api/admin/launch-trial/${id}`)).json();
  for (const node of portal.apps) await node.get(ActivityLog, { strict: false }).written();
  const launch = await page.request.get(`${portal.issuer}/api/admin/activity/${view.reference}`);
  // The catalogue of causes is in English, for administrators and developers.
  for (const { title, text, decidedBy, change } of ((await launch.json()) as LaunchView).entries)
    data.push(...[title, text, decidedBy, change?.text].flatMap((known) => known ?? []));
  await page.getByText('user/*.rs was dropped').waitFor();
};

const declining = then(asked(publicApp, '/user/consent', { prompt: 'consent' }), dialog, /^⟦Déçlïñé/);

/** With all parts, and technical scopes. */
const unfolded: Show = async (page) => {
  await asked(publicApp, '/user/consent', { prompt: 'consent' })(page);
  for (const folded = page.locator('main [aria-expanded=false]'); (await folded.count()) > 0; )
    await folded.first().click();
  await page.getByRole('button', { name: /^⟦Shöw téçhñïçål/ }).click();
};

/** With an entry that is open, and its requests. */
const openedAccess: Show = async (page) => {
  const seen = [{ 'Observation/laboratory': 12, Encounter: 2, Condition: 1 }];
  const accesses = [
    {
      at: new Date(),
      app: publicApp.clientId,
      patients: ['1'],
      seen,
      launch: 'NB7Q4K2M2345',
      unattended: true as const,
    },
    { at: new Date(), app: publicApp.clientId, by: 'practitioner' as const, status: 403 },
    { at: new Date(), app: 'gone', by: 'deleted' as const, interaction: 'create' as const, export: 'one' },
    { at: new Date(), app: 'gone', by: 'service' as const, export: 'one' },
  ];
  await recordAccesses(portal, people, ...accesses);
  await then(at('/user/access-log'), 'table', /⟦Såw/, /^⟦Shöw/)(page);
};

/** With what is found. */
const palette =
  (term: string): Show =>
  async (page) => {
    // What is found is marked, which divides it.
    data.push(term, 'Heart', 'Companion', 'Gentle', 'K');
    await at('/admin/dashboard')(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(term);
    await page.locator('dialog [role=status]').filter({ hasText: '⟦' }).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
  };

const loadedPages: Record<Exclude<Path, `/error/${string}`>, Record<string, Show>> = {
  '/welcome': { welcome: at('/welcome') },
  '/login': {
    'sign-in with errors': then(at('/login?firstVisit=true&error=unknown'), error, /^⟦Sïgñ ïñ ~/),
  },
  '/register': { 'the first administrator': at('/register') },
  '/password/forgot': { 'a forgotten password': then(at('/password/forgot'), error, /^⟦Séñd lïñk/) },
  '/account/activate': {
    'choosing a password': async (page) => {
      const invitations = portal.apps[0]?.get(AdminInvitations, { strict: false }) as AdminInvitations;
      const { link = '' } = await invitations.invite('invited.admin@example.org', { print: true });
      await at(link.slice(portal.issuer.length))(page);
    },
  },
  '/password/reset': {
    'a link that is not good': async (page) => {
      browser.expectFailure('/api/user/1/link', 400);
      await at('/password/reset?u=1&t=2')(page);
    },
    'the proof beside a link, and the waiting time': async (page) => {
      const [{ id = '' } = {}] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
        people.admin.email,
      ]);
      await portal.query(
        "INSERT INTO passkey VALUES (gen_random_uuid(), $1, 'c', '', 0, '{}', false, false, 'other', 'Key', now())",
        [id],
      );
      await portal.query("INSERT INTO recovery_code_set VALUES ($1, '{hash}')", [id]);
      const invitations = portal.apps[0]?.get(AdminInvitations, { strict: false }) as AdminInvitations;
      const { link = '' } = await invitations.invite(people.admin.email, { print: true });
      await at(link.slice(portal.issuer.length))(page);
      await page.locator('input[type=radio]').last().check();
      await page.locator('button[class*=primary]').waitFor();
      await portal.query('DELETE FROM passkey');
    },
  },
  '/account/keep': {
    'keeping an account': async (page) => {
      const [id = ''] = await portal
        .query<{ id: string }>('SELECT id FROM account WHERE email = $1', [people.otherPatient.email])
        .then((rows) => rows.map((row) => row.id));
      await portal.query("INSERT INTO account_deletion VALUES ($1, '2026-11-22', '2126-11-29')", [id]);
      const links = portal.apps[0]?.get(KeepLinks, { strict: false }) as KeepLinks;
      await at((await links.pageFor(id)) ?? '')(page);
      await portal.query('DELETE FROM account_deletion');
    },
  },
  '/account/recovery': {
    'the end of a recovery': async (page) => {
      const at2026 = new Date('2026-11-22T00:00:00Z');
      const [{ id = '' } = {}] = await portal.query<{ id: string }>(
        "INSERT INTO account_recovery SELECT id, $2, '2126-11-29' FROM account WHERE email = $1 RETURNING account_id AS id",
        [people.otherPatient.email, at2026],
      );
      const links = portal.apps[0]?.get(RequestLinks, { strict: false }) as RequestLinks;
      await at(links.pathFor('account-recovery', id, at2026))(page);
      await portal.query('DELETE FROM account_recovery');
    },
  },
  '/account/error': { 'an account that is not ready': at('/account/error') },
  '/user/consent': {
    consent: as(people.patient, asked(publicApp, '/user/consent', { prompt: 'consent' })),
    'consent, unfolded': as(people.patient, unfolded),
    declining: as(people.patient, declining),
  },
  '/user/disclaimer': {
    disclaimers: as(people.patient, then(asked(agreeing, '/user/disclaimer'), dialog, /^⟦Shöw/)),
  },
  '/user/paused-app': {
    'a paused app': as(people.patient, async (page) => {
      await pauseApp(portal, people.patient, silent.clientId);
      await asked(silent, '/user/paused-app')(page);
      await portal.query("DELETE FROM app_pause; SELECT pg_notify('gatehouse_pauses', '')");
    }),
  },
  '/user/two-factor-required': {
    'second factor': as(people.patient, asked(strict, '/user/two-factor-required')),
    'a second factor that is refused, and the recovery codes': as(people.otherPatient, async (page) => {
      await asked(strict, '/user/two-factor-required')(page);
      await page.getByRole('button', { name: /^⟦Türñ öñ/ }).click();
      await page.getByText('⟦Fïéld šhöüld ñöt bé émptý.').waitFor();
      const key = (await page.locator('code').innerText()).replaceAll(' ', '');
      await page.locator('input[autocomplete=one-time-code]').fill(authenticatorCode(key));
      await page.getByRole('dialog', { name: /^⟦Savé|^⟦Såvé/ }).waitFor();
    }),
  },
  '/user/launch-context': { 'launch context': as(people.practitioner, asked(silent, '/user/launch-context')) },
  '/user/grants': {
    apps: as(people.patient, then(at('/user/grants'), dialog, /^⟦Vïéw/)),
    'access to be taken back': as(people.patient, then(at('/user/grants'), dialog, /^⟦Tåké båçk/)),
  },
  '/user/access-log': { 'the record of accesses': as(people.patient, openedAccess) },
  '/user/receipts/:id': {
    'a receipt': as(people.patient, async (page) => {
      const client = { ...silent };
      await new SmartApp(portal, { client, scope }).tokens(people.patient);
      const answer = await page.request.delete(`${portal.issuer}/api/grant?clientId=${client.clientId}`);
      const id = answer.headers().location?.split('/').at(-1) ?? '';
      data.push(id);
      await at(`/user/receipts/${id}`)(page);
    }),
    'no receipt': as(people.patient, async (page) => {
      browser.expectFailure('/api/receipt/none', 404);
      await at('/user/receipts/none')(page);
    }),
  },
  '/user/account-settings': {
    'account settings': as(people.patient, then(at('/user/account-settings'), field, /^⟦Chåñgé/)),
    'the deletion of the account': as(people.patient, then(at('/user/account-settings?open=delete'), dialog)),
  },
  '/admin/account-settings': {
    "an administrator's account settings": as(people.admin, at('/admin/account-settings')),
  },
  '/admin/dashboard': {
    dashboard: as(people.admin, at('/admin/dashboard')),
    'the palette': as(people.admin, palette('heart')),
    'the palette with nothing found': as(people.admin, palette('qqqq')),
  },
  '/admin/try-launch': {
    'a launch to try': as(people.admin, (page) => toTry(page)),
    'the consent page of a try': as(people.admin, async (page) => {
      await toTry(page);
      await page.getByRole('button', { name: /^⟦Stårt/ }).click();
      await settled(page, '/user/consent');
    }),
    'the result of a try': as(people.admin, tried),
  },
  '/admin/readiness': { 'the readiness report': as(people.admin, at('/admin/readiness')) },
  '/admin/user-management': {
    users: as(people.admin, then(at('/admin/user-management'), dialog, /^⟦Fïltér/)),
    'a user who is locked out': as(people.admin, async (page) => {
      const { email: username, fullName } = people.otherPatient;
      data.push('fhirUser');
      for (let guess = 0; guess < 5; guess += 1) {
        await new Agent(portal.issuer).post('/api/session/login', { username, password: '-' });
      }
      await then(at('/admin/user-management'), '[role=dialog] .ant-btn-link', new RegExp(fullName))(page);
    }),
    'users of a file, of which lines are wrong': as(people.admin, async (page) => {
      data.push('name', 'email', 'type', 'fhir_user', 'extra', ',', ':', '.');
      await then(at('/admin/user-management'), 'textarea', /^⟦Impört/)(page);
      await page
        .locator('textarea')
        .fill('name,email,type,fhir_user,extra\nx,y\n,z,Patient,Patient/1,\nx,new@example.org,Patient,Patient/1,');
      await page.getByRole('button', { name: /^⟦Chéçk/ }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    }),
    'a new user with errors': as(people.admin, async (page) => {
      await then(at('/admin/user-management'), dialog, /^⟦Add Ušér/)(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^⟦Add Ušér/ })
        .click();
      await page.getByText('⟦Fïéld ïš réqüïréd').first().waitFor();
    }),
  },
  '/admin/client-management': {
    clients: as(people.admin, at('/admin/client-management')),
    tags: as(people.admin, then(at('/admin/client-management'), field, /^⟦Tågš/, /^⟦Ådd tåg|^⟦Add tåg/)),
  },
  '/admin/activity': {
    launches: as(people.admin, at('/admin/activity')),
    'launches that are not there, and the filter': as(
      people.admin,
      then(at('/admin/activity?searchTerm=nothing&outcome=refused&period=day'), dialog, /^⟦Fïltér/),
    ),
  },
  '/admin/activity/:reference': {
    'a launch': as(people.admin, async (page) => {
      const { headers } = await new SmartApp(portal, { parameters: { aud: 'https://elsewhere.test' } }).authorize();
      for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).written();
      const reference = String(headers['x-launch-reference']);
      const answer = await page.request.get(`${portal.issuer}/api/admin/activity/${reference}`);
      const { entries, forDeveloper } = (await answer.json()) as LaunchView;
      // The catalogue of causes is in English, for administrators and developers.
      data.push(reference, ...forDeveloper.split('\n'));
      for (const { title, text, decidedBy, change } of entries)
        data.push(...[title, text, decidedBy, change?.text].flatMap((known) => known ?? []));
      await page.goto(`${portal.issuer}/admin/activity/${reference}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
    }),
  },
  '/admin/audit': {
    'the audit record': as(people.admin, async (page) => {
      await at('/admin/audit?group=changes&administrators=true')(page);
      await page.getByRole('status').first().waitFor();
    }),
    'an entry of the audit record': as(people.admin, async (page) => {
      await at('/admin/audit?group=sign-ins')(page);
      await page.locator('tbody tr').getByRole('button').first().click();
      await page.getByRole('dialog').getByRole('heading', { level: 2 }).first().waitFor();
    }),
  },
  '/admin/api': { 'the API': as(people.admin, at('/admin/api')) },
  '/admin/smart-configuration': { 'SMART configuration': as(people.admin, at('/admin/smart-configuration')) },
  '/admin/openid-configuration': { 'OpenID configuration': as(people.admin, at('/admin/openid-configuration')) },
};
const pages: [string, Show][] = [
  ['not found', at('/nowhere')],
  ...Object.values(loadedPages).flatMap(Object.entries<Show>),
];

describe('Every text is in the catalogue, and longer translations fit', () => {
  it.each(pages)('%s', async (_name, show) => {
    const page = await browser.open({ locale: 'de-XA' });
    await show(page);
    const references = (await page.locator('main, body').first().innerText()).match(/\b\w{2}-\w{4}-\w{2}\b/g);
    data.push(...(references ?? []));
    // The seals of an entry, if it is sealed by now.
    for (const seal of await page.locator('[title]').all()) {
      const hash = (await seal.getAttribute('title')) ?? '';
      if (/^[\w-]{43}$/.test(hash)) data.push(hash, await seal.innerText());
    }
    expect(
      await foreignTexts(page, [...data, portal.issuer, fhirServer.url, '/.well-known/openid-configuration/jwks']),
    ).toEqual([]);
    expect(await page.getAttribute('html', 'lang')).toBe('de-XA');
    await expectNoSidewaysScroll(page, 1280);
    await expectNoSidewaysScroll(page, 360);
  });
});

describe('A right-to-left language', () => {
  it.each(
    pages.filter(([name]) =>
      ['sign-in with errors', 'consent', 'consent, unfolded', 'disclaimers', 'launch context', 'apps'].includes(name),
    ),
  )('%s', async (_name, show) => {
    await expectFitInEveryLook(browser, show, { locale: 'ar-XB' });
  });
});

describe('The language of the pages', () => {
  it('is the one that the app requests, before those of the browser', async () => {
    const page = await browser.open({ locale: 'ar-XB' });
    const app = new SmartApp(portal, { parameters: { ui_locales: 'fr de-XA' } });
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '⟦' }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de-XA');
  });

  it('is English when no preferred language is available', async () => {
    const page = await browser.open({ locale: 'fr' });
    await page.goto(`${portal.issuer}/login`);
    await expectPage(page, '/login', 'Sign in');
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  it('is sent with each change, for the mails that it causes', async () => {
    const page = await browser.open({ locale: 'fr' });
    await page.goto(`${portal.issuer}/password/forgot?ui_locales=de-XA`);
    await page.locator('input[type=email]').fill(people.patient.email);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: /^⟦Séñd lïñk/ }).click();
    expect(await (await sent).headerValue('accept-language')).toBe('de-XA');
  });
});

/** Last, because passport has one configuration per process: the portal of this test replaces that of the others. */
describe('The search for patients', () => {
  it('has all its texts in the catalogue', async () => {
    const largeServer = await startLargeFhirServer();
    const hospital = await startPortal({
      config: {
        fhir: { baseUrl: largeServer.url },
        languages: languages.config,
        users: [people.practitioner],
        clients: [silent],
      },
    });
    try {
      const page = await browser.open({ locale: 'de-XA', width: 390 });
      await signInByApi(page, hospital.issuer, people.practitioner);
      const app = new SmartApp(hospital, { client: silent, scope });
      await page.goto(`${hospital.issuer}/connect/authorize?${app.query()}`);
      await settled(page, '/user/launch-context');
      const rows = page.locator('label').filter({ has: page.getByRole('radio') });
      await rows.first().waitFor();
      const shown = async () => (await rows.allInnerTexts()).flatMap((text) => text.split('\n'));
      expect(await foreignTexts(page, [...data, ...(await shown())])).toEqual([]);
      await page.getByRole('searchbox').fill('no such name');
      await page.getByText('⟦Nöthïñg wåš föüñd.').waitFor();
      expect(await foreignTexts(page, data)).toEqual([]);
      await expectNoSidewaysScroll(page, 360);
    } finally {
      await browser.closePages();
      await hospital.close();
      largeServer.close();
    }
  });
});
