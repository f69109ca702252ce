import type { Answer } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { DatabaseDoor } from '../support/database-proxy.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const referenceApp = { ...publicApp, clientId: 'reference-app', accessTokenType: 'Reference' };
const most = 6;

let portal: TestPortal;
let door: DatabaseDoor;
const heard: string[] = [];

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [publicApp, quietApp, referenceApp] },
    reachDatabase: (database) => {
      door = new DatabaseDoor(database, (sql) => heard.push(sql));
      return door.open();
    },
  });
});

afterAll(async () => {
  await portal.close();
  await door.shut();
});

/** Fails when `request` costs too many statements; where transactions begin and end does not count. */
async function inFew(request: () => Promise<Answer>): Promise<Answer> {
  heard.length = 0;
  const answer = await request();
  const statements = heard.filter((sql) => !/^(BEGIN|COMMIT)$/.test(sql));
  expect(heard).toContain('COMMIT');
  expect(statements.length > most ? statements : []).toEqual([]);
  return answer;
}

/** From an authorization request to the app, each request of it in few statements. */
async function code(app: SmartApp): Promise<string> {
  let { location = '' } = await inFew(() => app.authorize());
  while (location.startsWith(portal.issuer)) {
    const { pathname, searchParams } = new URL(location);
    const returnUrl = searchParams.get('returnUrl') ?? '';
    if (pathname === '/login') await app.signIn(people.patient, returnUrl);
    if (pathname === '/user/consent') await app.consent(returnUrl, await app.offered(returnUrl), true);
    if (!pathname.startsWith('/connect/')) location = new URL(returnUrl, portal.issuer).href;
    const resumed = await app.browser.get(location);
    location = (await inFew(() => app.browser.get(resumed.location ?? ''))).location ?? '';
  }
  return new URL(location).searchParams.get('code') ?? '';
}

describe('At most six SQL statements', () => {
  beforeAll(async () => {
    // What nodes remember is read once: the clients, the account.
    for (const client of [publicApp, quietApp, referenceApp])
      await new SmartApp(portal, { client }).tokens(people.patient);
  });

  it.each([quietApp, publicApp, referenceApp])(
    'are used for each of: authorize, the code exchange and a refresh ($clientId)',
    async (client) => {
      const first = new SmartApp(portal, { client });
      await code(first);
      const again = new SmartApp(portal, { client }, first.browser);
      const latest = await code(again);
      const exchanged = await inFew(() => again.exchange(latest));
      const refreshed = await inFew(() => again.refresh(exchanged.json<Tokens>().refresh_token ?? ''));
      const { refresh_token: next = '' } = refreshed.json<Tokens>();
      expect((await inFew(() => again.refresh(next))).status).toBe(200);
    },
  );
});
