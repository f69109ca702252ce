import type { Locator, Page } from 'playwright-core';
import { expectedFields } from '../../../contract/clients/client-fields-expected.js';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import {
  clickSave,
  fieldNamed,
  openNewClient,
  openSection,
  useClientPages,
} from '../../../support/browser/client-pages.js';
import { expectDialog, expectNotice, expectText } from '../../../support/browser/pages.js';
import { inTurn, itInLongRun } from '../../../support/runs.js';

const { browser, clients } = useClientPages();
const call = '/api/admin/client';

itInLongRun('a locked field names the reason at the right of its label, apart from its choices', async () => {
  const { page, form } = await clients.openForm();
  await form.getByRole('radio', { name: /^Backend service/ }).check();
  await openSection(form, 'Permissions');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const group = form.getByRole('group', { name: /^SMART subjects/ });
    const reason = await group.getByText('Set by the client type').boundingBox();
    const label = await group.getByText('SMART subjects', { exact: true }).boundingBox();
    const choice = await group.getByText('patient', { exact: true }).boundingBox();
    if (!reason || !label || !choice) throw new Error('not shown');
    expect(reason.x).toBeGreaterThan(label.x + label.width);
    expect(choice.y - reason.y - reason.height).toBeGreaterThanOrEqual(4);
  }
});

describe('the problems of the client form', () => {
  /** Fills the field and expects the message next to it. */
  async function said(field: Locator, text: string, message: string): Promise<void> {
    await field.fill(text);
    const id = await field.getAttribute('aria-describedby');
    await field.page().locator(`[id="${id}"]`).getByText(message, { exact: true }).waitFor();
  }

  it('are shown next to their fields, counted per section, and prevent saving', async () => {
    const { page, form } = await clients.openForm();
    await openSection(form, 'Legal & Compliance');
    await clickSave(form);
    await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
    await form.getByRole('textbox', { name: 'Client name' }).and(page.locator(':focus')).waitFor();
    const steps = form.getByRole('navigation', { name: 'Steps' });
    await steps.getByRole('button', { name: /General Information\s*2 errors/ }).waitFor();
    await steps.getByRole('button', { name: /Client Secret\s*1 error/ }).waitFor();
    await said(fieldNamed(form, 'Client name'), '', 'Field is required');
    await said(fieldNamed(form, 'Client name'), 'a'.repeat(201), 'Please enter at most 200 characters');
    await said(fieldNamed(form, 'Client ID'), ' ', 'Field is required');
    await said(fieldNamed(form, 'Description (optional)'), 'a'.repeat(1001), 'Please enter at most 1000 characters');

    await openSection(form, 'Client Secret');
    await expectText(form, 'Please provide at least one Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await said(fieldNamed(form, 'Secret'), '', 'Field is required');
    await said(fieldNamed(form, 'Secret'), ' x', 'A secret cannot begin or end with a space');
    await said(fieldNamed(form, 'Description (optional)'), 'a'.repeat(101), 'Please enter at most 100 characters');
    await fieldNamed(form, 'Description (optional)').fill('');
    await form.getByRole('radio', { name: 'JWK (JWKS url)' }).click();
    await said(fieldNamed(form, 'JWKS URL'), '', 'Field is required');
    await said(fieldNamed(form, 'JWKS URL'), 'ftp://a.example', 'Please enter a valid value');
    await form.getByRole('radio', { name: 'JWK', exact: true }).click();
    await said(fieldNamed(form, 'Public key (JWK)'), '{', 'Please enter a valid value');
    await said(
      fieldNamed(form, 'Public key (JWK)'),
      '{"kty":"EC","kid":"a","d":"x"}',
      'Please enter the public key only: this one holds private parts',
    );

    await openSection(form, 'Permissions');
    for (const name of [
      'Create (c)',
      'Read (r)',
      'Update (u)',
      'Delete (d)',
      'Search (s)',
      'read',
      'write',
      '* (all)',
    ]) {
      await form.getByRole('checkbox', { name, exact: true }).click();
    }
    await expectText(form, 'At least one SMART action should be selected');
    await expectText(
      form,
      'Note: With authorization_code, system scopes are granted only where the user is allowed the same access.',
    );
    for (const name of ['patient', 'user', 'system']) await form.getByRole('checkbox', { name, exact: true }).click();
    await expectText(form, 'Field is required');

    await form.getByRole('button', { name: 'Add default scope' }).click();
    await said(fieldNamed(form, 'Default scopes 1'), 'patient/', 'Please enter a valid value');
    await form.getByRole('button', { name: 'Remove Default scopes 1' }).click();

    await openSection(form, 'Authorization Process');
    await expectText(form, 'Please provide at least one Redirect URI');
    for (let i = 0; i < 3; i++) await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
    await fieldNamed(form, 'Redirect URIs 2').fill('https://a.example/');
    await said(fieldNamed(form, 'Redirect URIs 3'), 'https://a.example/', 'Duplicate values are not allowed');
    await said(fieldNamed(form, 'Redirect URIs 1'), 'app://x', 'Please enter a valid value');
    await said(
      fieldNamed(form, 'Redirect URIs 1'),
      `https://a.example/${'a'.repeat(400)}`,
      'Please enter at most 400 characters',
    );

    // The application type decides which rule holds.
    const redirect = fieldNamed(form, 'Redirect URIs 1');
    const chooseType = (name: string) => form.getByRole('radio', { name, exact: true }).click();
    await said(
      redirect,
      'com.example.app:/callback',
      'Please enter a valid value: http or https. Other schemes are for apps whose application type is Native',
    );
    await chooseType('Native');
    await said(
      redirect,
      'com.example.app:/callback',
      'Note: Another app on the device can claim this address. Users should be asked (Require consent).',
    );
    await said(
      redirect,
      'app:/callback',
      'Please enter a valid value: the scheme of an app has a dot, as in com.example.app:/callback',
    );
    await said(
      redirect,
      'http://a.example/callback',
      'Please enter a valid value: native apps use http with 127.0.0.1, [::1] or localhost, and https with other hosts',
    );
    await chooseType('Web');

    await openSection(form, 'Token');
    const access = fieldNamed(form, 'Access token lifetime');
    await expectText(form, '1 hour. JWT tokens are accepted for 5 more minutes', '90 days');
    await said(access, '1h', 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"');
    await said(access, '00:00:00', 'Lifetime must be at least 00:00:01');
    await said(
      access,
      '1.02:00:00',
      'Warning: Access token lifetime set to 1 day 2 hours, but should be no more than 1 hour.',
    );
    await said(
      fieldNamed(form, 'Refresh token lifetime'),
      '1',
      'The Refresh Token Lifetime must be greater then the Access Token Lifetime',
    );
    await form.getByRole('button', { name: 'Add claim' }).click();
    await fieldNamed(form, 'Name').fill('unit');
    await expectText(form, 'Please fill in all claim fields.');
    await fieldNamed(form, 'Value').fill('icu');
    await form.getByRole('button', { name: 'Add claim' }).click();
    await fieldNamed(form, 'Name').nth(1).fill('unit');
    await fieldNamed(form, 'Value').nth(1).fill('icu');
    await expectText(form, 'A claim with this name and value already exists.');

    await openSection(form, 'SSO');
    await form.getByRole('switch', { name: 'Local login' }).click();
    await expectText(form, 'Local Login cannot be disabled if External Login is disabled');

    await openSection(form, 'Legal & Compliance');
    for (const name of ['Contact URL', 'Privacy policy URL', 'Terms of service URL', 'Initiate login URI']) {
      await said(fieldNamed(form, `${name} (optional)`), 'www.example.org', 'Please enter a valid value');
    }
    await clickSave(form);
    await form.getByRole('heading', { level: 2, name: 'General Information' }).waitFor();
  });

  itInLongRun('name each limit and format', async () => {
    const { form } = await clients.openForm();
    await openSection(form, 'Legal & Compliance');
    await clickSave(form);
    await openSection(form, 'General Information');
    await said(fieldNamed(form, 'Client ID'), 'a'.repeat(201), 'Please enter at most 200 characters');
    await said(fieldNamed(form, 'Client ID'), 'with space', 'Please enter a valid value');

    await openSection(form, 'Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await said(fieldNamed(form, 'Secret'), 'a'.repeat(4001), 'Please enter at most 4000 characters');
    await form.getByRole('radio', { name: 'JWK (JWKS url)' }).click();
    const long = `https://a.example/${'a'.repeat(2000)}`;
    await said(fieldNamed(form, 'JWKS URL'), long, 'Please enter at most 2000 characters');
    await form.getByRole('radio', { name: 'JWK', exact: true }).click();
    await said(fieldNamed(form, 'Public key (JWK)'), '{"kty":"EC"}', 'The key needs a "kid" that names it');
    const types = 'The key must be of type RSA (at least 2048 bits), EC (P-256, P-384 or P-521) or OKP (Ed25519)';
    await said(fieldNamed(form, 'Public key (JWK)'), '{"kty":"OKP","kid":"a"}', types);
    await form.getByRole('button', { name: 'Remove secret 1' }).click();

    await openSection(form, 'Authorization Process');
    await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
    await said(fieldNamed(form, 'Redirect URIs 1'), 'https://a.example/#part', 'Please enter a valid value');
    await form.getByRole('button', { name: 'Add redirect URI after logout' }).click();
    await said(fieldNamed(form, 'Redirect URIs after logout 1'), 'a.example', 'Please enter a valid value');
    await form.getByRole('button', { name: 'Add required scope' }).click();
    await said(fieldNamed(form, 'Required scopes 1'), 'patient/', 'Please enter a valid value');
    await said(fieldNamed(form, 'Back-channel logout URI (optional)'), 'a.example', 'Please enter a valid value');
    await form.getByRole('switch', { name: 'Require signed requests' }).click();
    await expectText(form, 'Please add a public key (JWK): signed requests are verified with it');

    await openSection(form, 'Token');
    const format = 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"';
    await said(fieldNamed(form, 'Refresh token lifetime'), '1:2', format);
    await said(fieldNamed(form, 'Refresh token lifetime'), '0', 'Lifetime must be at least 00:00:01');
    await said(fieldNamed(form, 'Consent lifetime (optional)'), 'never', format);
    const prefix = fieldNamed(form, 'Client claim prefix (optional)');
    await said(prefix, 'a'.repeat(201), 'Please enter at most 200 characters');
    await prefix.fill('');
    await form.getByRole('button', { name: 'Add claim' }).click();
    // The browser prevents longer input and cuts pasted text.
    expect(await fieldNamed(form, 'Name').getAttribute('maxlength')).toBe('250');
    expect(await fieldNamed(form, 'Value').getAttribute('maxlength')).toBe('250');
    await fieldNamed(form, 'Name').fill('sub');
    await fieldNamed(form, 'Value').fill('x');
    await expectText(form, "The claim 'sub' is set by the server and cannot be chosen.");
    await fieldNamed(form, 'Name').fill('fhirUser');
    await expectText(form, "The 'fhirUser' claim must point to Device resource.");
    await fieldNamed(form, 'Value').fill('Device/');
    await expectText(form, "Provide the 'Device' id in the fhirUser claim.");

    await openSection(form, 'Legal & Compliance');
    const company = fieldNamed(form, 'Legal company name (optional)');
    await said(company, 'a'.repeat(201), 'Please enter at most 200 characters');
    await said(fieldNamed(form, 'Contact URL (optional)'), long, 'Please enter at most 2000 characters');

    await openSection(form, 'General Information');
    await form.getByRole('radio', { name: /^Backend service/ }).click();
    await form.page().getByRole('button', { name: 'Change type' }).click();
    await openSection(form, 'Client Secret');
    await form.getByRole('switch', { name: 'Require client secret' }).click();
    await expectText(form, 'Clients that sign in with client_credentials need a client secret');
  });

  itInLongRun('that only the server finds are shown next to their fields until the field changes', async () => {
    await clients.createClient('Taken One');
    const { page, sheet } = await clients.openEdit(await clients.createClient('Other One'));
    const { id } = await clients.storedClient('other-one');
    browser.expectFailure(`${call}/${id}`, 409);
    await fieldNamed(sheet, 'Client ID').fill('taken-one');
    await clickSave(sheet);
    await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
    await sheet.getByRole('textbox', { name: 'Client ID' }).and(page.locator(':focus')).waitFor();
    const message = sheet.getByText('This client id is already in use.');
    await message.waitFor();
    await fieldNamed(sheet, 'Client ID').fill('other-two');
    await message.waitFor({ state: 'hidden' });
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
  });
});

describe('the client form shows and locks each field as specified', () => {
  const types = [
    ['S', 'StandaloneApp', 'Standalone app', { redirectUris: ['https://app.example/'] }],
    ['B', 'BackendService', 'Backend service', {}],
    ['M', 'ManagementApi', 'Management API', {}],
  ] as const;
  /** Fields that are hidden without tenants and identity providers. */
  const absent = ['allowedTenants', 'enableExternalLogin', 'identityProviderRestrictions'];

  /** The fields of the specification, and whether they can be changed. */
  const expected = (type: string, mode: 'create' | 'edit' | 'set-type') =>
    Object.entries(expectedFields)
      .filter(([name, { visible }]) => visible.includes(type) && !absent.includes(name))
      .map(([name, { locked }]) => [name, locked[mode]?.includes(type) ?? false]);

  /** The fields of the page, and whether they can be changed. */
  const shown = (page: Page) =>
    page.evaluate<[string, boolean][]>(`
      [...document.querySelectorAll('[data-place]')]
        .filter(({ dataset }) => !dataset.place.includes('.'))
        .map((field) => [field.dataset.place, !field.querySelector(':is(input, textarea, button):not(:disabled)')])`);

  beforeAll(() =>
    clients.portal.api.post('/api/admin/configuration/tag').send({ value: 'Cardiology', color: '#0A6375' }),
  );

  // The rules of which these are rows have tests of each field and type without a browser.
  it.each(inTurn<(typeof types)[number]>(types, 0))(
    'for %s, new and existing, of type %s',
    async (type, clientType, label, more) => {
      const clientSecrets = [{ secretType: 'SharedSecret', secret: 'of the table' }];
      for (const kind of ['typed', 'untyped']) {
        await clients.portal.api
          .post(call)
          .send({
            clientId: `${kind}-${type}`,
            clientName: `Table ${kind} ${type}`,
            clientType,
            clientSecrets,
            ...more,
          })
          .expect(201);
      }
      await clients.portal.query("UPDATE client SET client_type = 'Invalid' WHERE client_id = $1", [`untyped-${type}`]);
      const page = await clients.open('?searchTerm=table');

      const form = await openNewClient(page);
      await fieldNamed(form, 'Client name').fill('Table new');
      await form.getByRole('radio', { name: new RegExp(`^${label}`) }).click();
      const created: [string, boolean][] = [];
      const sections = await form.getByRole('navigation').getByRole('listitem').count();
      for (let step = 1; step <= sections; step++) {
        await expectText(form, `Step ${step} of ${sections}`);
        created.push(...(await shown(page)));
        if (step < sections) await form.getByRole('button', { name: 'Next' }).click();
      }
      expect(created).toEqual(expected(type, 'create'));
      await form.getByRole('button', { name: 'Cancel' }).click();
      const question = await expectDialog(page, 'Discard your changes?');
      await question.getByRole('button', { name: 'Discard changes' }).click();
      await form.waitFor({ state: 'hidden' });

      await page.getByRole('button', { name: `Table typed ${type}`, exact: true }).click();
      const sheet = await clients.edit(page);
      expect(await shown(page)).toEqual(expected(type, 'edit'));
      await sheet.getByRole('button', { name: 'Discard Changes' }).click();

      await page.getByRole('button', { name: `Table untyped ${type}`, exact: true }).click();
      await page.getByRole('button', { name: 'Set client type' }).click();
      await page.getByRole('radio', { name: new RegExp(`^${label}`) }).click();
      await page.getByRole('button', { name: 'Accept and Continue' }).click();
      await page.getByLabel('Client name', { exact: true }).waitFor();
      expect(await shown(page)).toEqual(expected(type, 'set-type'));
    },
  );
});

describe('no accessibility violations and no horizontal scrolling', () => {
  itInLongRun('in a step of the form, with errors, and in the question about the type of a new client', () =>
    expectFitInEveryLook(browser, {
      'The step': async (page) => {
        await clients.signIn(page, '?add=ehr-app');
        const form = await expectDialog(page, 'Add Client');
        await openSection(form, 'Authorization Process');
        await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
        await fieldNamed(form, 'Redirect URIs 1').fill('http:/x');
        await openSection(form, 'Token');
        await openSection(form, 'Authorization Process');
        await expectText(form, 'Please enter a valid value');
      },
      'The question': async (page) => {
        const form = page.getByRole('dialog');
        await form.getByRole('switch', { name: 'Require consent' }).click();
        await openSection(form, 'General Information');
        await form.getByRole('radio', { name: /^Management API/ }).click();
        await expectText(await expectDialog(page, 'Change the client type?'), 'Require consent');
      },
    }),
  );

  itInLongRun(
    'in all sections at once, with secrets and claims, in the question about new secrets, and in the review of a type',
    async () => {
      const { id } = await clients.createClient('Look Wide', {
        requireClientSecret: true,
        clientSecrets: [
          { secretType: 'SharedSecret', secret: 'first' },
          { secretType: 'JWK', secretUrl: 'https://tara.example/jwks' },
        ],
        clientClaims: [{ name: 'unit', value: 'icu' }],
      });
      const untyped = await clients.createClient('Look Review');
      await clients.portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [untyped.id]);
      const sheet = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Edit Client' });
      await expectFitInEveryLook(browser, {
        'All sections': async (page) => {
          await clients.signIn(page, `?client=${id}&searchTerm=look`);
          await clients.edit(page);
        },
        'The question about new secrets': async (page) => {
          await sheet(page).getByRole('button', { name: 'Add client secret' }).click();
          await sheet(page).getByRole('button', { name: 'Generate' }).click();
          await clickSave(sheet(page));
          await expectDialog(page, 'Do you want to proceed?');
        },
        'The review of a type': async (page) => {
          await page.keyboard.press('Escape');
          await page.getByRole('dialog', { name: 'Do you want to proceed?' }).waitFor({ state: 'hidden' });
          await sheet(page).getByRole('button', { name: 'Discard Changes' }).click();
          const question = await expectDialog(page, 'Discard your changes?');
          await question.getByRole('button', { name: 'Discard changes' }).click();
          await page.getByRole('button', { name: 'Look Review', exact: true }).click();
          await page.getByRole('button', { name: 'Set client type' }).click();
          await page.getByRole('radio', { name: /^Management API/ }).click();
          await expectText(page, 'This changes');
        },
      });
    },
  );
});
