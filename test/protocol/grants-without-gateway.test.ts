import type { GrantList } from '../../src/contract/grants.js';
import { publicApp } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

const referenceApp = { ...publicApp, clientId: 'reference-app', accessTokenType: 'Reference' };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { gateway: { enabled: false }, users: [people.patient], clients: [publicApp, referenceApp] },
  });
});

afterAll(() => portal.close());

/** Minutes, to the next ten, for which a revoked app may go on; null when it ends at once. */
async function minutesLeft(client: { clientId: string }): Promise<number | null> {
  const app = new SmartApp(portal, { client });
  await app.tokens(people.patient);
  const { clientsPermissions } = (await app.browser.get('/api/grant')).json<GrantList & Record<string, unknown>>();
  const until = clientsPermissions.find(({ clientId }) => clientId === client.clientId)?.worksUntil;
  return until ? Math.round((Date.parse(until) - Date.now()) / 600_000) * 10 : null;
}

it('P-02 the list of apps has the expiry of revoked JWTs where the FHIR server verifies them without the gateway', async () => {
  expect(await minutesLeft(publicApp)).toBe(60);
  expect(await minutesLeft(referenceApp)).toBeNull();
});
