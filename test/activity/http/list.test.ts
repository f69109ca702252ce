/** The calls by which administrators read the record of launches. */

import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { referenceOf } from '../../../src/contract/activity/reference.js';
import type { LaunchList, LaunchView } from '../../../src/contract/activity.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const second = { ...publicApp, clientId: 'ward-board', clientName: 'Ward Round Board' };
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  const users = [people.admin, people.patient, people.practitioner];
  portal = await startPortal({ config: { users, clients: [publicApp, second] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(() => portal.close());
beforeEach(async () => {
  await portal.query('DELETE FROM launch');
});

interface Given {
  id: string;
  outcome?: string;
  clientId?: string | null;
  accountId?: string | null;
  /** Minutes since the launch began. */
  ago?: number;
  /** Minutes since its last entry. */
  last?: number;
  /** Code, with the minutes since the entry and its values. */
  entries?: Record<string, { ago?: number; count?: number; detail?: Record<string, string> }>;
  cause?: string | null;
  kind?: string;
}

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

async function given(...launches: Given[]): Promise<void> {
  for (const { id, outcome = 'completed', entries = {}, ago = 60, last = ago, kind = 'launch', ...of } of launches) {
    const stored = Object.entries(entries).map(([key, { ago: when = ago, count = 1, detail = {} }]) => {
      const at = minutesAgo(when);
      return [key, { at, last: at, count, detail }];
    });
    await portal.query(
      `INSERT INTO launch (id, kind, client_id, account_id, started_at, last_at, outcome, cause, entries)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        id.padEnd(12, 'Z'),
        kind,
        of.clientId === undefined ? publicApp.clientId : of.clientId,
        of.accountId ?? null,
        new Date(minutesAgo(ago)),
        new Date(minutesAgo(last)),
        outcome,
        of.cause ?? null,
        JSON.stringify(Object.fromEntries(stored)),
      ],
    );
  }
}

/** As if their lifetime had passed since the codes were issued. Nothing else changes: no sweep is waited for. */
const endCodes = () =>
  portal.query(
    `UPDATE launch SET entries = jsonb_set(entries, '{code-issued,last}', to_jsonb((entries -> 'code-issued' ->> 'last')::float8 - 60500))
      WHERE entries ? 'code-issued'`,
  );

const accountOf = async ({ email }: { email: string }) =>
  (await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]))[0]?.id ?? '';

async function list(query: Record<string, string | string[]> = {}): Promise<LaunchList> {
  const asked = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) for (const one of [values].flat()) asked.append(name, one);
  const answer = await admin.get(`/api/admin/activity?${asked}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
}

const idsOf = ({ launches }: LaunchList) => launches.map(({ reference }) => reference.replaceAll('-', '').slice(0, 1));

describe('The list of launches', () => {
  it('shows a launch of an app with its names, its outcome and its duration, the newest first', async () => {
    await given({ id: 'BBBBBBBB', ago: 5 });
    const landed = await new SmartApp(portal).complete(people.patient);
    expect(landed.searchParams.get('code')).toEqual(expect.any(String));
    await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
    const { launches, totalCount, counts } = await list();
    expect(totalCount).toBe(2);
    expect(counts).toEqual({ completed: 1, refused: 0, failed: 0, declined: 0, left: 0, open: 1 });
    expect(launches[0]).toEqual({
      reference: expect.stringMatching(/^\w\w-\w{4}-\w\w$/),
      kind: 'launch',
      startedAt: expect.any(String),
      tookMs: expect.any(Number),
      client: { id: publicApp.clientId, name: publicApp.clientName },
      person: { id: await accountOf(people.patient), name: people.patient.fullName, userType: 'Patient' },
      outcome: 'open',
      state: 'open',
      decidedBy: null,
      page: 'app',
      isPageShown: true,
    });
    expect(launches[1]?.reference).toBe('BB-BBBB-BB');
  });

  it('distinguishes a launch that the user left from one that is under way, with the last page', async () => {
    const pages = { 'page-shown\nlogin': { ago: 40, detail: { page: 'login' } } };
    const consent = { 'page-shown\nconsent': { ago: 39, detail: { page: 'consent' } } };
    await given(
      { id: 'B', outcome: 'open', ago: 40, last: 16, entries: { ...consent, ...pages } },
      { id: 'C', outcome: 'open', ago: 41, last: 14, entries: pages },
      { id: 'D', outcome: 'open', ago: 121, last: 14 },
    );
    const { launches, counts } = await list();
    expect(launches.map(({ outcome, page }) => [outcome, page])).toEqual([
      ['left', 'consent'],
      ['open', 'login'],
      ['left', null],
    ]);
    expect(counts).toMatchObject({ left: 2, open: 1 });
  });

  it('has a launch whose code ended unredeemed among those that were left, from the end of the code on', async () => {
    const issued = (id: string, secondsAgo: number) => ({
      ...{ id, outcome: 'open', ago: secondsAgo / 60, last: secondsAgo / 60 },
      entries: {
        'page-shown\nlogin': { ago: secondsAgo / 60 + 0.1, detail: { page: 'login' } },
        'code-issued': { ago: secondsAgo / 60 },
      },
    });
    await given(issued('B', 55), issued('C', 62), issued('D', 600), issued('F', 1000));
    const { launches, counts } = await list();
    expect(launches.map(({ outcome, page }) => [outcome, page])).toEqual([
      ['open', 'app'],
      ...Array.from({ length: 3 }, () => ['left', 'app']),
    ]);
    expect(counts).toMatchObject({ left: 3, open: 1 });
    expect(idsOf(await list({ outcome: 'left' }))).toEqual(['C', 'D', 'F']);
    expect(idsOf(await list({ outcome: 'open' }))).toEqual(['B']);
  });

  it.each<[string, Record<string, string | string[]>, string]>([
    ['nothing', {}, 'B C D F G'],
    ['the oldest first', { sortDirection: '0' }, 'G F D C B'],
    ['an outcome', { outcome: 'refused' }, 'C F'],
    ['two outcomes', { outcome: ['refused', 'declined'] }, 'C D F'],
    ['an outcome that none has', { outcome: 'left' }, ''],
    ['a client', { clientId: second.clientId }, 'D F'],
    ['a client that is not registered', { clientId: 'nowhere' }, 'G'],
    ['a cause', { cause: 'token-refused' }, 'C'],
    ['the time from', { from: new Date(minutesAgo(25)).toISOString() }, 'B C'],
    ['the time to', { to: new Date(minutesAgo(25)).toISOString() }, 'D F G'],
    ['a reference', { searchTerm: 'DD-DDDD-DD' }, 'D'],
    ['a reference as it is heard', { searchTerm: ' dd dddd dd ' }, 'D'],
    ['a reference, with a filter that does not fit', { searchTerm: 'DD-DDDD-DD', outcome: 'refused' }, ''],
    ["words of an app's name", { searchTerm: 'board ward' }, 'D F'],
    ["part of an app's id", { searchTerm: 'ward-b' }, 'D F'],
    ['the id of a client that is not registered', { searchTerm: 'nowhere' }, 'G'],
    ["a person's name", { searchTerm: people.patient.fullName.toLowerCase() }, 'B D'],
    ["a person's address", { searchTerm: people.patient.email }, 'B D'],
    ["a person's name and a client", { searchTerm: people.patient.fullName, clientId: second.clientId }, 'D'],
    ['words that nothing has', { searchTerm: 'xylophone' }, ''],
  ])('is limited to %s', async (_what, query, expected) => {
    const accountId = await accountOf(people.patient);
    await given(
      { id: 'BBBBBBBB', ago: 10, accountId },
      { id: 'CCCCCCCC', ago: 20, outcome: 'refused', cause: 'token-refused' },
      { id: 'DDDDDDDD', ago: 30, outcome: 'declined', cause: 'declined', clientId: second.clientId, accountId },
      { id: 'FFFFFFFF', ago: 40, outcome: 'refused', cause: 'request-refused', clientId: second.clientId },
      { id: 'GGGGGGGG', ago: 50, clientId: 'nowhere' },
    );
    const found = await list(query);
    expect(idsOf(found).join(' ')).toBe(expected);
    expect(found.totalCount).toBe(found.launches.length);
  });

  it('counts each outcome under the other filters', async () => {
    await given(
      { id: 'B' },
      { id: 'C', outcome: 'refused', cause: 'token-refused' },
      { id: 'D', outcome: 'refused', cause: 'token-refused', clientId: second.clientId },
    );
    const { counts } = await list({ outcome: 'completed', clientId: publicApp.clientId });
    expect(counts).toEqual({ completed: 1, refused: 1, failed: 0, declined: 0, left: 0, open: 0 });
  });

  it('counts each outcome to 1,000 and all to 10,000, and has no page behind that', async () => {
    await portal.query(
      `INSERT INTO launch (id, kind, started_at, last_at, outcome, entries)
       SELECT 'B' || 10000000000 + i, 'launch', now() - i * interval '1 second', now(), 'completed', '{}'
         FROM generate_series(1, 10050) AS i`,
    );
    const last = await list({ page: '100', pageSize: '100' });
    expect([last.totalCount, last.counts.completed, last.launches.length]).toEqual([10_000, 1_000, 100]);
    expect((await list({ page: '101', pageSize: '100' })).launches).toEqual([]);
  });

  it.each([
    ['outcome', 'lost', 'Only these values are allowed: '],
    ['accountId', 'someone', 'Please enter the id, the email address or the FHIR record of a user.'],
    ['clientId', 'a\u0007b', 'This has a character that cannot be displayed'],
    ['cause', 'bad-luck', 'Please enter a valid value'],
    ['from', 'yesterday', 'Please enter a date, or a date with time'],
    ['from', '2026-W47', 'Please enter a date'],
    ['to', '1969-12-31', 'Please enter a date'],
    ['page', '0', 'The smallest number is 1'],
    ['searchTerm', ' '.repeat(201), 'Please enter at most 200 characters'],
    ['other', '1', 'This member is not allowed'],
  ])('refuses the filter %s=%s with a sentence at its field', async (field, value, sentence) => {
    const answer = await admin.get(`/api/admin/activity?${new URLSearchParams({ [field]: value })}`);
    expect(answer.status).toBe(400);
    const { errors } = answer.json<{ errors: { field: string; messages: string[] }[] }>();
    expect(errors).toEqual([{ field, messages: [expect.stringContaining(sentence)] }]);
  });

  it('refuses a period that ends before it begins', async () => {
    const answer = await admin.get('/api/admin/activity?from=2026-11-22&to=2026-11-21');
    expect([answer.status, answer.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ field: 'to', messages: ['The end of the period lies before its start.'] }],
      }),
    ]);
  });
});

describe('One launch', () => {
  const view = async (reference: string) => (await admin.get(`/api/admin/activity/${reference}`)).json<LaunchView>();

  it('is a timeline with the decision, and a text for the developer without names', async () => {
    const { location } = await new SmartApp(portal, { parameters: { aud: 'https://elsewhere.test' } }).authorize();
    const reference = /Reference:(?: |\+|%20)(\S{10})/.exec(decodeURIComponent(location ?? ''))?.[1] ?? '';
    await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
    const launch = await view(reference.toLowerCase());
    expect(launch).toMatchObject({
      reference,
      outcome: 'refused',
      decidedBy: launch.decision?.decidedBy,
      sameCause: 1,
      clientRecordId: expect.any(String),
    });
    expect(launch.entries.at(-1)).toEqual(launch.decision);
    const [text, ...rest] = launch.forDeveloper.split('\n');
    expect(text).toContain('https://elsewhere.test');
    expect(rest.at(-2)).toMatch(/^Time: [A-Z]\w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M UTC$/);
    expect(rest.at(-1)).toBe(`Reference: ${reference}`);
  });

  it.each<[string, string, string, string, (app: SmartApp) => Promise<Answer>]>([
    [
      'the user did not go on',
      'person-gone',
      'The user left at the page login',
      'Your request itself was accepted.',
      async (app) => app.browser.get(`/api/session/login?returnUrl=${encodeURIComponent(await app.begin())}`),
    ],
    [
      'no browser showed the page',
      'page-unopened',
      'The login page was not opened, as far as is recorded',
      'which no browser is recorded to have shown',
      (app) => app.authorize(),
    ],
    [
      'the user never came with a pushed request',
      'request-unopened',
      'The app did not send the user here',
      'You pushed a request',
      (app) => new Agent(portal.issuer).postForm('/connect/par', Object.fromEntries(new URLSearchParams(app.query()))),
    ],
    [
      'the app did not redeem its code',
      'code-unredeemed',
      'The app did not redeem its code',
      'A code was sent to your redirect URI. No token request of your client with it is recorded here until it expired.',
      async (app) => {
        const { searchParams } = new URL(await app.complete(people.patient));
        expect(searchParams.get('code')).toEqual(expect.any(String));
        return app.browser.get('/connect/authorize?client_id=unknown');
      },
    ],
  ])('that ended because %s says so, to administrators and developers, once it has expired', async (...of) => {
    const [, code, reason, forDeveloper, begin] = of;
    await begin(new SmartApp(portal));
    await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
    const only = { clientId: publicApp.clientId };
    const [open] = (await list(only)).launches;
    expect([open?.outcome, open?.decidedBy]).toEqual(['open', null]);
    const minutes = code === 'code-unredeemed' ? 1 : 15;
    if (code === 'code-unredeemed') await endCodes();
    else await portal.query("UPDATE launch SET last_at = last_at - interval '16 minutes'");
    const [left] = (await list(only)).launches;
    expect([left?.outcome, left?.decidedBy]).toEqual(['left', reason]);
    const launch = await view(left?.reference ?? '');
    expect(launch.entries.map((entry) => entry.code).filter((one) => one === 'request-received')).toHaveLength(1);
    expect(launch.entries.at(-1)).toEqual(launch.decision);
    expect(launch.decision).toMatchObject({ code, severity: 'left', decidedBy: reason });
    expect(launch.decision?.afterMs).toBeGreaterThanOrEqual(code === 'code-unredeemed' ? 0 : minutes * 60_000);
    expect(launch.forDeveloper).toContain(forDeveloper);
  });

  it('of a deleted account has no person, and the account is forgotten in the record', async () => {
    const accountId = await accountOf(people.practitioner);
    await given({ id: 'BBBBBBBB', accountId });
    expect((await view('BB-BBBB-BB')).person?.name).toBe(people.practitioner.fullName);
    expect((await admin.send(`/api/admin/user/${accountId}`, { method: 'DELETE' })).status).toBe(204);
    expect((await view('BB-BBBB-BB')).person).toBeNull();
    expect(await portal.query('SELECT account_id FROM launch')).toEqual([{ account_id: null }]);
  });

  it('skips entries that another version has written', async () => {
    const entries = { 'request-received': { detail: { how: 'By address' } }, 'from-the-future': {} };
    await given({ id: 'BBBBBBBB', outcome: 'refused', cause: 'from-the-future', entries });
    const launch = await view('BB-BBBB-BB');
    expect(launch.entries.map(({ code }) => code)).toEqual(['request-received']);
    expect([launch.decidedBy, launch.decision]).toEqual([null, undefined]);
  });

  it('that does not exist says so, and a text that is no reference is refused', async () => {
    const unknown = await admin.get(`/api/admin/activity/${referenceOf('ZZZZZZZZZZZZ')}`);
    expect([unknown.status, unknown.json<{ message: string }>().message]).toEqual([
      404,
      'There is no launch with this reference. Launches are removed after 30 days.',
    ]);
    for (const text of ['A', 'NB-7Q4K-2', 'NB-7Q4K-2A', '%00', "'; DROP TABLE launch"]) {
      expect((await admin.get(`/api/admin/activity/${encodeURIComponent(text)}`)).status).toBe(400);
    }
  });
});
