import { clickSave, fieldNamed, unfold, useClientPages } from '../../../support/browser/client-pages.js';
import { expectNotice, expectText } from '../../../support/browser/pages.js';
import { makeClientKey } from '../../../support/clients/assertions.js';

const { clients } = useClientPages();
const key = await makeClientKey('ES256', 'app-key');
const needed = ['Require PKCE', 'Require pushed requests', 'Require DPoP'];

it('choosing FAPI 2.0 switches on what it needs, says next to its field what else does not agree, and is shown when it is saved', async () => {
  const client = await clients.createClient('Xenia Strict', {
    requirePkce: false,
    requireClientSecret: true,
    clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' }],
    redirectUris: ['http://app.example/callback'],
    postLogoutRedirectUris: [],
  });
  const { page, sheet } = await clients.openEdit(client);
  const profile = sheet.getByRole('group', { name: 'Security profile' });
  const on = () => Promise.all(needed.map((name) => sheet.getByRole('switch', { name }).isChecked()));
  expect(await profile.getByRole('radio', { name: 'None' }).isChecked()).toBe(true);
  expect(await on()).toEqual([false, false, false]);
  await profile.getByRole('radio', { name: 'FAPI 2.0' }).check();
  expect(await on()).toEqual([true, true, true]);
  await sheet.getByText(/Default: None/).waitFor();
  await sheet.getByRole('switch', { name: 'Require DPoP' }).click();
  await clickSave(sheet);
  await expectText(sheet, 'FAPI 2.0 needs https, or http to the loopback addresses 127.0.0.1 and [::1]');
  await expectText(sheet, 'FAPI 2.0 needs this setting');
  await sheet.getByRole('switch', { name: 'Require DPoP' }).click();
  await fieldNamed(sheet, 'Redirect URIs 1').fill('https://app.example/callback');
  await clickSave(sheet);
  await expectNotice(page, 'Client was successfully updated');
  expect(await clients.storedClient(client.clientId)).toMatchObject({ securityProfile: 'fapi2', requireDpop: true });
  await unfold(page.getByRole('dialog'));
  await expectText(page.getByRole('dialog'), 'FAPI 2.0');
});

it('a required sign-in and its maximum age are chosen, and shown when they are saved', async () => {
  const client = await clients.createClient('Xenia Careful');
  const { page, sheet } = await clients.openEdit(client);
  const required = sheet.getByRole('group', { name: 'Required sign-in' });
  await required.getByRole('radio', { name: 'With a passkey' }).check();
  await fieldNamed(sheet, 'Maximum age of the sign-in (optional)').fill('10 minutes');
  await sheet.getByRole('switch', { name: 'Local login' }).click();
  await clickSave(sheet);
  await expectText(sheet, 'Passkeys belong to accounts of this portal: please allow Local Login');
  await expectText(sheet, 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"');
  await sheet.getByRole('switch', { name: 'Local login' }).click();
  await fieldNamed(sheet, 'Maximum age of the sign-in (optional)').fill('00:10:00');
  await sheet.getByText(/^10 minutes\./).waitFor();
  await clickSave(sheet);
  await expectNotice(page, 'Client was successfully updated');
  const settings = { requiredAcr: 'phr', maxAuthenticationAge: '00:10:00' };
  expect(await clients.storedClient(client.clientId)).toMatchObject(settings);
  await unfold(page.getByRole('dialog'));
  await expectText(page.getByRole('dialog'), 'With a passkey', '10 minutes');
});
