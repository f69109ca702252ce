/**
 * A request that cannot be continued: the page of the user and the record for administrators tell the same reason, and
 * a launch that its own browser can continue stays what it is.
 */
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import type { EndedAuthorization } from '../../../src/contract/authorization.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { launchOf } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient, people.practitioner], clients: [publicApp] } });
});
afterAll(() => portal.close());

/** Continues as the page does, by the callback and the address that it leads to. */
async function continued(browser: Agent, returnUrl: string): Promise<Answer> {
  const { location = '' } = await browser.get(returnUrl);
  return browser.get(location);
}

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
    expect([answer.status, told]).toEqual([400, reason]);
    const launch = await launchOf(portal, answer);
    expect([Object.keys(launch?.entries ?? {}).join(), launch?.outcome]).toEqual([
      expect.stringContaining(code),
      outcome,
    ]);
    expect(JSON.stringify(launch?.entries)).not.toContain('request-refused');
  });

  it('has no reason while its own browser can continue it', async () => {
    const app = new SmartApp(portal, {});
    expect(await reasonOf(app.browser, await app.begin())).toBe(null);
  });
});
