/**
 * A request that cannot be continued: the page of the user and the record for administrators tell the same reason, and
 * a launch that its own browser can continue stays what it is.
 */

import { clientsChanged } from '../../../src/clients/domain/client.js';
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import type { EndedAuthorization } from '../../../src/contract/authorization.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { alterClient, publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { launchOf } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal, tellNodes } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient, people.practitioner],
      clients: [publicApp, { ...publicApp, clientId: 'ending-app', requireConsent: false }],
    },
  });
});
afterAll(() => portal.close());

/** Continues as the page does, by the callback and the address that it leads to. */
async function continued(browser: Agent, returnUrl: string): Promise<Answer> {
  const { location = '' } = await browser.get(returnUrl);
  return browser.get(location);
}

/** The reason that the page of this answer shows. */
const shownReason = ({ text }: Answer) => /<meta name="gatehouse-reason" content="([\w-]+)">/.exec(text)?.[1];

const reasonOf = async (browser: Agent, returnUrl: string) =>
  (await browser.get(`/api/authorization/ended?${new URLSearchParams({ returnUrl })}`)).json<EndedAuthorization>()
    .reason;

/** A browser in which another request waits. */
async function otherBrowser(): Promise<Agent> {
  const other = new SmartApp(portal, {});
  await other.begin();
  return other.browser;
}

type Row = [
  name: string,
  reason: EndedAuthorization['reason'],
  code: CauseCode,
  outcome: string,
  make: (app: SmartApp, returnUrl: string) => Promise<Agent>,
];
const rows: Row[] = [
  [
    'had expired',
    'expired',
    'continued-late',
    'open',
    async ({ browser }) => {
      await portal.query(
        "UPDATE oidc_record SET expires_at = now() - interval '7 seconds' WHERE model = 'Interaction'",
      );
      return browser;
    },
  ],
  [
    'has no cookie in the browser',
    'no-cookie',
    'continued-without-cookie',
    'open',
    async () => new Agent(portal.issuer),
  ],
  ['was begun in another browser', 'other-browser', 'continued-in-other-browser', 'open', () => otherBrowser()],
  [
    'was answered',
    'gone',
    'continued-after-end',
    'refused',
    async (app, returnUrl) => {
      await app.signIn(people.patient, returnUrl);
      const page = new URL(await app.follow(returnUrl));
      const asked = page.searchParams.get('returnUrl') ?? '';
      await app.consent(asked, await app.offeredScopes(asked));
      expect(new URL(await app.follow(asked)).searchParams.get('code')).toEqual(expect.any(String));
      return app.browser;
    },
  ],
];

describe('A request that is continued', () => {
  it.each(rows)('and %s is told so to the user and to administrators', async (_, reason, code, outcome, make) => {
    const app = new SmartApp(portal, {});
    const returnUrl = await app.begin();
    const browser = await make(app, returnUrl);
    const told = await reasonOf(browser, returnUrl);
    const answer = await continued(browser, returnUrl);
    expect([answer.status, told, shownReason(answer)]).toEqual([400, reason, reason]);
    const launch = await launchOf(portal, answer);
    expect([Object.keys(launch?.entries ?? {}).join(), launch?.outcome]).toEqual([
      expect.stringContaining(code),
      outcome,
    ]);
    expect(JSON.stringify(launch?.entries)).not.toContain('request-refused');
  });

  it.each([
    ['another user', people.practitioner],
    ['the same user', people.patient],
  ])('after %s has signed in again is told so to the user and to administrators', async (_, person) => {
    const app = new SmartApp(portal, {});
    const first = await app.begin();
    await app.signIn(people.patient, first);
    const asked = new URL(await app.follow(first)).searchParams.get('returnUrl') ?? '';
    expect((await app.browser.signOut()).status).toBeLessThan(400);
    expect((await app.signIn(person)).status).toBe(200);
    const told = await reasonOf(app.browser, asked);
    const answer = await continued(app.browser, asked);
    expect([answer.status, answer.location, told, shownReason(answer)]).toEqual([
      ...[400, undefined, 'other-sign-in', 'other-sign-in'],
    ]);
    const launch = await launchOf(portal, answer);
    expect([Object.keys(launch?.entries ?? {}).join(), launch?.outcome]).toEqual([
      expect.stringContaining('continued-by-other-person'),
      'open',
    ]);
  });

  it.each([
    ['disabled', { enabled: false }, 'client-disabled'],
    ['given another id', {}, 'client-unknown'],
  ])('after its client was %s is told so, with the id of the client', async (_, change, code) => {
    const client = { ...publicApp, clientId: 'ending-app', requireConsent: false };
    await alterClient(portal, client.clientId, { enabled: true });
    const app = new SmartApp(portal, { client });
    const returnUrl = await app.begin();
    if ('enabled' in change) await alterClient(portal, client.clientId, change);
    else {
      await portal.query("UPDATE client SET client_id = 'quite-another-id' WHERE client_id = $1", [client.clientId]);
      await tellNodes(portal, clientsChanged);
    }
    const told = await reasonOf(app.browser, returnUrl);
    const answer = await continued(app.browser, returnUrl);
    expect([told, shownReason(answer)]).toEqual(['client', 'client']);
    const launch = await launchOf(portal, answer);
    expect([answer.status, launch?.cause, launch?.client_id, launch?.entries[code]?.detail.clientId]).toEqual([
      400,
      code,
      client.clientId,
      client.clientId,
    ]);
  });

  it.each([
    ['has lost its id', (address: string) => address.replace(/&ix=.*/, ''), 'no id'],
    ['has lost a part of its id', (address: string) => address.slice(0, -9), 'not whole'],
    ['has more than its id', (address: string) => address.replace(/.*&ix=(.*)/, '/connect/authorize/$1/x'), 'added'],
  ])('by an address that %s is told so to the user and to administrators', async (_, change, fault) => {
    const app = new SmartApp(portal, {});
    const address = change(await app.begin());
    const first = await app.browser.get(address);
    const answer = first.location === undefined ? first : await app.browser.get(first.location);
    const launch = await launchOf(portal, answer);
    expect([answer.status, launch?.outcome, launch?.cause]).toEqual([400, 'refused', 'continued-by-cut-address']);
    expect(launch?.entries['continued-by-cut-address']?.detail.fault).toContain(fault);
    expect([shownReason(answer), await reasonOf(app.browser, address)]).toEqual(['cut-address', 'cut-address']);
    expect(answer.text).toContain(String(answer.headers['x-launch-reference']));
  });

  it('has no reason while its own browser can continue it', async () => {
    const app = new SmartApp(portal, {});
    expect(await reasonOf(app.browser, await app.begin())).toBe(null);
  });
});
