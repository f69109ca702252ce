import { ConfiguredClients } from '../../src/clients/application/configured-clients.js';
import type { ClientView } from '../../src/contract/clients/clients.js';
import { Config } from '../../src/platform/config/config.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../support/clients/assertions.js';
import { Agent } from '../support/http/agent.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/client';
const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
const shared = (more: object = {}) => ({ secretType: 'SharedSecret', secret: 'correct horse', ...more });
const endInPast = 'The end must be in the future';
const key = await makeClientKey('ES384', 'ec-key');
const otherKey = await makeClientKey('RS384', 'rsa-key');

let portal: AdminPortal;
const register = async (clientId: string, clientSecrets: object[]): Promise<ClientView> => {
  const form = { clientId, clientName: clientId, clientType: 'BackendService', clientSecrets };
  return (await portal.api.post(path).send(form).expect(201)).body;
};
const stored = async (id: string): Promise<ClientView> => (await portal.api.get(`${path}/${id}`).expect(200)).body;
const put = (id: string, form: object) => portal.api.put(`${path}/${id}`).send(form);
const listed = async (query: string) =>
  (await portal.api.get(`${path}?pageSize=100&${query}`).expect(200)).body.clients.map(
    (one: ClientView) => one.clientId,
  );
const letExpire = (id: string) =>
  portal.query("UPDATE client_secret SET expires_at = now() - interval '1 day' WHERE client = $1", [id]);

beforeAll(async () => {
  const soonOver = { ...serviceWithKeys('configured', [key]), clientSecrets: [shared({ expires: inDays(400) })] };
  portal = await startAdminPortal({ config: { clients: [soonOver] } });
});

afterAll(() => portal.close());

describe('The expiry of a secret', () => {
  it.each([
    ['a shared secret', shared()],
    ['a public key', serviceWithKeys('x', [key]).clientSecrets[0] as object],
    ['an address of keys', { secretType: 'JWK', secretUrl: 'https://relay.example/jwks' }],
  ])('in the past is refused for %s, when a client is created or changed', async (kind, secret) => {
    const clientId = `ended-${kind.replaceAll(' ', '-')}`;
    const form = { clientId, clientName: clientId, clientType: 'BackendService' };
    for (const expires of [inDays(-1), '2020-01-01']) {
      const { body } = await portal.api
        .post(path)
        .send({ ...form, clientSecrets: [{ ...secret, expires }] })
        .expect(400);
      expect(body.errors).toEqual([{ field: 'clientSecrets.0.expires', messages: [endInPast] }]);
    }
    const client = await register(clientId, [{ ...secret, expires: inDays(1) }]);
    const [kept] = client.clientSecrets;
    const { body } = await put(client.id, {
      clientSecrets: [{ ...kept, secret: null, expires: inDays(-1) }],
    }).expect(400);
    expect(body.errors).toEqual([{ field: 'clientSecrets.0.expires', messages: [endInPast] }]);
  });

  it('that has passed does not prevent changes of the rest of the client', async () => {
    const client = await register('come', [shared({ expires: inDays(1) })]);
    await letExpire(client.id);
    const whole = await stored(client.id);
    await put(client.id, { ...whole, clientName: 'Renamed' }).expect(200);
    expect(await stored(client.id)).toMatchObject({ clientName: 'Renamed', clientSecrets: whole.clientSecrets });
  });

  it('of a configured secret may pass after the first start, and is refused before it', async () => {
    const [node] = portal.apps;
    if (!node) throw new Error('the portal runs');
    const { clients } = node.get(Config, { strict: false });
    const starting = node.get(ConfiguredClients, { strict: false });
    const configured = clients[0] as { clientId: string; clientSecrets: { expires: string }[] };
    Object.assign(configured.clientSecrets[0] as object, { expires: inDays(-1) });
    await starting.onApplicationBootstrap();
    Object.assign(configured, { clientId: 'configured-late' });
    await expect(starting.onApplicationBootstrap()).rejects.toMatchObject({
      problems: [`clients.0.clientSecrets.0.expires: ${endInPast}`],
    });
  });
});

describe('The list of clients', () => {
  it('finds clients whose secrets or keys have expired, expire within 30 days, or were never used', async () => {
    const used = (id: string) => portal.query('UPDATE client_secret SET last_used_at = now() WHERE client = $1', [id]);
    const expired = await register('state-expired', [shared({ expires: inDays(5) }), shared()]);
    await letExpire(expired.id);
    const soon = await register('state-soon', [shared({ expires: inDays(29) })]);
    const late = await register('state-late', [shared({ expires: inDays(31) })]);
    await register('state-unused', [shared()]);
    for (const { id } of [expired, soon, late]) await used(id);
    const found = async (query: string) => (await listed(`searchTerm=state-&${query}`)).sort();
    expect(await found('secretStates=expired')).toEqual(['state-expired']);
    expect(await found('secretStates=expiring')).toEqual(['state-soon']);
    expect(await found('secretStates=unused')).toEqual(['state-unused']);
    expect(await found('secretStates=expiring&secretStates=unused')).toEqual(['state-soon', 'state-unused']);
    expect(await found('secretStates=expiring&clientTypes=StandaloneApp')).toEqual([]);
    expect(await found('clientTypes=StandaloneApp&clientTypes=BackendService')).toHaveLength(4);
    for (const wrong of ['secretStates=old', 'clientTypes=Other', 'secretStates=']) {
      await portal.api.get(`${path}?${wrong}`).expect(400);
    }
  });
});

it('The list of clients finds those that were registered 90 days ago, and have used no secret or key since', async () => {
  const clientOf = (name: string, secrets: object[], registered: number, uses: (number | null)[]) =>
    register(`idle-${name}`, secrets).then(async ({ id }) => {
      await portal.query(`UPDATE client SET created_at = now() - $2 * interval '1 day' WHERE id = $1`, [
        id,
        registered,
      ]);
      for (const [index, days] of uses.entries()) {
        await portal.query(
          `UPDATE client_secret SET last_used_at = now() - $3 * interval '1 day' WHERE client = $1 AND position = $2`,
          [id, index, days],
        );
      }
    });
  await clientOf('new', [shared()], 89, [null]);
  await clientOf('never', [shared()], 91, [null]);
  await clientOf('long-ago', [shared(), shared()], 200, [91, null]);
  await clientOf('used', [shared(), shared()], 200, [91, 89]);
  expect((await listed('searchTerm=idle-&secretStates=idle')).sort()).toEqual(['idle-long-ago', 'idle-never']);
  expect(await listed('searchTerm=idle-&secretStates=idle&secretStates=unused')).toHaveLength(3);
});

describe('The last use of a secret or key', () => {
  const token = (form: Record<string, string>, headers = {}) =>
    new Agent(portal.issuer).postForm(
      '/connect/token',
      { grant_type: 'client_credentials', scope: 'system/*.rs', ...form },
      { headers },
    );
  const asserted = async (clientId: string, by = key) =>
    token({
      client_assertion_type: assertionType,
      client_assertion: await clientAssertion({ clientId, audience: `${portal.issuer}/connect/token`, key: by }),
    });
  const useOf = async (id: string) => (await stored(id)).clientSecrets.map(({ lastUsed }) => lastUsed !== null);

  it('is recorded for exactly the secret or key that authenticated the client', async () => {
    const client = await register('uses-keys', [
      shared(),
      ...serviceWithKeys('x', [key, otherKey]).clientSecrets,
      { secretType: 'JWK', secretUrl: 'https://relay.example/jwks' },
    ]);
    expect((await asserted('uses-keys', otherKey)).status).toBe(200);
    await until(async () => (await useOf(client.id)).some(Boolean));
    expect(await useOf(client.id)).toEqual([false, false, true, false]);
    expect((await token({}, basicAuthorization('uses-keys', 'correct horse'))).status).toBe(200);
    await until(async () => (await useOf(client.id))[0] === true);
  });

  it('is not recorded when the authentication fails', async () => {
    const client = await register('is-guessed', [shared(), ...serviceWithKeys('x', [key]).clientSecrets]);
    const foreign = await makeClientKey('ES384', 'ec-key');
    expect((await asserted('is-guessed', foreign)).status).toBe(401);
    expect((await token({}, basicAuthorization('is-guessed', 'wrong'))).status).toBe(401);
    const other = await register('is-not', [shared()]);
    expect((await token({}, basicAuthorization('is-not', 'correct horse'))).status).toBe(200);
    await until(async () => (await useOf(other.id))[0] === true);
    expect(await useOf(client.id)).toEqual([false, false]);
  });

  it('is written once an hour, however many tokens are issued', async () => {
    const client = await register('is-busy', serviceWithKeys('x', [key]).clientSecrets);
    await asserted('is-busy');
    await until(async () => (await useOf(client.id))[0] === true);
    const [{ lastUsed } = { lastUsed: '' }] = (await stored(client.id)).clientSecrets;
    await Promise.all(Array.from({ length: 20 }, () => asserted('is-busy')));
    expect((await stored(client.id)).clientSecrets[0]?.lastUsed).toBe(lastUsed);
  });
});
