import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import type { LaunchView } from '../../../src/contract/activity.js';
import type { Path } from '../../../src/contract/rules/pages.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { shortenApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { inTurn, isLong } from '../../support/runs.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';
import { dialog, field, type Show, settled, TranslatedPortal } from './translated-portal.js';

const browser = useBrowser();
const translated = new TranslatedPortal();
const { at, as, pressed, data } = translated;

beforeAll(() => translated.start());
afterAll(() => translated.close());

const toTry: Show = async (page) => {
  const { clients } = await (
    await page.request.get(`${translated.portal.issuer}/api/admin/client?searchTerm=${publicApp.clientId}`)
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
  let entries: LaunchView['entries'] = [];
  await eventually(async () => {
    // The address of the answer has no id. The page replaces it.
    const id = new URL(page.url()).searchParams.get('id');
    const trial = await page.request.get(`${translated.portal.issuer}/api/admin/launch-trial/${id}`);
    for (const node of translated.portal.apps) await node.get(ActivityLog, { strict: false }).flush();
    const launch = await page.request.get(
      `${translated.portal.issuer}/api/admin/activity/${(await trial.json()).reference}`,
    );
    expect(launch.status()).toBe(200);
    ({ entries } = (await launch.json()) as LaunchView);
  });
  // The catalogue of causes is in English, for administrators and developers.
  for (const { title, text, decidedBy, change } of entries)
    data.push(...[title, text, decidedBy, change?.text].flatMap((known) => known ?? []));
  await page.getByText('user/*.rs was dropped').waitFor();
};

afterEach(() => Object.assign(translated.portal.config.account, { adminsNeed: 'password' }));

/** Until the end of the test, administrators need more than a password. */
const needing =
  (adminsNeed: 'two-factor' | 'passkey'): Show =>
  async (page) => {
    Object.assign(translated.portal.config.account, { adminsNeed });
    await at('/admin/stronger-sign-in')(page);
  };

/** The page below what was opened over it. */
const closed: Show = async (page) => {
  const open = page.getByRole('dialog');
  for (let left = await open.count(); left > 0; left = await open.count()) {
    await page.keyboard.press('Escape');
    await open.nth(left - 1).waitFor({ state: 'detached' });
  }
};

/** As the pages say it in German, which the invented language takes its formats from. */
const lasting = (value: number, unit: 'hour' | 'day') =>
  new Intl.NumberFormat('de', { style: 'unit', unit, unitDisplay: 'long' }).format(value);

/** With what is found. */
const palette =
  (term: string): Show =>
  async (page) => {
    // The found words are marked, which divides the text.
    data.push(term, 'Heart', 'Companion', 'Gentle', 'K');
    const search = page.getByRole('combobox');
    if (!(await search.isVisible())) await page.keyboard.press('Control+k');
    await search.fill(term);
    await page.locator('dialog [role=status]').filter({ hasText: '⟦' }).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
  };

const loadedPages: Record<Extract<Path, `/admin/${string}`>, Record<string, Show>> = {
  '/admin/account-settings': {
    "an administrator's account settings": as(people.admin, at('/admin/account-settings')),
  },
  '/admin/stronger-sign-in': {
    'the passkey that administrators need': as(people.admin, needing('passkey')),
    'the second factor that administrators need': as(people.admin, async (page) => {
      // The key is in groups of four letters.
      await needing('two-factor')(page);
      const key = await page.locator('code').first().innerText();
      data.push(...key.split(/\s+/), 'otpauth', '1', '2');
    }),
  },
  '/admin/dashboard': {
    dashboard: as(people.admin, at('/admin/dashboard')),
    'the palette': palette('heart'),
    'the palette with nothing found': palette('qqqq'),
  },
  '/admin/try-launch': {
    'a launch to try': as(people.admin, (page) => toTry(page)),
    'the consent page of a trial': async (page) => {
      await page.getByRole('button', { name: /^⟦Stårt/ }).click();
      await settled(page, '/user/consent');
    },
    'the result of a trial': tried,
  },
  '/admin/connect-fhir-server': {
    'the guide about the FHIR server': as(people.admin, async (page) => {
      // Lines of a configuration.
      data.push('fhir:', 'baseUrl:', 'credentials:', 'type:', 'basic', 'username:', 'gatehouse', 'password:', '…');
      data.push('aliases:', 'https://fhir.hospital.internal/fhir', '[https://fhir.hospital.example/fhir]');
      await at('/admin/connect-fhir-server')(page);
    }),
  },
  '/admin/readiness': {
    'the readiness report': as(people.admin, at('/admin/readiness')),
    'a report that is made again': async (page) => {
      await at('/admin/readiness')(page);
      // It is never answered.
      await page.route('**/api/admin/readiness', () => undefined);
      await page.getByRole('button', { name: /^⟦.h.{2}k / }).click();
      await page.locator('.ant-btn-loading').waitFor();
      await page.unroute('**/api/admin/readiness');
    },
  },
  '/admin/age-rules': {
    'age rules that are tried': as(people.admin, async (page) => {
      data.push('Europe/Amsterdam');
      await at('/admin/age-rules')(page);
      await page.locator('input[type=date]').first().fill('2012-05-03');
      await page.getByText('Limited: the basics').last().waitFor();
    }),
    'no age rules': async (page) => {
      // The name of a section of the configuration, and of the file of a guide.
      data.push('representation', 'docs/guides/acting-for-others.md');
      await page.route('**/api/settings', async (route) => {
        const { familyPages: _, ...settings } = await (await route.fetch()).json();
        await route.fulfill({ json: settings });
      });
      await at('/admin/age-rules')(page);
      await page.unroute('**/api/settings');
    },
  },
  '/admin/user-management': {
    users: as(people.admin, pressed(at('/admin/user-management'), dialog, /^⟦Fïltér/)),
    'a user who acts for others': async (page) => {
      data.push('Patient/1', 'Patient/2', 'fhirUser');
      await pressed(at('/admin/user-management'), dialog, /Cora Carer/)(page);
      await page.getByRole('button', { name: /^⟦Add å påtïéñt/ }).waitFor();
    },
    'a patient to add': pressed(async () => undefined, 'select', /^⟦Add å påtïéñt/),
    'a user who is locked out': async (page) => {
      const { email: username, fullName } = people.otherPatient;
      data.push('fhirUser');
      for (let guess = 0; guess < 5; guess += 1) {
        await new Agent(translated.portal.issuer).post('/api/session/login', { username, password: '-' });
      }
      await pressed(at('/admin/user-management'), '[role=dialog] .ant-btn-link', new RegExp(fullName))(page);
    },
    'users of a file, of which lines are wrong': async (page) => {
      data.push('name', 'email', 'type', 'fhir_user', 'extra', ',', ':', '.');
      await pressed(closed, 'textarea', /^⟦Impört/)(page);
      await page
        .locator('textarea')
        .fill('name,email,type,fhir_user,extra\nx,y\n,z,Patient,Patient/1,\nx,new@example.org,Patient,Patient/1,');
      await page.getByRole('button', { name: /^⟦Chéçk/ }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
    'a new user with errors': async (page) => {
      await pressed(at('/admin/user-management'), dialog, /^⟦Add Ušér/)(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^⟦Add Ušér/ })
        .click();
      await page.getByText('⟦Fïéld ïš réqüïréd').first().waitFor();
    },
  },
  '/admin/client-management': {
    clients: as(people.admin, at('/admin/client-management')),
    tags: pressed(async () => undefined, field, /^⟦Tågš/, /^⟦Ådd tåg|^⟦Add tåg/),
    'a client to change': async (page) => {
      data.push('Patient', 'Encounter', 'ImagingStudy', 'Questionnaire', 'authorization_code', 'Jwt', 'Reference');
      data.push(lasting(1, 'hour'), lasting(90, 'day'));
      // Types and operations of the FHIR server, which the field of further scopes offers.
      data.push('Observation', 'Condition');
      for (const subject of ['patient', 'user', 'system'])
        data.push(`${subject}/Patient.$everything`, `${subject}/Patient.$match`);
      await pressed(closed, dialog, new RegExp(publicApp.clientName))(page);
      await page.getByRole('button', { name: /^⟦Edït/ }).click();
      await page.locator('textarea').first().waitFor();
    },
  },
  '/admin/requests': {
    'a request that is open': as(people.admin, async (page) => {
      const patient = new Agent(translated.portal.issuer);
      const { email: username, password } = people.patient;
      await patient.post('/api/session/login', { username, password });
      const form = { basis: 'parental-responsibility', birthDate: '2020-05-10', isTrue: true, files: [] };
      const asked = await patient.post('/api/requests', { ...form, patientName: 'Leo Duarte' });
      data.push('Leo Duarte', 'LD', asked.json<{ reference: string }>().reference);
      await pressed(at('/admin/requests'), '[role=dialog] textarea', /Amelia Ward/)(page);
    }),
    requests: at('/admin/requests'),
    'requests that are not there': as(people.admin, at('/admin/requests?searchTerm=nothing')),
  },
  '/admin/activity': {
    launches: as(people.admin, at('/admin/activity')),
    'launches that are not there, and the filter': pressed(
      at('/admin/activity?searchTerm=nothing&outcome=refused&period=day'),
      dialog,
      /^⟦Fïltér/,
    ),
  },
  '/admin/activity/:reference': {
    'a launch': as(people.admin, async (page) => {
      const { headers } = await new SmartApp(translated.portal, {
        parameters: { aud: 'https://elsewhere.test' },
      }).authorize();
      for (const app of translated.portal.apps) await app.get(ActivityLog, { strict: false }).flush();
      const reference = String(headers['x-launch-reference']);
      const answer = await page.request.get(`${translated.portal.issuer}/api/admin/activity/${reference}`);
      const { entries, forDeveloper } = (await answer.json()) as LaunchView;
      // The catalogue of causes is in English, for administrators and developers.
      data.push(reference, ...forDeveloper.split('\n'));
      for (const { title, text, decidedBy, change } of entries)
        data.push(...[title, text, decidedBy, change?.text].flatMap((known) => known ?? []));
      await page.goto(`${translated.portal.issuer}/admin/activity/${reference}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
    }),
  },
  '/admin/audit': {
    'the audit record': as(people.admin, async (page) => {
      await at('/admin/audit?group=changes&administrators=true')(page);
      await page.getByRole('status').first().waitFor();
    }),
    'an entry of the audit record': async (page) => {
      await at('/admin/audit?group=sign-ins')(page);
      await page.locator('tbody tr').getByRole('button').first().click();
      await page.getByRole('dialog').getByRole('heading', { level: 2 }).first().waitFor();
    },
  },
  '/admin/api': {
    'the API': as(people.admin, async (page) => {
      // The calls themselves are in English.
      if (!isLong) await shortenApi(page, 'Tags');
      await at('/admin/api')(page);
      await page.locator('h3[data-tag="Tags"]').waitFor();
    }),
  },
  '/admin/smart-configuration': { 'SMART configuration': as(people.admin, at('/admin/smart-configuration')) },
  '/admin/openid-configuration': { 'OpenID configuration': as(people.admin, at('/admin/openid-configuration')) },
};

describe('Every text of the admin area is in the catalogue, and longer translations fit', () => {
  // The list of clients, with the states of its panel.
  it.each(inTurn(Object.entries(loadedPages), 6))('%s', (_path, states) =>
    translated.expectTranslated(browser, states),
  );
});
