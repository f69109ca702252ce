/** Administrators who have the same record open, each in a browser. */
import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook } from '../../support/browser/browser.js';
import { secondAdmin, useClientPages } from '../../support/browser/client-pages.js';
import { expectNotice, signInByApi } from '../../support/browser/pages.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const { browser, clients } = useClientPages();
const call = '/api/admin/presence';

const sheetOf = (page: Page): Locator => page.getByRole('dialog');
/** The line in which the sheet shows, and announces, who else has its record open. */
const line = (page: Page): Locator => sheetOf(page).getByRole('status').first();

const isReport = (state: string) => (request: { url(): string; postDataJSON(): { state?: string } }) =>
  request.url().endsWith(call) && request.postDataJSON()?.state === state;

/** Does this, and waits until it was reported. */
async function reported(page: Page, state: string, act: () => Promise<unknown>): Promise<void> {
  const answered = page.waitForResponse((response) => isReport(state)(response.request()));
  await act();
  await answered;
}

/** As a tab that is seen again: reports now, and shows what others do. */
async function look(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith(call));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await answered;
}

async function expectLine(page: Page, text: string): Promise<void> {
  await until(async () => {
    await look(page);
    return (await line(page).innerText()).replace(/^(?:[A-Z]{2}\n)*/, '') === text;
  });
}

async function open(address: string, as = people.admin, width = 1280): Promise<Page> {
  const page = await browser.open({ width });
  await signInByApi(page, clients.portal.issuer, as);
  await reported(page, 'viewing', () => page.goto(clients.portal.issuer + address));
  return page;
}

const clientAddress = async (name: string) =>
  `/admin/client-management?client=${(await clients.createClient(name)).id}`;

async function userAddress(fullName: string): Promise<string> {
  const email = `${fullName.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const user = { fullName, email, userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/77' }] };
  const { body } = await clients.portal.api.post('/api/admin/user').send(user).expect(201);
  return `/admin/user-management?user=${body.id}`;
}

const kinds = [
  ['client', clientAddress, 'Client name', 'Save', 'Client was successfully updated'],
  ['user', userAddress, 'Name', 'Save changes', 'User was successfully changed.'],
] as const;

describe.each(kinds)('The sheet of a %s', (kind, addressOf, ...texts) => {
  const [field, save, saved] = texts;
  const fieldOf = (page: Page) => sheetOf(page).getByRole('textbox', { name: field, exact: true }).first();
  const edit = (page: Page) => page.getByRole('button', { name: 'Edit', exact: true }).click();

  it('says who else has it open, who edits it, who has saved it, and nothing once they have left', async () => {
    const address = await addressOf(`Shared ${kind}`);
    const mine = await open(address);
    expect(await line(mine).innerText()).toBe('');
    const theirs = await open(address, secondAdmin);
    await expectLine(mine, 'Jonas Vale has this open.');
    await expectLine(theirs, 'Ada Admin has this open.');
    await reported(theirs, 'editing', () => edit(theirs));
    await expectLine(mine, 'Jonas Vale is editing.');
    await fieldOf(theirs).fill(`Renamed ${kind}`);
    await reported(theirs, 'saved', () => sheetOf(theirs).getByRole('button', { name: save, exact: true }).click());
    await expectNotice(theirs, saved);
    await expectLine(mine, 'Jonas Vale saved changes just now.');
    // The change that they saved is shown here.
    await sheetOf(mine).getByText(`Renamed ${kind}`, { exact: true }).first().waitFor();
  });

  it('says nothing once the others have closed it or left the page', async () => {
    const address = await addressOf(`Left ${kind}`);
    const mine = await open(address);
    const theirs = await open(address, secondAdmin);
    await expectLine(mine, 'Jonas Vale has this open.');
    await reported(theirs, 'left', () =>
      sheetOf(theirs).getByRole('button', { name: 'Close', exact: true }).first().click(),
    );
    await expectLine(mine, '');
    await reported(theirs, 'viewing', () => theirs.goto(clients.portal.issuer + address));
    await expectLine(mine, 'Jonas Vale has this open.');
    // The page goes, with its last report on the way.
    await theirs.goto('about:blank');
    await expectLine(mine, '');
  });

  it('keeps the form of an administrator as it is while another one saves', async () => {
    const address = await addressOf(`Kept ${kind}`);
    const mine = await open(address);
    await reported(mine, 'editing', () => edit(mine));
    await fieldOf(mine).fill('Typed here');
    const theirs = await open(address, secondAdmin);
    await expectLine(theirs, 'Ada Admin is editing.');
    await edit(theirs);
    await fieldOf(theirs).fill('Saved there');
    await reported(theirs, 'saved', () => sheetOf(theirs).getByRole('button', { name: save, exact: true }).click());
    await expectLine(mine, 'Jonas Vale saved changes just now.');
    expect(await fieldOf(mine).inputValue()).toBe('Typed here');
  });
});

describe('Presence', () => {
  it('tells an administrator of their own other tab', async () => {
    const address = await clientAddress('Own tab');
    const one = await open(address);
    const other = await one.context().newPage();
    await reported(other, 'viewing', () => other.goto(clients.portal.issuer + address));
    await expectLine(one, 'You have this open in another tab.');
    await reported(other, 'editing', () => other.getByRole('button', { name: 'Edit', exact: true }).click());
    await expectLine(one, 'You are editing this in another tab.');
    await other.close({ runBeforeUnload: false });
  });

  it('shows no message when its call fails, continues, and is announced once, however often it is reported', async () => {
    browser.expectFailure(call, 500);
    const address = await clientAddress('Quiet failure');
    const mine = await open(address);
    await mine.route(`**${call}`, (route) => route.fulfill({ status: 500, body: '' }));
    await look(mine);
    await mine.unroute(`**${call}`);
    const theirs = await open(address, secondAdmin);
    await expectLine(mine, 'Jonas Vale has this open.');
    await expectLine(theirs, 'Ada Admin has this open.');
    await line(mine).evaluate(`(element) => {
      const changes = new MutationObserver(() => element.setAttribute('data-changed', 'true'));
      changes.observe(element, { childList: true, characterData: true, subtree: true });
    }`);
    for (let count = 0; count < 3; count++) await look(mine);
    expect(await line(mine).getAttribute('data-changed')).toBeNull();
  });

  it('is not reported any more once its record is gone', async () => {
    browser.expectFailure(call, 404);
    const mine = await open(await clientAddress('Gone'));
    await mine.route(`**${call}`, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
    const reports: string[] = [];
    mine.on('request', (request) => {
      if (request.url().endsWith(call)) reports.push(request.method());
    });
    await look(mine);
    await mine.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await mine.evaluate('new Promise((done) => setTimeout(done))');
    expect(reports).toHaveLength(1);
  });

  it('fits and is accessible in every look, with many names, in the view and in the form', async () => {
    const client = await clients.createClient('Many Names');
    const others = [
      { name: 'Alexandra Montgomery-Robertson-Alexander', state: 'editing' },
      { name: 'Jonas Vale', state: 'saved' },
      { name: 'Ada Admin', state: 'viewing' },
      { name: 'Bert Kohl', state: 'viewing' },
      { name: 'Cleo Marsh', state: 'viewing' },
    ];
    const areShown = (page: Page) => sheetOf(page).getByText('Ada Admin and 2 others have this open.').waitFor();
    await expectFitInEveryLook(browser, {
      'the view': async (page) => {
        await page.route(`**${call}`, (route) => route.fulfill({ json: { others, ownTabs: 'viewing' } }));
        await clients.signIn(page, `?client=${client.id}`);
        await areShown(page);
      },
      'the form': async (page) => {
        await clients.edit(page);
        await areShown(page);
      },
    });
  });
});
