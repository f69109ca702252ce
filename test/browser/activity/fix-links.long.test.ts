/** Each link to a field that a cause names opens the form of the client with the focus on that field. */
import { type CauseCode, catalogue } from '../../../src/contract/activity/catalogue.js';
import type { Cause } from '../../../src/contract/activity/cause.js';
import {
  applyClientType,
  type ClientField,
  clientFields,
  defaultClientForm,
  isChangeable,
} from '../../../src/contract/rules/clients/client-fields.js';
import { useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: AdminPortal;
const ids: Record<string, string> = {};
const kinds = [
  ['StandaloneApp', true],
  ['StandaloneApp', false],
  ['BackendService', true],
  ['ManagementApi', true],
] as const;
const secret = { secretType: 'SharedSecret', secret: 'typed-secret-of-a-linked-client', description: 'first' };

beforeAll(async () => {
  // Without tenants the form has no field for them.
  const tenants = [{ id: 'north', name: 'North', credentials: { type: 'none' } }];
  portal = await startAdminPortal({ config: { fhir: { tenants } } });
  for (const [clientType, requireClientSecret] of kinds) {
    const clientName = `${clientType} ${requireClientSecret}`;
    const form = {
      ...applyClientType({ ...defaultClientForm(), requireClientSecret }, clientType),
      ...{ clientName, clientId: `linked-${clientType}-${requireClientSecret}`.toLowerCase() },
      ...(clientType === 'StandaloneApp' && { redirectUris: ['https://linked.example/callback'] }),
      ...(requireClientSecret && { clientSecrets: [secret] }),
    };
    const { body, status } = await portal.api.post('/api/admin/client').send(form);
    expect([status, body.errors]).toEqual([201, undefined]);
    ids[clientName] = body.id;
  }
});
afterAll(() => portal.close());

const causes = Object.entries(catalogue as Record<CauseCode, Cause>);
const fields = [...new Set(causes.flatMap(([, { change }]) => change?.field ?? []))].filter(
  (field): field is ClientField => Object.hasOwn(clientFields, field),
);

describe.each(kinds)('A link to a field of a client (%s, with a secret: %s)', (clientType, requireClientSecret) => {
  const form = applyClientType({ ...defaultClientForm(), requireClientSecret }, clientType);

  it('has the focus on it, for each field that a cause names', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    const client = ids[`${clientType} ${requireClientSecret}`] ?? '';
    const found: string[] = [];
    const named = fields.filter((field) => isChangeable(field, form));
    for (const field of named) {
      await page.goto(`${portal.issuer}/admin/client-management?${new URLSearchParams({ client, field })}`);
      const focused = page.locator(`[data-place="${field}"] :focus`).first();
      await focused.waitFor().then(
        () => found.push(field),
        () => undefined,
      );
      // The next key would remove a row.
      expect([field, await focused.getAttribute('aria-label')]).not.toEqual([field, expect.stringMatching(/^Remove/)]);
    }
    expect(found).toEqual(named);
  });
});
