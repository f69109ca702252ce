/**
 * Dialogs and menus over the pages of administrators: in other languages, from right to left, at twice the size, and by
 * keyboard.
 */
import type { Locator, Page } from 'playwright-core';
import { bulk } from '../../../client/src/shared/i18n/en/bulk.js';
import { clientEnding } from '../../../client/src/shared/i18n/en/client-ending.js';
import { clients } from '../../../client/src/shared/i18n/en/clients.js';
import { common } from '../../../client/src/shared/i18n/en/common.js';
import { dashboard } from '../../../client/src/shared/i18n/en/dashboard.js';
import { helpdesk } from '../../../client/src/shared/i18n/en/helpdesk.js';
import { secretRotation } from '../../../client/src/shared/i18n/en/secret-rotation.js';
import { amountOf } from '../../../src/contract/messages/duration.js';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectVisibleFocus, focused } from '../../support/browser/focus.js';
import { signInByApi } from '../../support/browser/pages.js';
import {
  foreignTexts,
  makePseudoLanguages,
  type PseudoLanguages,
  pseudo,
} from '../../support/browser/pseudo-language.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { itInTurn } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { enableTwoFactor, signInByPassword } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const secret = { ...backendService.clientSecrets[0], description: 'Production' };
const service = { ...backendService, clientId: 'viewer', clientName: 'Echo Viewer', clientSecrets: [secret] };
const vendor = { ...publicApp, clientId: 'diary', clientName: 'Heart Diary' };

let languages: PseudoLanguages;
let portal: AdminPortal;
let ids: Map<string, string>;

beforeAll(async () => {
  languages = await makePseudoLanguages();
  portal = await startAdminPortal({
    config: { languages: languages.config, users: [people.patient], clients: [service, vendor] },
  });
  await enableTwoFactor(await signInByPassword(portal, people.patient));
  const rows = await portal.query<{ id: string; clientId: string }>('SELECT id, client_id AS "clientId" FROM client');
  ids = new Map(rows.map(({ id, clientId }) => [clientId, id]));
});
afterEach(async () => {
  await portal.api.delete(`/api/admin/client/${ids.get('viewer')}/rotation`).expect(200);
});
afterAll(async () => {
  await portal.close();
  await languages.remove();
});

interface Opened {
  /** A dialog, or another part of the page. */
  part: Locator;
  /** The button that has the focus after the dialog was closed. */
  opener?: Locator;
}

const button = (within: Page | Locator, text: string) =>
  within.getByRole('button', { name: pseudo(text), exact: true });
/** Without all forms of the plural in the invented language a title is in English. */
const dialogOf = (page: Page, title: string) => {
  const [begin = ''] = title.split('{{');
  const [translated = ''] = pseudo(title).split(title.includes('{{') ? '{{' : /(?!)/);
  const name = title.includes('{{') ? new RegExp(`^(?:${translated}|${begin})`) : pseudo(title);
  return page.getByRole('dialog', { name });
};

async function at(page: Page, path: string): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path);
  await page.getByRole('heading', { level: 1 }).filter({ hasText: '⟦' }).waitFor();
}

/** A button that shows that it is busy takes no press. */
async function pressOnceIdle(pressed: Locator): Promise<void> {
  // Waits until it is enabled.
  await pressed.click({ trial: true });
  await pressed.and(pressed.page().locator(':not(.ant-btn-loading)')).press('Enter');
}

/** Presses a button, and waits for the dialog with this title to have the focus. */
async function open(opener: Locator, title: string): Promise<Opened> {
  await pressOnceIdle(opener);
  const part = dialogOf(opener.page(), title).last();
  await part.and(opener.page().locator(':focus-within')).waitFor();
  return { part, opener };
}

const sheetOf = async (page: Page, clientId: string) => {
  await at(page, `/admin/client-management?client=${ids.get(clientId)}`);
  const sheet = page.getByRole('dialog');
  await button(sheet, clientEnding.disable).waitFor();
  return sheet;
};

const rotation = async (page: Page) => {
  const opener = button(await sheetOf(page, 'viewer'), secretRotation.open);
  return open(opener, secretRotation.title);
};

const rotated = async (page: Page) => {
  const { part } = await rotation(page);
  await pressOnceIdle(button(part, secretRotation.make));
  await part.locator('output').waitFor();
  return { part };
};

const seen = async (page: Page) => {
  const { part } = await rotated(page);
  await part.getByRole('checkbox').check();
  await pressOnceIdle(button(part, secretRotation.next));
  await part.getByRole('status').waitFor();
  return { part };
};

const selection = async (page: Page): Promise<Opened> => {
  await at(page, '/admin/client-management');
  await page.locator('[data-row]').nth(1).waitFor();
  for (const box of await page.locator('tbody, ul').getByRole('checkbox').all()) await box.check();
  const part = page.getByRole('region', { name: pseudo(bulk.selection) });
  await part.waitFor();
  return { part };
};

/** Their actions are in a menu where the window is narrow. */
const withSelection = async (page: Page, action: string, title: string) => {
  const { part } = await selection(page);
  return open(button(part, action), title);
};

const parts: [string, (page: Page) => Promise<Opened>][] = [
  ['the rotation of a secret', rotation],
  ['a secret that was made', rotated],
  [
    'the question whether a rotation is cancelled',
    async (page) => {
      const { part } = await rotated(page);
      return open(button(part, common.cancel), secretRotation.cancelTitle);
    },
  ],
  ['a secret that is waited for', seen],
  [
    'the end of the old secret',
    async (page) => {
      const { part } = await seen(page);
      await pressOnceIdle(button(part, secretRotation.next));
      await button(part, secretRotation.endNow).waitFor();
      return { part };
    },
  ],
  [
    'the question whether a client is disabled',
    async (page) => open(button(await sheetOf(page, 'diary'), clientEnding.disable), clientEnding.disableTitle),
  ],
  [
    'the question whether a client is deleted',
    async (page) => {
      const opener = button(await sheetOf(page, 'diary'), clients.delete);
      await opener.click({ trial: true });
      await opener.press('Enter');
      const part = page.getByRole('dialog').filter({ hasText: pseudo(clientEnding.deleteUndo) });
      await part.and(page.locator(':focus-within')).waitFor();
      return { part, opener };
    },
  ],
  [
    'the edit form of a client',
    async (page) => {
      const sheet = await sheetOf(page, 'viewer');
      await pressOnceIdle(button(sheet, clients.editAction));
      await sheet.locator('form').waitFor();
      return { part: sheet };
    },
  ],
  [
    'the kinds of a new client',
    async (page) => {
      await at(page, '/admin/client-management');
      return open(button(page, clients.add), clients.add);
    },
  ],
  ['the bar of a selection', selection],
  [
    'the question whether many clients are disabled',
    (page) => withSelection(page, bulk.disable, bulk.disableTitle_other),
  ],
  ['the tags of many clients', (page) => withSelection(page, bulk.tags, bulk.tagsTitle_other)],
  [
    'name and colors',
    async (page) => {
      await at(page, '/admin/dashboard');
      const opener = button(page, dashboard.brandingAction);
      await pressOnceIdle(opener);
      const part = page.getByRole('dialog');
      await part.and(page.locator(':focus-within')).waitFor();
      return { part, opener };
    },
  ],
  [
    'the reset of a second factor',
    async (page) => {
      await at(page, '/admin/user-management?searchTerm=ward');
      await page.locator('[data-row]').getByRole('button', { name: people.patient.fullName }).first().press('Enter');
      const opener = button(page, helpdesk.resetFactor).or(button(page, helpdesk.reset)).first();
      const opened = await open(opener, helpdesk.resetTitle);
      await page.locator('input[autocomplete=current-password]:focus').waitFor();
      return opened;
    },
  ],
];

/** Texts that are the same in every language. */
async function dataOf(page: Page): Promise<string[]> {
  const own = Object.values(people).flatMap(({ fullName, email }) => [
    fullName,
    email,
    fullName.replace(/[^A-Z]/g, ''),
  ]);
  const secrets = await page.locator('output').allInnerTexts();
  const given = [service, vendor].flatMap(({ clientName, clientId }) => [clientName, clientId]);
  const words = ['c, r, u, d, s', 'read, write, *', 'patient, user, system', 'system', 'client_credentials'];
  const settings = [
    'authorization_code',
    'Jwt',
    'Reference',
    'Observation',
    'Patient',
    amountOf(1, 'hour', 'de'),
    amountOf(90, 'day', 'de'),
    '#0A6375',
  ];
  const addresses = (await page.locator('body').innerText()).match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];
  return [
    ...words,
    ...settings,
    ...addresses,
    ...(vendor.postLogoutRedirectUris ?? []),
    ...own,
    ...given,
    ...vendor.redirectUris,
    ...secrets,
    'Production 2',
    'Production',
    'EV',
    'HD',
    'Gatehouse',
    'Patient/1',
    'fhirUser',
    portal.issuer,
  ];
}

describe.each(parts.map(([name, show], number) => ({ name, show, number })))(
  'For administrators, $name',
  ({ show, number }) => {
    const itOnce = itInTurn(number, 2);

    it('has all texts in the catalogue, and fits with longer ones and at twice the size', async () => {
      const page = await browser.open({ locale: 'de-XA' });
      await show(page);
      expect(await foreignTexts(page, await dataOf(page))).toEqual([]);
      for (const width of [1280, 640, 360]) await expectNoSidewaysScroll(page, width);
    });

    itOnce(
      'fits every look in a language that is read from right to left, without accessibility violations',
      async () => {
        await expectFitInEveryLook(browser, show, { locale: 'ar-XB', number });
      },
    );

    itOnce('is used by keyboard alone, with a visible focus, and gives it back', async () => {
      const page = await browser.open({ locale: 'de-XA', width: 1280, height: 600 });
      const { part, opener } = await show(page);
      const isDialog = (await part.getAttribute('role')) === 'dialog';
      const stops: string[] = [];
      const has = async () => (await part.locator(':focus').count()) === 1;
      const isAway = () => page.evaluate<boolean>('document.activeElement === document.body');
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        // A dialog takes the focus back that comes from the controls of the browser.
        if (isDialog) await until(async () => (await has()) || (await isAway()), 5_000);
        if (!(await has())) continue;
        const stop = await focused(page);
        if (stops.includes(stop)) break;
        stops.push(stop);
        await expectVisibleFocus(page, stop);
      }
      expect(stops.length).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      if (isDialog && opener) await part.waitFor({ state: 'hidden' });
      await opener?.and(page.locator(':focus')).waitFor();
    });
  },
);
