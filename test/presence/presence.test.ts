import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import pg from 'pg';
import type { PresenceReport, PresenceView, PresentState } from '../../src/contract/presence.js';
import { Presence } from '../../src/presence/application/presence.js';
import { usersChanged } from '../../src/users/domain/user.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { eventually } from '../support/until.js';
import { type Person, people } from '../support/users/people.js';

const admin = (fullName: string): Person => ({
  ...people.admin,
  fullName,
  email: `${fullName.toLowerCase().replace(' ', '.')}@example.org`,
});
const [ada, bert, cleo] = [people.admin, admin('Bert Kohl'), admin('Cleo Marsh')] as const;
const alone: PresenceView = { others: [], ownTabs: null };

let portal: TestPortal;
let client: string;
let user: string;

beforeAll(async () => {
  const users = [ada, bert, cleo, people.patient];
  portal = await startPortal({ nodes: 2, config: { users, clients: [publicApp] } });
  const [app] = await portal.query<{ id: string }>('SELECT id FROM client');
  client = app?.id ?? '';
  user = await idOf(people.patient);
});

afterEach(async () => {
  for (const { email } of [ada, bert, cleo]) {
    await portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
    await portal.query("SELECT pg_notify('gatehouse_sessions', id::text) FROM account WHERE email = $1", [email]);
  }
  await eventually(async () => expect(portal.apps.map(openings)).toEqual([0, 0]));
});

afterAll(() => portal.close());

async function idOf({ email }: Person): Promise<string> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  return row?.id ?? '';
}

/** The number of openings that a node knows. */
function openings(app: TestPortal['apps'][number]): number {
  return (app.get(Presence, { strict: false }) as unknown as { openings: { size: number } }).openings.size;
}

/** A tab of an administrator, at one of the nodes. */
class Tab {
  readonly id = randomUUID();

  constructor(readonly agent: Agent) {}

  static async of({ email: username, password }: Person, node = 0): Promise<Tab> {
    const agent = new Agent(portal.issuer, portal.ports[node]);
    expect((await agent.post('/api/session/login', { username, password })).status).toBe(200);
    return new Tab(agent);
  }

  send(report: Partial<PresenceReport> | object): Promise<Answer> {
    return this.agent.send('/api/admin/presence', {
      method: 'PUT',
      body: { kind: 'client', id: client, tab: this.id, state: 'viewing', ...report },
    });
  }

  async report(state: PresenceReport['state'] = 'viewing', more: Partial<PresenceReport> = {}): Promise<PresenceView> {
    const answer = await this.send({ state, ...more });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json();
  }

  sees(view: Partial<PresenceView>, record: Partial<PresenceReport> = {}): Promise<void> {
    return eventually(async () => expect(await this.report('viewing', record)).toEqual({ ...alone, ...view }));
  }
}

const seenAs = (state: PresentState) => ({ others: [{ name: 'Bert Kohl', state }] });

describe('An administrator who has a record open', () => {
  it.each(['client', 'user'] as const)(
    'is named to another one at another node, with what they do: %s',
    async (kind) => {
      const record = { kind, id: kind === 'client' ? client : user };
      const [one, other] = [await Tab.of(ada, 0), await Tab.of(bert, 1)];
      await one.sees({}, record);
      for (const state of ['viewing', 'editing', 'viewing', 'saved'] as const) {
        await other.report(state, record);
        await one.sees(seenAs(state), record);
      }
      await eventually(async () =>
        expect((await other.report('saved', record)).others).toEqual([{ name: 'Ada Admin', state: 'viewing' }]),
      );
      await other.report('left', record);
      // A save is told for a minute, also of a tab that has gone.
      await one.sees(seenAs('saved'), record);
    },
  );

  it('is not named once they have left, even if an earlier report of the tab arrives after that', async () => {
    const [one, other] = [await Tab.of(ada, 0), await Tab.of(bert, 1)];
    await other.report('editing');
    await one.sees(seenAs('editing'));
    expect(await other.report('left')).toEqual(alone);
    await one.sees({});
    await other.report('editing');
    await one.sees({});
  });

  it('is named in their own other tab', async () => {
    const one = await Tab.of(ada);
    const other = new Tab(one.agent);
    await other.report('editing');
    await one.sees({ ownTabs: 'editing' });
    await other.report('left');
    await one.sees({});
  });

  it('sees no administrators of another record', async () => {
    const [one, other] = [await Tab.of(ada), await Tab.of(bert)];
    await other.report('viewing', { kind: 'user', id: user });
    await one.sees(seenAs('viewing'), { kind: 'user', id: user });
    expect(await one.report()).toEqual(alone);
  });

  it('is named once with several tabs, and the others by what they do, then by name', async () => {
    const [one, two, three] = [await Tab.of(ada), await Tab.of(bert), await Tab.of(cleo, 1)];
    await two.report('viewing');
    await new Tab(two.agent).report('viewing');
    await three.report('viewing');
    const [first, second] = [
      { name: 'Bert Kohl', state: 'viewing' as const },
      { name: 'Cleo Marsh', state: 'viewing' as const },
    ];
    await one.sees({ others: [first, second] });
    await three.report('editing');
    await one.sees({ others: [{ ...second, state: 'editing' }, first] });
  });
});

describe('Presence ends', () => {
  it('by itself when a tab reports no more: a closed laptop', async () => {
    const [one, other] = [await Tab.of(ada, 0), await Tab.of(bert, 1)];
    await other.report('editing');
    await one.sees(seenAs('editing'));
    const now = Date.now;
    const later = mock.method(Date, 'now', () => now() + 91_000);
    try {
      expect(await one.report()).toEqual(alone);
    } finally {
      later.mock.restore();
    }
  });

  it('with the session, on all nodes', async () => {
    const [one, other] = [await Tab.of(ada, 0), await Tab.of(bert, 1)];
    await other.report('editing');
    await one.sees(seenAs('editing'));
    await other.agent.signOut();
    expect((await other.send({})).status).toBe(401);
    await one.sees({});
  });

  it('when the account ends its other sessions', async () => {
    const [one, other, elsewhere] = [await Tab.of(ada, 0), await Tab.of(bert, 1), await Tab.of(bert, 0)];
    await other.report('editing');
    await one.sees(seenAs('editing'));
    expect((await elsewhere.agent.send('/api/user/sessions', { method: 'DELETE' })).status).toBe(204);
    await one.sees({});
    expect((await other.send({})).status).toBe(401);
  });

  it('when the account is no administrator any more, who is shown nothing either', async () => {
    const [one, other] = [await Tab.of(ada, 0), await Tab.of(bert, 1)];
    await other.report('editing');
    await one.sees(seenAs('editing'));
    const id = await idOf(bert);
    const become = async (userType: string) => {
      await portal.query('UPDATE account SET user_type = $1 WHERE id = $2', [userType, id]);
      await portal.query('SELECT pg_notify($1, $2)', [usersChanged, id]);
    };
    await become('Practitioner');
    await one.sees({});
    await eventually(async () => expect((await other.send({})).status).toBe(403));
    await become('Admin');
  });
});

describe('A report', () => {
  const statusOf = async (tab: Tab, report: object) => (await tab.send(report)).status;

  it('is refused unless it is an administrator who reports', async () => {
    const tab = await Tab.of(people.patient);
    expect(await statusOf(tab, {})).toBe(403);
    expect(await statusOf(new Tab(new Agent(portal.issuer)), {})).toBe(401);
  });

  it.each([
    ['a client that does not exist', { id: randomUUID() }, 404],
    ['a user that does not exist', { kind: 'user', id: randomUUID() }, 404],
    ['a client by the id of a user', { kind: 'user' }, 404],
    ['an id that is no UUID', { id: "' OR 1=1 --" }, 400],
    ['a long id', { id: 'x'.repeat(100_000) }, 400],
    ['another kind', { kind: '__proto__' }, 400],
    ['another state', { state: 'constructor' }, 400],
    ['a tab that is no UUID', { tab: 'x'.repeat(9_000) }, 400],
    ['a tab that is a list', { tab: [randomUUID()] }, 400],
    ['a member that there is not', { name: 'Someone Else' }, 400],
  ])('of %s is refused, and nothing is kept of it', async (_what, report, status) => {
    const tab = await Tab.of(ada);
    expect(await statusOf(tab, report)).toBe(status);
    await tab.report('left');
    await eventually(async () => expect(portal.apps.map(openings)).toEqual([1, 1]));
  });

  it('keeps at most 20 tabs of one administrator', async () => {
    const [one, other] = [await Tab.of(ada), await Tab.of(bert)];
    for (let count = 0; count < 50; count++) await new Tab(other.agent).report();
    await one.sees(seenAs('viewing'));
    await eventually(async () => expect(portal.apps.map(openings)).toEqual([21, 21]));
  });

  it('is no event of the audit record', async () => {
    const [one, other, patient] = [await Tab.of(ada), await Tab.of(bert), await Tab.of(people.patient)];
    const since = (await portal.query<{ at: Date }>('SELECT clock_timestamp() AS at'))[0]?.at;
    for (const state of ['viewing', 'editing', 'saved', 'left'] as const) {
      await other.report(state);
      await one.report();
    }
    expect((await patient.send({})).status).toBe(403);
    // Recorded in the order in which they happened.
    await eventually(async () =>
      expect(await portal.query('SELECT type FROM audit_event WHERE recorded_at > $1', [since])).toEqual([
        { type: 'access.refused' },
      ]),
    );
  });

  it('does not prolong the session', async () => {
    const tab = await Tab.of(ada);
    await portal.query(
      `UPDATE oidc_record SET expires_at = now() + interval '5 minutes', last_used_at = now() - interval '10 minutes'
        WHERE model = 'Session'`,
    );
    const ends = () => portal.query<{ at: Date }>("SELECT expires_at AS at FROM oidc_record WHERE model = 'Session'");
    const before = await ends();
    await tab.report();
    await tab.report('editing');
    expect(await ends()).toEqual(before);
  });

  it('is sent to the nodes once, not each time that it is repeated, and without names', async () => {
    const told: string[] = [];
    const listener = new pg.Client(portal.connection);
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => told.push(payload));
    await listener.query('LISTEN gatehouse_presence');
    const tab = await Tab.of(bert);
    await tab.report('editing');
    await eventually(async () => expect(told).toHaveLength(1));
    for (let count = 0; count < 10; count++) await tab.report('editing');
    await tab.report('left');
    await eventually(async () => expect(told.at(-1)).toContain('left'));
    expect(told).toHaveLength(2);
    await listener.end();
    expect(JSON.parse(told[0] ?? '')).toEqual({
      kind: 'client',
      id: client,
      tab: tab.id,
      state: 'editing',
      accountId: await idOf(bert),
    });
  });
});
