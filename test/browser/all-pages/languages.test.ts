import type { OwnRequest } from '../../../src/contract/requests.js';
import type { Path } from '../../../src/contract/rules/pages.js';
import { AdminInvitations } from '../../../src/users/application/admins/admin-invitations.js';
import { KeepLinks } from '../../../src/users/application/deletion/keep-links.js';
import { RequestLinks } from '../../../src/users/application/request-links.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { foreignTexts } from '../../support/browser/pseudo-language.js';
import { publicApp } from '../../support/clients/clients.js';
import { startLargeFhirServer } from '../../support/fhir/large-fhir-server.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import { startPortal } from '../../support/portal/portal.js';
import { recordAccesses } from '../../support/portal/recorded-accesses.js';
import { inTurn, isLong, itInLongRun } from '../../support/runs.js';
import { authenticatorCode } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

import {
  agreeing,
  carer,
  dialog,
  error,
  field,
  type Show,
  scope,
  settled,
  silent,
  strict,
  TranslatedPortal,
  youth,
} from './translated-portal.js';

const browser = useBrowser();
const translated = new TranslatedPortal();
const { at, as, asked, pressed, data } = translated;

beforeAll(() => translated.start());
afterAll(() => translated.close());

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
  await recordAccesses(translated.portal, people, ...accesses);
  await pressed(at('/user/access-log'), 'table', /⟦Sééñ/, /^⟦Shöw/)(page);
};

const loadedPages: Record<Exclude<Path, `/error/${string}` | `/admin/${string}`>, Record<string, Show>> = {
  '/welcome': { welcome: at('/welcome') },
  '/login': {
    'sign-in with errors': pressed(at('/login?firstVisit=true&error=unknown'), error, /^⟦Sïgñ ïñ ~/),
  },
  '/register': { 'the first administrator': at('/register') },
  '/ask': { 'a user without an account': pressed(at('/ask'), error, /^⟦Séñd/) },
  '/password/forgot': { 'a forgotten password': pressed(at('/password/forgot'), error, /^⟦Séñd lïñk/) },
  '/account/activate': {
    'choosing a password': async (page) => {
      const invitations = translated.portal.apps[0]?.get(AdminInvitations, { strict: false }) as AdminInvitations;
      const { link = '' } = await invitations.invite('invited.admin@example.org', { print: true });
      await at(link.slice(translated.portal.issuer.length))(page);
    },
  },
  '/password/reset': {
    'a link that is not good': async (page) => {
      browser.expectFailure('/api/user/1/link', 400);
      await at('/password/reset?u=1&t=2')(page);
    },
    'the proof beside a link, and the waiting time': async (page) => {
      const [{ id = '' } = {}] = await translated.portal.query<{ id: string }>(
        'SELECT id FROM account WHERE email = $1',
        [people.admin.email],
      );
      await translated.portal.query(
        "INSERT INTO passkey VALUES (gen_random_uuid(), $1, 'c', '', 0, '{}', false, false, 'other', 'Key', now())",
        [id],
      );
      await translated.portal.query("INSERT INTO recovery_code_set VALUES ($1, '{hash}')", [id]);
      const invitations = translated.portal.apps[0]?.get(AdminInvitations, { strict: false }) as AdminInvitations;
      const { link = '' } = await invitations.invite(people.admin.email, { print: true });
      await at(link.slice(translated.portal.issuer.length))(page);
      await page.locator('input[type=radio]').last().check();
      await page.locator('button[class*=primary]').waitFor();
      await translated.portal.query('DELETE FROM passkey');
    },
  },
  '/account/keep': {
    'keeping an account': async (page) => {
      const [{ id = '' } = {}] = await translated.portal.query<{ id: string }>(
        'SELECT id FROM account WHERE email = $1',
        [people.otherPatient.email],
      );
      await translated.portal.query("INSERT INTO account_deletion VALUES ($1, '2026-11-22', '2126-11-29')", [id]);
      const links = translated.portal.apps[0]?.get(KeepLinks, { strict: false }) as KeepLinks;
      await at((await links.pageFor(id)) ?? '')(page);
      await translated.portal.query('DELETE FROM account_deletion');
    },
  },
  '/account/recovery': {
    'the end of a recovery': async (page) => {
      const at2026 = new Date('2026-11-22T00:00:00Z');
      const [{ id = '' } = {}] = await translated.portal.query<{ id: string }>(
        "INSERT INTO account_recovery SELECT id, $2, '2126-11-29' FROM account WHERE email = $1 RETURNING account_id AS id",
        [people.otherPatient.email, at2026],
      );
      const links = translated.portal.apps[0]?.get(RequestLinks, { strict: false }) as RequestLinks;
      await at(links.pathFor('account-recovery', id, at2026))(page);
      await translated.portal.query('DELETE FROM account_recovery');
    },
  },
  '/invitation': {
    'an invitation that has ended': async (page) => {
      browser.expectFailure('/api/invitations/1/facts', 404);
      await at('/invitation?u=1&t=2')(page);
    },
  },
  '/user/family': {
    'family and carers': as(people.otherPatient, at('/user/family')),
    'longer help': pressed(async () => undefined, dialog, /^⟦Réñéw/),
    'help that may not be right any more': as(people.patient, at('/user/family')),
    'the end of help': pressed(async () => undefined, dialog, /^⟦Eñd/),
    'those whom a user looks after': as(carer, at('/user/family')),
  },
  '/user/family/request': {
    'a request with errors': as(people.patient, pressed(at('/user/family/request'), error, /^⟦Séñd réqüéšt/)),
  },
  '/user/family/requests/:id': {
    'a request that waits': as(people.patient, async (page) => {
      const form = { basis: 'parental-responsibility', birthDate: '2020-05-10', isTrue: true, files: [] };
      const answer = await page.request.post(`${translated.portal.issuer}/api/requests`, {
        data: { ...form, patientName: 'Leo Duarte' },
      });
      const { id, reference } = (await answer.json()) as OwnRequest;
      data.push(reference, 'Leo Duarte', 'Parental responsibility', 'parent');
      await at(`/user/family/requests/${id}`)(page);
    }),
  },
  '/user/family/birthdays/:id': {
    'nothing that changes': as(people.patient, async (page) => {
      browser.expectFailure('/coming-step', 404);
      await at('/user/family/birthdays/1')(page);
    }),
  },
  '/user/family/ended/:id': {
    'no such end': as(people.patient, async (page) => {
      browser.expectFailure('/ended', 404);
      await at('/user/family/ended/1')(page);
    }),
  },
  '/user/family/invite': {
    'an invitation': as(people.patient, pressed(at('/user/family/invite'), error, /^⟦Séñd ïñvïtåtïöñ/)),
  },
  '/account/error': { 'an account that is not ready': at('/account/error') },
  '/user/consent': {
    consent: as(people.patient, asked(publicApp, '/user/consent', { prompt: 'consent' })),
    'consent, unfolded': as(people.patient, unfolded),
    declining: pressed(async () => undefined, dialog, /^⟦Déçlïñé/),
  },
  '/user/disclaimer': {
    disclaimers: as(people.patient, pressed(asked(agreeing, '/user/disclaimer'), dialog, /^⟦Shöw/)),
  },
  '/user/paused-app': {
    'a paused app': as(people.patient, async (page) => {
      await pauseApp(translated.portal, people.patient, silent.clientId);
      await asked(silent, '/user/paused-app')(page);
      await translated.portal.query("DELETE FROM app_pause; SELECT pg_notify('gatehouse_pauses', '')");
    }),
  },
  '/user/family-news': {
    'what ended by age': as(youth, at('/user/family-news')),
    'who acts': async (page) => {
      const ended = "reason = 'age' AND patient = 'young'";
      await translated.portal.query(`DELETE FROM representation_relationship WHERE ${ended}`);
      await at('/user/family-news')(page);
    },
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
  '/user/launch-context': {
    'launch context': as(people.practitioner, asked(silent, '/user/launch-context')),
    'for whom it is': as(
      carer,
      asked(publicApp, '/user/launch-context', {
        prompt: 'consent',
        scope: 'openid launch/patient patient/Observation.rs patient/Condition.rs',
      }),
    ),
    'consent for a patient': async (page) => {
      await page.getByRole('radio', { name: 'Amelia Jane Ward' }).check();
      await page.getByRole('button', { name: /^⟦Cöñtïñüé/ }).click();
      await settled(page, '/user/consent');
    },
    'what is kept private': pressed(async () => undefined, dialog, /^⟦Whý/),
  },
  '/user/grants': {
    apps: as(people.patient, pressed(at('/user/grants'), dialog, /^⟦Vïéw/)),
    'access to be taken back': as(people.patient, pressed(at('/user/grants'), dialog, /^⟦Tåké båçk/)),
  },
  '/user/access-log': {
    'the record of accesses': as(people.patient, openedAccess),
    'accesses for a patient': as(carer, at('/user/access-log?patient=Patient/1&period=all')),
  },
  '/user/receipts/:id': {
    'a receipt': as(people.patient, async (page) => {
      const client = { ...silent };
      await new SmartApp(translated.portal, { client, scope }).tokens(people.patient);
      const answer = await page.request.delete(`${translated.portal.issuer}/api/grant?clientId=${client.clientId}`);
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
    'account settings': as(people.patient, pressed(at('/user/account-settings'), field, /^⟦Chåñgé/)),
    'the deletion of the account': as(people.patient, pressed(at('/user/account-settings?open=delete'), dialog)),
  },
};
/** The pages by their names, those of signed-in users apart from the others. */
const pagesOf = (isOfUsers: boolean): Record<string, Show> => {
  const paths = Object.entries(loadedPages).filter(([path]) => path.startsWith('/user/') === isOfUsers);
  return Object.assign({}, ...paths.map(([, states]) => states));
};
const ofUsers = pagesOf(true);
const ofVisitors = { 'not found': at('/nowhere'), ...pagesOf(false) };

describe('Every text is in the catalogue, and longer translations fit', () => {
  itInLongRun.each([
    ['pages that need no session', ofVisitors],
    ['pages of signed-in users', ofUsers],
  ])('on the %s', (_name, states) => translated.expectTranslated(browser, states));
});

describe('A right-to-left language', () => {
  itInLongRun.each(
    inTurn<[number, string[]]>(
      [
        [0, ['sign-in with errors', 'consent, unfolded', 'launch context']],
        // The other states have the parts of these.
        [1, isLong ? ['consent', 'disclaimers', 'apps'] : ['apps', 'disclaimers']],
      ],
      1,
    ),
  )('fits the pages of group %s: %j', async (number, names) => {
    const all: Record<string, Show> = { ...ofVisitors, ...ofUsers };
    const states = names.map((name) => [name, all[name]]);
    await expectFitInEveryLook(browser, Object.fromEntries(states), { locale: 'ar-XB', number });
  });
});

describe('The language of the pages', () => {
  it('is the one that the app requests, before those of the browser', async () => {
    const page = await browser.open({ locale: 'ar-XB' });
    const app = new SmartApp(translated.portal, { parameters: { ui_locales: 'fr de-XA' } });
    await page.goto(`${translated.portal.issuer}/connect/authorize?${app.query()}`);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '⟦' }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de-XA');
  });

  it('is English when no preferred language is available', async () => {
    const page = await browser.open({ locale: 'fr' });
    await page.goto(`${translated.portal.issuer}/login`);
    await expectPage(page, '/login', 'Sign in');
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  itInLongRun('is sent with each change, for the mails that it causes', async () => {
    const page = await browser.open({ locale: 'fr' });
    await page.goto(`${translated.portal.issuer}/password/forgot?ui_locales=de-XA`);
    await page.locator('input[type=email]').fill(people.patient.email);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: /^⟦Séñd lïñk/ }).click();
    expect(await (await sent).headerValue('accept-language')).toBe('de-XA');
  });
});

/** Last, because passport has one configuration per process: the portal of this test replaces that of the others. */
describe('The search for patients', () => {
  itInLongRun('has all its texts in the catalogue', async () => {
    const largeServer = await startLargeFhirServer();
    const hospital = await startPortal({
      config: {
        fhir: { baseUrl: largeServer.url },
        languages: translated.languages.config,
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
