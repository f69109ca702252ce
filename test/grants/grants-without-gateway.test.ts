import type { GrantList } from '../../src/contract/own-record/grants.js';
import { type ClientKind, clientKinds } from '../support/clients/client-kinds.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let browser: Agent;

const clientOf = (kind: ClientKind, accessTokenType: string) => kind.client(accessTokenType, { accessTokenType });

beforeAll(async () => {
  const clients = clientKinds.flatMap((kind) => [clientOf(kind, 'Jwt'), clientOf(kind, 'Reference')]);
  portal = await startPortal({ config: { gateway: { enabled: false }, users: [people.patient], clients } });
  browser = new Agent(portal.issuer);
});

afterAll(() => portal.close());

/** The rounded minutes for which a revoked app keeps its access; null if it ends at once. */
async function minutesLeft(kind: ClientKind, accessTokenType: string): Promise<number | null> {
  const client = clientOf(kind, accessTokenType);
  await kind.app(portal, client, {}, browser).tokens(people.patient);
  const { clientsPermissions } = (await browser.get('/api/grant')).json<GrantList & Record<string, unknown>>();
  const until = clientsPermissions.find(({ clientId }) => clientId === client.clientId)?.worksUntil;
  return until ? Math.round((Date.parse(until) - Date.now()) / 600_000) * 10 : null;
}

it.each(clientKinds)(
  'P-02 the list of apps has the expiry of revoked JWTs where the FHIR server verifies them without the gateway ($name)',
  async (kind) => {
    expect(await minutesLeft(kind, 'Jwt')).toBe(60);
    expect(await minutesLeft(kind, 'Reference')).toBeNull();
  },
);
