import type { ClientView } from '../../src/contract/clients/clients.js';
import type { RotationState, StartedRotation } from '../../src/contract/clients/secret-rotation.js';
import { kindsWithSecret } from '../support/clients/client-kinds.js';
import { backendService, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { runs } from '../support/runs.js';
import { eventually, until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const services = kindsWithSecret.map((kind) => kind.service('rotated'));
const plain = { ...backendService, clientId: 'plain' };
let portal: TestPortal;
/** The same administrator at each of the two nodes. */
let admins: Agent[];

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.admin], clients: [...services, plain, { ...publicApp, clientId: 'no-secret' }] },
  });
  admins = portal.ports.map((port) => new Agent(portal.issuer, port));
  for (const admin of admins) await login(admin, people.admin);
});

afterAll(() => portal.close());

const [one, other] = [() => admins[0] as Agent, () => admins[1] as Agent];
const rowOf = async (clientId: string) =>
  (await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]))[0]?.id ?? '';
const pathOf = (id: string) => `/api/admin/client/${id}/rotation`;
type Json<T> = T & Record<string, unknown>;
const secretsOf = async (id: string) =>
  (await other().get(`/api/admin/client/${id}`)).json<Json<ClientView>>().clientSecrets;
const stateOf = async (id: string) => (await other().get(pathOf(id))).json<Json<RotationState>>().rotation;
const begin = async (id: string, admin = one()) =>
  admin.post(pathOf(id), { replaces: (await secretsOf(id))[0]?.id ?? '' });
const started = async (id: string) => {
  const answer = await begin(id);
  expect(answer.status).toBe(201);
  return answer.json<Json<StartedRotation>>();
};
const change = (id: string, body: object) => one().send(pathOf(id), { method: 'PUT', body });
const cancel = (id: string, admin = one()) => admin.send(pathOf(id), { method: 'DELETE' });
const end = (id: string, now: boolean, admin = one()) => admin.post(`${pathOf(id)}/end`, { now });

describe.each(kindsWithSecret)('The rotation of a secret that is sent by $name', (kind) => {
  const client = services[kindsWithSecret.indexOf(kind)] ?? { clientId: '' };
  const ask = async (secret?: string) =>
    (
      await kind.post(
        new Agent(portal.issuer, portal.ports[1]),
        '/connect/token',
        client,
        { grant_type: 'client_credentials', scope: 'system/*.rs' },
        secret === undefined ? {} : { secret },
      )
    ).status;

  it('lets both secrets work, shows when the new one is seen, and ends the old one', async () => {
    const id = await rowOf(client.clientId);
    const { rotation, secret } = await started(id);
    expect(rotation).toMatchObject({
      oldSecret: { description: 'first' },
      newSecret: { description: 'first 2', lastUsed: null },
      storedAt: null,
    });
    const days = (Date.parse(rotation.oldSecret.expires ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(14);
    await eventually(async () => expect(await ask(secret)).toBe(200));
    expect(await ask()).toBe(200);
    await until(async () => (await stateOf(id))?.newSecret.lastUsed != null);
    expect((await end(id, true)).status).toBe(200);
    expect((await secretsOf(id)).map(({ description }) => description)).toEqual(['first 2']);
    // The other node learns of it by a notification.
    await until(async () => (await ask()) === 401);
    expect(await ask(secret)).toBe(200);
    expect(await stateOf(id)).toBeNull();
  });
});

describe('A rotation', () => {
  const clean = async () => {
    await cancel(await rowOf('plain'));
  };
  afterEach(clean);

  it('is the same for every administrator, without the secret, which is in no answer, event or row', async () => {
    const id = await rowOf('plain');
    const { secret } = await started(id);
    expect((await change(id, { stored: true })).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ storedAt: expect.any(String) });
    const texts = await Promise.all(
      [pathOf(id), `/api/admin/client/${id}`, '/api/admin/client/rotations'].map(
        async (path) => (await other().get(path)).text,
      ),
    );
    const events = await portal.query('SELECT detail FROM audit_event WHERE subject = $1', [id]);
    const rows = await portal.query('SELECT * FROM client_secret WHERE client = $1', [id]);
    expect(JSON.stringify([texts, events, rows])).not.toContain(secret);
    expect(texts[2]).toContain('Nightly Export');
  });

  it.each(['null,null', '00000000-0000-4000-8000-000000000000'])(
    'of a client that does not exist (%s) is not found',
    async (id) => {
      expect((await one().get(pathOf(id))).status).toBe(404);
    },
  );

  it('that is cancelled removes the new secret and gives the old one its former end', async () => {
    const id = await rowOf('plain');
    const before = await secretsOf(id);
    await started(id);
    expect(await secretsOf(id)).toHaveLength(2);
    // The answer to the first call may have been lost.
    for (const admin of admins) expect((await cancel(id, admin)).status).toBe(200);
    expect(await secretsOf(id)).toEqual(before);
  });

  it('has another end of the old secret, which lies ahead, and keeps both until then', async () => {
    const id = await rowOf('plain');
    await started(id);
    const oldExpires = new Date(Date.now() + 3 * 86_400_000).toISOString();
    expect((await change(id, { oldExpires })).json<Json<RotationState>>().rotation?.oldSecret.expires).toBe(oldExpires);
    expect((await change(id, { oldExpires: '2020-01-01T00:00:00Z' })).status).toBe(400);
    expect((await change(id, { oldExpires: 'soon' })).status).toBe(400);
    expect((await end(id, false)).status).toBe(200);
    expect([(await secretsOf(id)).length, await stateOf(id)]).toEqual([2, null]);
    const [, added] = await secretsOf(id);
    const form = (await one().get(`/api/admin/client/${id}`)).json<Json<ClientView>>();
    await portal.query('DELETE FROM client_secret WHERE id = $1', [added?.id]);
    await portal.query('UPDATE client_secret SET expires_at = NULL WHERE client = $1', [form.id]);
  });

  it('is begun once, by one of two administrators, and ended or cancelled by one', async () => {
    const id = await rowOf('plain');
    for (let round = 0; round < runs(4, 40).numRuns; round += 1) {
      const begun = await Promise.all([begin(id), begin(id, other())]);
      expect(begun.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(await secretsOf(id)).toHaveLength(2);
      const ends = await Promise.all([end(id, true), cancel(id, other())]);
      expect(ends.map(({ status }) => status)).toEqual([200, 200]);
      expect([(await secretsOf(id)).length, await stateOf(id)]).toEqual([1, null]);
    }
  });

  it('ends with a form that removes one of its secrets', async () => {
    const id = await rowOf('plain');
    await started(id);
    await portal.query("DELETE FROM client_secret WHERE client = $1 AND description LIKE '% 2'", [id]);
    expect(await stateOf(id)).toBeNull();
  });

  it.each([
    ['of a client without secrets', 'no-secret', 400],
    ['of an unknown client', 'unknown', 404],
  ])('%s is refused', async (_, clientId, status) => {
    const id = (await rowOf(clientId)) || '5a1c7a54-6d3b-4f6f-9f7e-1f3f4f1a1b1c';
    expect((await one().post(pathOf(id), { replaces: id })).status).toBe(status);
  });
});
