/**
 * Dialogs and menus over the pages of administrators: in other languages, from right to left, at twice the size, and by
 * keyboard.
 */
import type { Locator, Page } from 'playwright-core';
import { words as ending } from '../../../client/src/features/clients/ending/words/en.js';
import { words as rotating } from '../../../client/src/features/clients/rotation/words/en.js';
import { words as clientWords } from '../../../client/src/features/clients/words/en.js';
import { words as dashboardWords } from '../../../client/src/features/dashboard/words/en.js';
import { words as userWords } from '../../../client/src/features/users/words/en.js';
import { words as shared } from '../../../client/src/shared/i18n/words/en.js';
import { words as bulkWords } from '../../../client/src/shared/list/bulk/words/en.js';
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
import { inTurn, isLong, itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { enableTwoFactor, signInByPassword } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const { bulk } = bulkWords;
const { clientEnding } = ending;
const { clients } = clientWords;
const { common } = shared;
const { dashboard } = dashboardWords;
const { helpdesk } = userWords;
const { secretRotation } = rotating;

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

/** The dialog of a rotation that is under way, also if it was closed. */
const rotation = async (page: Page) => {
  const part = dialogOf(page, secretRotation.title);
  if (!(await part.isVisible())) await open(button(page, secretRotation.goOn), secretRotation.title);
  return part;
};

/** The step of the rotation after the secret was stored. */
const waited = async (page: Page) => {
  const part = await rotation(page);
  const stored = part.getByRole('checkbox');
  if (await stored.isVisible()) {
    await stored.check();
    await pressOnceIdle(button(part, secretRotation.next));
    await stored.waitFor({ state: 'detached' });
  }
  await part.getByRole('status').waitFor();
  return part;
};

const selection = async (page: Page): Promise<Opened> => {
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

type States = Record<string, (page: Page) => Promise<Opened>>;

/**
 * The states of each place. Each is reached on the page of the one before, whose dialog is closed if a button has
 * opened it.
 */
const places: Record<string, States> = {
  'a client with a secret': {
    'the edit form of a client': async (page) => {
      await pressOnceIdle(button(await sheetOf(page, 'viewer'), clients.editAction));
      // Escape closes it with the sheet that has the button.
      const part = page.getByRole('dialog').filter({ has: page.locator('form') });
      await part.waitFor();
      return { part };
    },
    'the rotation of a secret': async (page) =>
      open(button(await sheetOf(page, 'viewer'), secretRotation.open), secretRotation.title),
    'a secret that was made': async (page) => {
      const { part } = await open(button(page, secretRotation.open), secretRotation.title);
      await pressOnceIdle(button(part, secretRotation.make));
      await part.locator('output').waitFor();
      return { part };
    },
    'the question whether a rotation is cancelled': async (page) =>
      open(button(await rotation(page), common.cancel), secretRotation.cancelTitle),
    'a secret that is waited for': async (page) => ({ part: await waited(page) }),
    'the end of the old secret': async (page) => {
      const part = await waited(page);
      await pressOnceIdle(button(part, secretRotation.next));
      await button(part, secretRotation.endNow).waitFor();
      return { part };
    },
  },
  'a client': {
    'the question whether a client is disabled': async (page) =>
      open(button(await sheetOf(page, 'diary'), clientEnding.disable), clientEnding.disableTitle),
    'the question whether a client is deleted': async (page) => {
      const opener = button(page.getByRole('dialog'), clients.delete);
      await opener.click({ trial: true });
      await opener.press('Enter');
      const part = page.getByRole('dialog').filter({ hasText: pseudo(clientEnding.deleteUndo) });
      await part.and(page.locator(':focus-within')).waitFor();
      return { part, opener };
    },
  },
  'the list of clients': {
    'the kinds of a new client': async (page) => {
      await at(page, '/admin/client-management');
      return open(button(page, clients.add), clients.add);
    },
    'the bar of a selection': selection,
    'the question whether many clients are disabled': (page) =>
      withSelection(page, bulk.disable, bulk.disableTitle_other),
    'the tags of many clients': (page) => withSelection(page, bulk.tags, bulk.tagsTitle_other),
  },
  'the dashboard and the list of users': {
    'name and colors': async (page) => {
      await at(page, '/admin/dashboard');
      const opener = button(page, dashboard.brandingAction);
      await pressOnceIdle(opener);
      const part = page.getByRole('dialog');
      await part.and(page.locator(':focus-within')).waitFor();
      return { part, opener };
    },
    'the reset of a second factor': async (page) => {
      await at(page, '/admin/user-management?searchTerm=ward');
      await page.locator('[data-row]').getByRole('button', { name: people.patient.fullName }).first().press('Enter');
      const opener = button(page, helpdesk.resetFactor).or(button(page, helpdesk.reset)).first();
      const opened = await open(opener, helpdesk.resetTitle);
      await page.locator('input[autocomplete=current-password]:focus').waitFor();
      return opened;
    },
  },
};

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

/** Every second state of the place, reached through those before it; each in the long run. */
function everySecond(states: States, turn: number): [name: string, show: (page: Page) => Promise<Opened>][] {
  const walk = new Walk();
  let ways: States[string][] = [];
  return Object.entries(states).flatMap(([name, reach], index): [string, States[string]][] => {
    ways.push(reach);
    if (!isLong && index % 2 !== turn % 2) return [];
    const before = ways.splice(0, ways.length - 1);
    ways = [];
    const show = async (page: Page) => {
      for (const way of before) await walk.to(page, way);
      return walk.to(page, reach);
    };
    return [[name, show]];
  });
}

/** Goes from state to state on one page. */
class Walk {
  private last: Opened | undefined;

  async to(page: Page, reach: States[string]): Promise<Opened> {
    if (this.last?.opener && (await this.last.part.isVisible())) {
      await page.keyboard.press('Escape');
      await this.last.part.waitFor({ state: 'hidden' });
    }
    this.last = await reach(page);
    return this.last;
  }
}

async function expectKeyboard(page: Page, { part, opener }: Opened): Promise<void> {
  const isDialog = (await part.getAttribute('role')) === 'dialog';
  const stops: string[] = [];
  const has = async () => (await part.locator(':focus').count()) === 1;
  const isAway = () => page.evaluate<boolean>('document.activeElement === document.body');
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab');
    // A dialog takes the focus back that comes from the controls of the browser.
    if (isDialog) await until(async () => (await has()) || (await isAway()));
    if (!(await has())) continue;
    const stop = await focused(page);
    if (stops.includes(stop)) break;
    stops.push(stop);
    await expectVisibleFocus(page, stop);
  }
  expect(stops.length).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  if (isDialog) await part.waitFor({ state: 'hidden' });
  await opener?.and(page.locator(':focus')).waitFor();
}

const named =
  (name: string) =>
  (cause: Error): never => {
    throw new Error(`${name}: ${cause.message}`, { cause });
  };

describe.each(
  inTurn(
    Object.entries(places).map(([name, states], number) => ({ name, states, number })),
    1,
  ),
)('For administrators, each dialog and bar over $name', ({ states, number }) => {
  it('has all texts in the catalogue, fits with longer ones and at twice the size, and is used by keyboard alone, with a visible focus that it gives back', async () => {
    const desk = { width: 1280, height: 600 };
    const page = await browser.open({ locale: 'de-XA', ...desk });
    const walk = new Walk();
    const check = async (reach: States[string], index: number) => {
      const opened = await walk.to(page, reach);
      expect(await foreignTexts(page, await dataOf(page))).toEqual([]);
      // Usually the dialogs whose accessibility is checked below are not gone through by keyboard, which closes them.
      const isByKeyboard = isLong || index % 2 !== number % 2;
      if (isByKeyboard && opened.opener) {
        await expectKeyboard(page, opened);
        await pressOnceIdle(opened.opener);
        await opened.part.waitFor();
      }
      for (const width of [640, 360]) await expectNoSidewaysScroll(page, width);
      await page.setViewportSize(desk);
      if (isByKeyboard && !opened.opener) await expectKeyboard(page, opened);
    };
    for (const [index, [name, reach]] of Object.entries(states).entries()) await check(reach, index).catch(named(name));
  });

  itInLongRun(
    'fits every look in a language that is read from right to left, without accessibility violations',
    async () => {
      await expectFitInEveryLook(browser, Object.fromEntries(everySecond(states, number)), { locale: 'ar-XB', number });
    },
  );
});
