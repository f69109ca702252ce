import type { Locator } from 'playwright-core';
import { basicAuthorization } from '../../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { ClientPages, clientsPath } from '../../../support/browser/client-pages.js';
import { expectDialog, expectText, signInByApi } from '../../../support/browser/pages.js';
import { backendService, publicApp } from '../../../support/clients/clients.js';
import { Agent } from '../../../support/http/agent.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const clients = new ClientPages(browser);
const description = 'Production';
const viewer = {
  ...backendService,
  clientId: 'echo-viewer',
  clientName: 'Echo Viewer',
  clientSecrets: [{ ...backendService.clientSecrets[0], description }],
};
const many = Array.from({ length: 301 }, (_, number) => ({ ...publicApp, clientId: `app-${number}` }));
let portal: AdminPortal;
let id: string;

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [viewer, ...many] } });
  clients.portal = portal;
  const [row] = await portal.query<{ id: string }>("SELECT id FROM client WHERE client_id = 'echo-viewer'");
  id = row?.id ?? '';
});
afterEach(() => portal.api.delete(call()).expect(200));
afterAll(() => portal.close());

const call = () => `/api/admin/client/${id}/rotation`;
const secrets = async () => (await portal.api.get(`/api/admin/client/${id}`).expect(200)).body.clientSecrets;

const open = (query = '', look = {}) => clients.open(query, look);

const shownSecret = (dialog: Locator) => dialog.locator('output').innerText();

async function signInWith(secret: string): Promise<number> {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const answer = await new Agent(portal.issuer).postForm('/connect/token', form, {
    headers: basicAuthorization('echo-viewer', secret),
  });
  return answer.status;
}

describe('The rotation of a secret', () => {
  it('begins with four actions by keyboard among 302 clients, and shows the new secret', async () => {
    const page = await open();
    let actions = 0;
    const act = async (work: () => Promise<unknown>) => {
      actions += 1;
      await work();
    };
    await act(() => page.getByRole('searchbox').fill('Echo Viewer'));
    await page.getByRole('table').getByRole('row').nth(2).waitFor({ state: 'detached' });
    await act(() => page.getByRole('button', { name: 'Echo Viewer', exact: true }).press('Enter'));
    await act(() => page.getByRole('button', { name: 'Rotate a secret' }).press('Enter'));
    const dialog = await expectDialog(page, 'Rotate secret');
    await act(() => dialog.getByRole('button', { name: 'Make a new secret' }).press('Enter'));
    await expectText(dialog, 'Give it to the app', 'Production 2');
    await dialog.getByRole('heading', { name: 'Give it to the app' }).and(page.locator(':focus')).waitFor();
    expect(await shownSecret(dialog)).toHaveLength(43);
    expect(actions).toBeLessThanOrEqual(4);
  });

  it('continues after a reload and at another administrator, until the old secret is ended', async () => {
    const page = await open(`?client=${id}`);
    await page.getByRole('button', { name: 'Rotate a secret' }).click();
    const dialog = await expectDialog(page, 'Rotate secret');
    await dialog.getByRole('button', { name: 'Make a new secret' }).click();
    await dialog.getByText(/^Step 2 of 4/).waitFor();
    const secret = await shownSecret(dialog);
    expect(await dialog.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('The new secret was shown once').waitFor();
    expect(await dialog.locator('output').count()).toBe(0);
    await dialog.getByLabel('I have stored the new secret').check();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await expectText(dialog, 'Waiting for the first sign-in with Production 2');
    expect(await signInWith(secret)).toBe(200);
    await expectText(dialog, 'The app signed in with Production 2');

    const other = await open(`?client=${id}`);
    await other.getByRole('button', { name: 'Continue' }).click();
    const same = await expectDialog(other, 'Rotate secret');
    await expectText(same, 'The app signed in with Production 2');
    await same.getByRole('button', { name: 'Next' }).click();
    await same.getByRole('button', { name: 'End now' }).click();
    await expectText(other, 'The old secret no longer works.');
    expect((await secrets()).map((one: { description: string }) => one.description)).toEqual(['Production 2']);
    await other.getByRole('button', { name: 'Rotate a secret' }).waitFor();
  });

  it('is finished later from the dashboard, or cancelled after a question, which removes the new secret', async () => {
    const page = await open(`?client=${id}`);
    await page.getByRole('button', { name: 'Rotate a secret' }).click();
    const dialog = await expectDialog(page, 'Rotate secret');
    await dialog.getByRole('button', { name: 'Make a new secret' }).click();
    await dialog.getByRole('button', { name: 'Finish later' }).click();
    await expectText(page, 'Rotation under way');
    await page.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await expectText(page, 'The rotation of 1 secret is under way');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('button', { name: 'Change' }).click();
    const date = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    await dialog.getByLabel('End of Production 2').fill(date);
    await dialog.getByLabel('End of Production 2').press('Enter');
    await dialog.getByRole('button', { name: 'Change' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const question = await expectDialog(page, 'Cancel the rotation?');
    await question.getByRole('button', { name: 'Remove the new secret' }).click();
    await expectText(page, 'The new secret was removed.');
    expect(await secrets()).toMatchObject([{ description: 'Production 2', expires: null }]);
  });

  it('covers a phone, with its steps in one line and its actions in view, and leaves half of it for the end of a secret with a long name', async () => {
    const name = 'Made for the nightly export of laboratory results';
    await portal.query('UPDATE client_secret SET description = $1', [name]);
    const page = await open(`?client=${id}`, { width: 360, height: 740 });
    const begin = page.getByRole('button', { name: 'Rotate a secret' });
    await begin.waitFor();
    expect((await begin.boundingBox())?.height).toBeLessThan(50);
    await page.getByRole('button', { name: 'Rotate a secret' }).click();
    const dialog = await expectDialog(page, 'Rotate secret');
    await dialog.getByRole('button', { name: 'Make a new secret' }).click();
    await dialog.getByText(/^Step 2 of 4/).waitFor();
    const end = await dialog.getByText(/^Ends in 14 days/).boundingBox();
    expect(end?.width).toBeGreaterThan(100);
    expect(await dialog.boundingBox()).toMatchObject({ x: 0, y: 0, width: 360 });
    expect((await dialog.boundingBox())?.height).toBeGreaterThanOrEqual(740);
    // A transparent edge would show the mask.
    expect((await dialog.locator('.ant-modal-header').boundingBox())?.x).toBe(16);
    const numbers = await Promise.all((await dialog.getByRole('listitem').all()).map((one) => one.boundingBox()));
    expect(numbers).toHaveLength(4);
    expect(new Set(numbers.map((one) => one?.y)).size).toBe(1);
    const action = await dialog.getByRole('button', { name: 'Next' }).boundingBox();
    expect((action?.y ?? 740) + (action?.height ?? 0)).toBeLessThanOrEqual(740);
  });

  // The usual run sees it from right to left (`all-pages/admin-dialogs.test.ts`).
  it('fits in every look', async () => {
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(`${portal.issuer}${clientsPath}?client=${id}`);
        await page.getByRole('button', { name: 'Rotate a secret' }).click();
        const dialog = await expectDialog(page, 'Rotate secret');
        await dialog.getByRole('button', { name: 'Make a new secret' }).click();
        await expectText(dialog, 'New secret');
      },
      { number: 1 },
    );
  });
});
