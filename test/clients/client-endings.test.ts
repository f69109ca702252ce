import type { ClientImpact } from '../../src/contract/clients/client-changes.js';
import type { ClientView } from '../../src/contract/clients/clients.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { endUndoTime, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startFhirPortal } from '../support/portal/fhir-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { appsOfKind, tokenScope } from '../support/portal/token-portal.js';
import { inTurn, isLong, runs } from '../support/runs.js';
import { eventually, until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const services = confidentialKinds.map((kind) => kind.service('service'));
const races = ['raced', 'raced-deleted', 'renamed', 'hidden', 'counted'].map((clientId) => ({
  ...publicApp,
  clientId,
  requireConsent: false,
  accessTokenType: 'Reference',
}));
const counted = 'counted';

let portal: TestPortal;
/** The same administrator at each of the two nodes. */
let admins: Agent[];

beforeAll(async () => {
  portal = await startFhirPortal({
    nodes: 2,
    config: {
      users: [people.admin, people.patient, people.otherPatient],
      clients: [...services, ...races, ...clientKinds.flatMap(appsOfKind)],
    },
  });
  admins = portal.ports.map((port) => new Agent(portal.issuer, port));
  for (const admin of admins) {
    await login(admin, people.admin);
    await until(async () => {
      const status = await admin.get('/api/admin/dashboard/firely-server-status');
      return status.json<{ isFirelyServerAvailable: boolean }>().isFirelyServerAvailable;
    });
  }
});

afterAll(() => portal.close());

const [one, other] = [() => admins[0] as Agent, () => admins[1] as Agent];
const rowOf = async (clientId: string) =>
  (await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]))[0]?.id ?? '';
/** Behind the gateway, which admits the token, is no record. */
const accepted = [502, 502, 200];
const pathOf = (id: string) => `/api/admin/client/${id}`;
const setEnabled = (id: string, enabled: boolean, admin = one()) =>
  admin.send(`${pathOf(id)}/enabled`, { method: 'PUT', body: { enabled } });
const remove = (id: string, admin = one()) => admin.send(pathOf(id), { method: 'DELETE' });
const restore = (id: string, admin = one()) => admin.send(`${pathOf(id)}/restore`, { method: 'POST' });
const records = (clientId: string) =>
  portal.query("SELECT FROM oidc_record WHERE client_id = $1 AND model IN ('Grant', 'RefreshToken')", [clientId]);
const endings = () => portal.query("SELECT FROM job WHERE kind = 'client-endings'");
const receipts = (clientId: string) => portal.query('SELECT FROM receipt WHERE client_id = $1', [clientId]);
const listed = async (clientId: string, admin = one()) => {
  const { clients } = (await admin.get(`/api/admin/client?searchTerm=${clientId}`)).json<{ clients: ClientView[] }>();
  return clients.filter((client) => client.clientId === clientId);
};

/** The ways to end a client, and to undo that by the administrator at the other node. */
const ends = {
  disabled: { end: (id: string) => setEnabled(id, false), undo: (id: string) => setEnabled(id, true, other()) },
  deleted: { end: (id: string) => remove(id), undo: (id: string) => restore(id, other()) },
};
const allEnds = Object.entries(ends).map(([name, act], number) => ({ name, number, ...act }));

describe.each(allEnds)('A client that is $name', ({ name, number, end, undo }) => {
  /** Usually a kind is ended in one way: what ends it is not its credentials. */
  const inItsTurn = (kind: (typeof clientKinds)[number]) => isLong || kind.number % allEnds.length === number;

  describe.each(clientKinds.filter(inItsTurn))('and is an app ($name)', (kind) => {
    it.each(inTurn(appsOfKind(kind), Math.floor(kind.number / 2)))(
      'is refused at once at all nodes, works with its old tokens once that was undone, and loses them without it ($accessTokenType)',
      async (client) => {
        const id = await rowOf(client.clientId);
        await portal.query('DELETE FROM receipt WHERE client_id = $1', [client.clientId]);
        const app = kind.app(portal, client, { scope: tokenScope });
        const { access_token, refresh_token = '' } = await app.tokens(people.patient);
        const atOther = new Agent(portal.issuer, portal.ports[1]);
        const works = async () => [
          (await kind.read(app.browser, '/fhir/Patient/1', access_token)).status,
          (await kind.read(atOther, '/fhir/Patient/1', access_token)).status,
          (await kind.userinfo(atOther, access_token)).status,
        ];
        const refused = [401, 401, 401];
        expect(await works()).toEqual(accepted);

        expect((await end(id)).status).toBeLessThan(300);
        await eventually(async () => expect(await works()).toEqual(refused));
        const refresh = { grant_type: 'refresh_token', refresh_token };
        expect((await kind.post(app.browser, '/connect/token', client, refresh)).status).toBe(401);
        expect((await app.authorize()).location ?? '').not.toContain(
          `${new URL(client.redirectUris[0] ?? '').origin}/`,
        );
        expect(await records(client.clientId)).toHaveLength(2);

        expect((await undo(id)).status).toBe(200);
        expect(await endings()).toEqual([]);
        await eventually(async () => expect(await works()).toEqual(accepted));
        expect(await listed(client.clientId)).toMatchObject([{ enabled: true, id }]);

        expect((await end(id)).status).toBeLessThan(300);
        await endUndoTime(portal);
        await until(async () => (await endings()).length === 0);
        expect(await records(client.clientId)).toEqual([]);
        await until(async () => (await receipts(client.clientId)).length === 1);
        expect((await undo(id)).status).toBe(name === 'deleted' ? 404 : 200);
        expect(await works()).toEqual(refused);
      },
    );
  });

  it.each(confidentialKinds.filter(inItsTurn))(
    'and is a service is refused at once and works again after the undo ($name)',
    async (kind) => {
      const client = services[confidentialKinds.indexOf(kind)] ?? { clientId: '' };
      const id = await rowOf(client.clientId);
      const ask = () =>
        kind.post(new Agent(portal.issuer, portal.ports[1]), '/connect/token', client, {
          grant_type: 'client_credentials',
          scope: 'system/*.rs',
        });
      const { access_token } = (await ask()).json<{ access_token: string }>();
      const read = async () => (await kind.read(other(), '/fhir/Patient/1', access_token)).status;
      expect(await read()).toBe(200);
      expect((await end(id)).status).toBeLessThan(300);
      await eventually(async () => expect(await read()).toBe(401));
      expect((await ask()).status).toBe(401);
      expect((await undo(id)).status).toBe(200);
      await eventually(async () => expect(await read()).toBe(200));
      expect((await ask()).status).toBe(200);
      expect((await end(id)).status).toBeLessThan(300);
      await endUndoTime(portal);
      await until(async () => (await endings()).length === 0);
      expect((await undo(id)).status).toBe(name === 'deleted' ? 404 : 200);
      expect(await read()).toBe(401);
    },
  );
});

const grantTo = (clientId: string, people = 1) =>
  portal.query(
    `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, created_at, expires_at)
     SELECT kind.model, $1 || kind.model || n, '{}', $1 || n, md5(n::text)::uuid, $1, now(), now() + interval '1 day'
       FROM generate_series(1, $2) AS n, (VALUES ('Grant'), ('RefreshToken')) AS kind (model) ON CONFLICT DO NOTHING`,
    [clientId, people],
  );

describe('A client whose deletion can be undone', () => {
  it('is neither listed, counted nor found, and its id is not free', async () => {
    const id = await rowOf('hidden');
    const form = (await one().get(pathOf(id))).json<ClientView & Record<string, unknown>>();
    const total = async () => (await other().get('/api/admin/client')).json<{ totalCount: number }>().totalCount;
    const before = await total();
    expect((await remove(id)).status).toBe(204);
    expect([await total(), await listed('hidden', other())]).toEqual([before - 1, []]);
    const answers = [
      other().get(pathOf(id)),
      other().send(pathOf(id), { method: 'PUT', body: form }),
      setEnabled(id, true, other()),
      remove(id, other()),
      other().get(`/api/admin/client/impact?id=${id}`),
    ];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const { id: _, clientSecrets: __, version: ___, ...again } = form;
    const refused = await one().post('/api/admin/client', again);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('deleted a moment ago')]);
    // The answer to the first call may have been lost.
    for (const admin of admins) expect((await restore(id, admin)).status).toBe(200);
    expect([await total(), await listed('hidden', other())]).toMatchObject([before, [{ id, enabled: true }]]);
    expect((await remove(id)).status).toBe(204);
    await endUndoTime(portal);
    await until(async () => (await endings()).length === 0);
    expect((await one().post('/api/admin/client', again)).status).toBe(201);
  });

  it('is in the audit record as deleted, and as restored by the administrator who did that', async () => {
    const id = await rowOf('renamed');
    await remove(id);
    await restore(id, other());
    const entries = await portal.query('SELECT type, detail FROM audit_event WHERE subject = $1 ORDER BY id', [id]);
    expect(entries).toMatchObject([{ type: 'client.deleted' }, { type: 'client.restored', detail: {} }]);
  });

  it('that was disabled before stays disabled after the undo', async () => {
    const id = await rowOf('renamed');
    await setEnabled(id, false);
    await remove(id);
    expect((await restore(id)).json<ClientView & Record<string, unknown>>()).toMatchObject({ enabled: false });
    await setEnabled(id, true);
    expect(await endings()).toEqual([]);
  });
});

describe('An end that has begun', () => {
  const begun = () =>
    portal.query("UPDATE job SET attempts = 1, due_at = now() + interval '1 hour' WHERE kind = 'client-endings'");
  afterEach(() => portal.query("DELETE FROM job WHERE kind = 'client-endings'"));

  it('of a deletion is not undone', async () => {
    const id = await rowOf('raced-deleted');
    await remove(id);
    await begun();
    expect((await restore(id)).status).toBe(404);
    expect(await endings()).toHaveLength(1);
    await endUndoTime(portal);
    await until(async () => (await endings()).length === 0);
    expect(await rowOf('raced-deleted')).toBe('');
  });

  it('of the access is completed before the client is enabled again', async () => {
    const id = await rowOf('renamed');
    await grantTo('renamed');
    await setEnabled(id, false);
    await begun();
    expect((await setEnabled(id, true, other())).status).toBe(200);
    expect([await records('renamed'), await endings()]).toEqual([[], []]);
  });
});

describe('Two administrators', () => {
  it('who undo and end at the same time leave a client that has all its access, or none', async () => {
    const id = await rowOf('raced');
    for (let round = 0; round < runs(4, 80).numRuns; round += 1) {
      await grantTo('raced');
      await setEnabled(id, false);
      await portal.query("UPDATE job SET due_at = now() WHERE kind = 'client-endings'");
      const [undone] = await Promise.all([setEnabled(id, true, other()), endUndoTime(portal)]);
      expect(undone.status).toBe(200);
      expect([await records('raced'), await endings()]).toEqual([[], []]);
    }
  });

  it('of whom one deletes while the other edits, disables or restores get answers of one order', async () => {
    const id = await rowOf('raced');
    const form = (await one().get(pathOf(id))).json<ClientView & Record<string, unknown>>();
    for (let round = 0; round < runs(4, 60).numRuns; round += 1) {
      const { version: _, ...body } = { ...form, description: `round ${round}` };
      const answers = await Promise.all([
        remove(id),
        other().send(pathOf(id), { method: 'PUT', body }),
        setEnabled(id, round % 2 === 0, other()),
        restore(id, other()),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
      expect(answers[0]?.status).toBe(204);
      expect((await restore(id)).status).toBe(200);
      const waiting = await portal.query(
        "SELECT FROM job WHERE kind = 'client-endings' AND payload ->> 'ends' = 'client'",
      );
      expect([waiting, await listed('raced')]).toMatchObject([[], [{ id }]]);
    }
  });
});

describe('The impact of ending clients', () => {
  const impact = async (...ids: string[]) =>
    (await one().get(`/api/admin/client/impact?${ids.map((id) => `id=${id}`).join('&')}`)).json<
      ClientImpact & Record<string, unknown>
    >();

  it('counts people, live tokens and the launches of 30 days, each person once', async () => {
    await grantTo(counted, 3);
    await grantTo('raced', 3);
    await portal.query(
      `INSERT INTO launch (id, kind, client_id, started_at, last_at, outcome, entries)
       SELECT 'counted-' || n, 'standalone', $1, at, at, 'completed', '{}'
         FROM generate_series(1, 3) AS n, LATERAL (SELECT now() - n * interval '14 days' AS at) AS days`,
      [counted],
    );
    const ids = [await rowOf(counted), await rowOf('raced')];
    const one = {
      people: 3,
      tokens: 3,
      hasMoreTokens: false,
      isAtLeast: false,
      launches: 2,
      launchesAreAtLeast: false,
    };
    expect(await impact(ids[0] ?? '')).toEqual(one);
    expect(await impact(...ids)).toMatchObject({ people: 3, tokens: 6 });
  });

  it('is counted up to a limit, however many records there are', async () => {
    await grantTo(counted, 6_000);
    expect(await impact(await rowOf(counted))).toMatchObject({ isAtLeast: true });
  });

  it('needs ids of clients', async () => {
    expect((await one().get('/api/admin/client/impact')).status).toBe(400);
    expect((await one().get('/api/admin/client/impact?id=none')).status).toBe(400);
  });
});
