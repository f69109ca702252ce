import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { endUndoTime } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';
import { eventually, until } from '../support/until.js';

const secret = 'typed-secret-of-a-service';
process.env.TEST_FEED_SECRET = secret;
const feed = {
  clientId: 'lab-feed',
  clientName: 'Lab feed',
  clientType: 'BackendService',
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'env:TEST_FEED_SECRET', description: '2026' }],
};
const app = {
  clientId: 'heart',
  clientName: 'Heart',
  clientType: 'StandaloneApp',
  requireClientSecret: false,
  redirectUris: ['https://heart.example/cb'],
};
const pilot = { value: 'Pilot', color: '#1D6FB8' };
const file = (part: object) => ({ version: 1, ...part });
const withoutId = (text: string) => text.replace(/^Plan [0-9a-f]{16}: /m, 'Plan: ');

describe('a file', () => {
  let portal: AsCodePortal;

  beforeAll(async () => {
    portal = await startAsCodePortal();
  });
  afterAll(() => portal.close());
  beforeEach(() => portal.query("DELETE FROM client; DELETE FROM tag; DELETE FROM account WHERE user_type <> 'Admin'"));

  const shown = async (clientId: string) =>
    (await portal.api.get('/api/admin/client').expect(200)).body.clients.find(
      (one: { clientId: string }) => one.clientId === clientId,
    );
  const token = async (presented = secret) => {
    const headers = basicAuthorization('lab-feed', presented);
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    return (await new Agent(portal.issuer).postForm('/connect/token', form, { headers })).status;
  };
  const events = (type: string) =>
    portal.query<{ detail: { changes: { action: string; name: string }[] }; user_id: string | null }>(
      'SELECT detail, user_id FROM audit_event WHERE type = $1 ORDER BY id DESC LIMIT 5',
      [type],
    );
  const invite = async (email: string, record: string) => {
    const claims = [{ name: 'fhirUser', value: record }];
    const user = { fullName: 'Ann Example', email, userType: 'Patient', claims };
    return (await portal.api.post('/api/admin/user').send(user).expect(201)).body;
  };

  test('creates, changes and deletes what it describes, with a plan that shows each step, and an event', async () => {
    const first = file({ tags: [pilot], clients: [{ ...feed, clientTags: ['pilot'] }, app] });
    expect(withoutId(await portal.plan(first))).toBe(`+ tag Pilot
    color: "#1D6FB8"
+ client lab-feed
    clientName: "Lab feed"
    clientId: "lab-feed"
    clientSecrets: ["SharedSecret \\"2026\\" (new value)"]
    clientTags: ["pilot"]
+ client heart
    clientName: "Heart"
    clientId: "heart"
    requireClientSecret: false
    redirectUris: ["https://heart.example/cb"]

Plan: 3 to create.`);
    expect(await portal.query('SELECT FROM client')).toEqual([]);
    await portal.apply(first);
    expect(await shown('lab-feed')).toMatchObject({ managed: true, version: 1, clientTags: [{ value: 'Pilot' }] });
    expect(await token()).toBe(200);
    expect(await portal.plan(first)).toBe('No changes.');
    const [applied] = await events('configuration.applied');
    expect([applied?.user_id, applied?.detail.changes.map(({ action, name }) => `${action} ${name}`)]).toEqual([
      null,
      ['create Pilot', 'create lab-feed', 'create heart'],
    ]);

    const changed = { ...app, redirectUris: ['https://heart.example/back'], requirePkce: true };
    const second = file({ tags: [{ ...pilot, color: '#0A6375' }], clients: [changed] });
    const text = `~ tag Pilot
    color: "#1D6FB8" -> "#0A6375"
~ client heart
    redirectUris:
      - "https://heart.example/cb"
      + "https://heart.example/back"
    requirePkce: false -> true
- client lab-feed
    ends the access of 0 people and 0 stored tokens

Plan: 2 to change, 1 to delete.`;
    expect(withoutId(await portal.plan(second))).toBe(text);
    await expect(portal.apply(second)).rejects.toThrow(
      /:5:1 {2}clients: The client lab-feed is not in the file; --allow-delete deletes it/,
    );
    expect(await shown('heart')).toMatchObject({ version: 1 });
    expect(withoutId(await portal.apply(second, { allowDelete: true }))).toBe(text);
    expect(await shown('lab-feed')).toBeUndefined();
    // The node is another process for the command line, and is told by a notification.
    await eventually(async () => expect(await token()).toBe(401));
    expect(await portal.plan(second)).toBe('No changes.');
    await endUndoTime(portal);
    await until(async () => (await portal.query("SELECT FROM client WHERE client_id = 'lab-feed'")).length === 0);
    const types = await portal.query<{ type: string }>(
      "SELECT type FROM audit_event WHERE client_id = 'lab-feed' AND type LIKE 'client.%' ORDER BY id",
    );
    expect(types.map(({ type }) => type)).toEqual(['client.created', 'client.deleted']);
  });

  test('that leaves a section out says nothing about it, and an empty list means none', async () => {
    await portal.apply(file({ tags: [pilot], clients: [app] }));
    expect(await portal.plan(file({ tags: [pilot] }))).toBe('No changes.');
    expect(withoutId(await portal.plan(file({ tags: [], clients: [app] })))).toBe(
      '- tag Pilot\n    taken off 0 clients\n\nPlan: 1 to delete.',
    );
    await portal.apply(file({ tags: [], clients: [] }), { allowDelete: true });
    expect(await portal.query('SELECT FROM tag')).toEqual([]);
  });

  test('takes over what is managed by hand only with --adopt, and gives it back with release', async () => {
    await portal.api
      .post('/api/admin/client')
      .send({ ...app, clientName: 'By hand' })
      .expect(201);
    const wanted = file({ clients: [app] });
    expect(
      withoutId(await portal.plan(wanted)),
    ).toBe(`! client heart exists and is managed by hand: --adopt takes it over
    clientName: "By hand" -> "Heart"

Plan: 1 not possible as it is.`);
    await expect(portal.apply(wanted)).rejects.toThrow(
      /:3:5 {2}clients\.0: This client exists and is managed by hand; --adopt takes it over\.$/,
    );
    expect((await shown('heart')).clientName).toBe('By hand');
    await portal.apply(wanted, { adopt: true });
    expect(await shown('heart')).toMatchObject({ clientName: 'Heart', managed: true });
    expect(await portal.plan(wanted)).toBe('No changes.');

    await portal.releases.release('client', 'heart');
    expect((await shown('heart')).managed).toBeUndefined();
    expect(await portal.plan(file({ clients: [] }))).toBe('No changes.');
    await expect(portal.releases.release('client', 'heart')).rejects.toThrow('No file manages a client heart.');
    await portal.apply(file({ tags: [pilot], clients: [app] }), { adopt: true });
    expect(await portal.releases.releaseAll()).toBe(2);
    expect(await portal.query('SELECT FROM managed_object')).toEqual([]);
    expect(await events('configuration.released')).toHaveLength(2);
  });

  test('leaves objects that it does not name and never managed alone', async () => {
    await portal.api.post('/api/admin/client').send(app).expect(201);
    await portal.api.post('/api/admin/configuration/tag').send(pilot).expect(201);
    expect(await portal.plan(file({ tags: [], clients: [] }))).toBe('No changes.');
  });

  test('keeps a secret whose reference has the stored value, and replaces it when the value is another one', async () => {
    const name = join(portal.folder, 'secret');
    await writeFile(name, `${secret}\n`);
    const byFile = {
      ...feed,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'file:secret', description: '2026' }],
    };
    await portal.apply(file({ clients: [feed] }));
    expect(await portal.plan(file({ clients: [byFile] }))).toBe('No changes.');
    await writeFile(name, 'another-secret-of-the-service');
    const text = withoutId(await portal.plan(file({ clients: [byFile] })));
    expect(text).toBe(`~ client lab-feed
    clientSecrets:
      - "SharedSecret \\"2026\\""
      + "SharedSecret \\"2026\\" (new value)"

Plan: 1 to change.`);
    await portal.apply(file({ clients: [byFile] }));
    await eventually(async () => {
      expect([await token(), await token('another-secret-of-the-service')]).toEqual([401, 200]);
    });
    expect(JSON.stringify(await portal.query('SELECT * FROM audit_event'))).not.toMatch(
      /another-secret-of|typed-secret-of/,
    );
  });

  test('may have a JWK Set as a key, which is one secret for each of its keys, and the same the next time', async () => {
    const keys = ['first', 'second'].map((kid) => ({
      ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
      kid,
    }));
    const byFile = file({
      clients: [{ ...feed, clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify({ keys }) }] }],
    });
    await portal.apply(byFile);
    expect((await shown('lab-feed')).clientSecrets).toHaveLength(2);
    expect(await portal.plan(byFile)).toBe('No changes.');
  });

  test('shows as drift what was changed next to it, and sets it back', async () => {
    await portal.apply(file({ clients: [app] }));
    await portal.query('UPDATE client SET settings = settings || \'{"requirePkce": true}\', version = version + 1');
    expect(withoutId(await portal.plan(file({ clients: [app] })))).toBe(
      '~ client heart\n    requirePkce: true -> false\n\nPlan: 1 to change.',
    );
    await portal.apply(file({ clients: [app] }));
    expect(await shown('heart')).toMatchObject({ requirePkce: false });
  });

  test('does not enable a client that was disabled by hand, which can be enabled on its page again', async () => {
    await portal.apply(file({ clients: [app] }));
    const { id } = await shown('heart');
    await portal.api.put(`/api/admin/client/${id}/enabled`).send({ enabled: false }).expect(200);
    const renamed = file({ clients: [{ ...app, clientName: 'Heart 2' }] });
    expect(withoutId(await portal.apply(renamed))).toBe(`~ client heart
    clientName: "Heart" -> "Heart 2"
! client heart was disabled by hand and stays disabled, until it is enabled on its page

Plan: 1 to change, 1 disabled by hand.`);
    expect(await shown('heart')).toMatchObject({ enabled: false, clientName: 'Heart 2' });
    const before = await events('configuration.applied');
    await portal.apply(renamed);
    expect(await events('configuration.applied')).toEqual(before);
    await portal.api.put(`/api/admin/client/${id}/enabled`).send({ enabled: true }).expect(200);
    expect(await portal.plan(renamed)).toBe('No changes.');

    await portal.api.put(`/api/admin/client/${id}/enabled`).send({ enabled: false }).expect(200);
    const disabled = file({ clients: [{ ...app, clientName: 'Heart 2', enabled: false }] });
    expect(await portal.plan(disabled)).toContain('enabled: "disabled by hand" -> false');
    await portal.apply(disabled);
    expect(await portal.plan(disabled)).toBe('No changes.');
    const { body } = await portal.api.put(`/api/admin/client/${id}/enabled`).send({ enabled: true }).expect(409);
    expect(body.message).toMatch(/^This client is managed by a file/);
    await portal.apply(renamed);
    expect(await shown('heart')).toMatchObject({ enabled: true });
  });

  test('sets the type and the claims of users who exist, recorded as by hand, and releases who is left out', async () => {
    const { id } = await invite('ann@example.org', 'Patient/1');
    const ann = { email: 'ANN@example.org', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/2' }] };
    const wanted = file({ users: [ann] });
    expect(
      withoutId(await portal.plan(wanted, { adopt: true })),
    ).toBe(`~ user ANN@example.org (taken over: managed by the file from now on)
    claims:
      - "fhirUser: Patient/1"
      + "fhirUser: Patient/2"

Plan: 1 to take over.`);
    await portal.apply(wanted, { adopt: true });
    expect(await portal.plan(wanted)).toBe('No changes.');
    expect(await portal.query('SELECT FROM account WHERE id = $1 AND version = 2', [id])).toHaveLength(1);
    const [recorded] = await events('user.changed');
    expect(recorded?.detail).toMatchObject({ claims: [[{ value: 'Patient/1' }], [{ value: 'Patient/2' }]] });
    expect(withoutId(await portal.plan(file({ users: [] })))).toBe(
      '= user ann@example.org (released: stays as it is and is managed by hand again)\n\nPlan: 1 to release.',
    );
    await portal.apply(file({ users: [] }));
    expect(await portal.query('SELECT FROM account WHERE id = $1', [id])).toHaveLength(1);
    expect(await portal.query('SELECT FROM managed_object')).toEqual([]);
  });

  test('is refused as a whole when the database refuses one of its objects', async () => {
    await portal.api
      .post('/api/admin/client')
      .send({ ...app, clientId: 'HEART' })
      .expect(201);
    await expect(portal.apply(file({ tags: [pilot], clients: [feed, app] }))).rejects.toThrow(
      /clients\.1\.clientId: This client id is already in use\.$/,
    );
    expect(await portal.query('SELECT FROM tag')).toEqual([]);
    expect(await portal.query('SELECT FROM client')).toHaveLength(1);
  });

  test('carries out only the plan that was read, if its id is given', async () => {
    await portal.apply(file({ clients: [app] }));
    const wanted = file({ tags: [pilot], clients: [{ ...app, clientName: 'New name' }, feed] });
    const read = /Plan ([0-9a-f]{16}):/.exec(await portal.plan(wanted))?.[1];
    await portal.query('UPDATE client SET settings = settings || \'{"requirePkce": true}\', version = version + 1');
    await expect(portal.apply(wanted, { plan: read })).rejects.toThrow(`The plan ${read} is outdated`);
    const again = /Plan ([0-9a-f]{16}):/.exec(await portal.plan(wanted))?.[1];
    await portal.apply(wanted, { plan: again });
    expect(await shown('heart')).toMatchObject({ clientName: 'New name', requirePkce: false });
  });
});

describe('objects that a file manages', () => {
  let portal: AsCodePortal;
  let id: string;
  let tagId: string;
  const wanted = file({ tags: [pilot], clients: [{ ...feed, clientTags: ['Pilot'] }] });

  beforeAll(async () => {
    portal = await startAsCodePortal();
    await portal.apply(wanted);
    const { body } = await portal.api.get('/api/admin/client').expect(200);
    id = body.clients[0].id;
    tagId = body.clients[0].clientTags[0].id;
  });
  afterAll(() => portal.close());
  afterEach(async () => {
    expect(await portal.plan(wanted)).toBe('No changes.');
  });

  test.each<[title: string, method: 'put' | 'post' | 'delete', path: () => string, body?: () => object]>([
    ['changing a client', 'put', () => `client/${id}`, () => ({ clientName: 'Other' })],
    ['deleting a client', 'delete', () => `client/${id}`],
    ['changing a tag', 'put', () => `configuration/tag/${tagId}`, () => ({ value: 'Other', color: '#111111' })],
    ['deleting a tag', 'delete', () => `configuration/tag/${tagId}`],
  ])('are refused with 409 and a sentence: %s', async (_, method, path, body = () => ({})) => {
    const answer = await portal.api[method](`/api/admin/${path()}`).send(body()).expect(409);
    expect(answer.body.message).toMatch(/^This (client|tag) is managed by a file: change it there and apply the file/);
  });

  test('are refused with 409: beginning the rotation of a secret', async () => {
    const { body } = await portal.api.get(`/api/admin/client/${id}`).expect(200);
    const answer = await portal.api
      .post(`/api/admin/client/${id}/rotation`)
      .send({ replaces: body.clientSecrets[0].id })
      .expect(409);
    expect(answer.body.message).toMatch(/^This client is managed by a file/);
  });

  test.each([
    ['tagged', { action: 'tag', removeTags: [] as string[] }],
    ['deleted', { action: 'delete' }],
  ])('are left out, with the reason, when many clients are %s', async (_, request) => {
    const asked = request.action === 'tag' ? { ...request, removeTags: [tagId] } : request;
    const { body } = await portal.api
      .put(`/api/admin/client/bulk/${crypto.randomUUID()}`)
      .send({ ...asked, ids: [id] });
    expect(body).toMatchObject({ failed: 1, failures: [{ reason: 'managed' }] });
  });

  test('can be disabled with many others and enabled again', async () => {
    const { body } = await portal.api
      .put(`/api/admin/client/bulk/${crypto.randomUUID()}`)
      .send({ action: 'disable', ids: [id] });
    expect(body).toMatchObject({ changed: 1, failed: 0 });
    await portal.api.put(`/api/admin/client/${id}/enabled`).send({ enabled: true }).expect(200);
  });

  test('are users of whom only the name can be changed', async () => {
    const claims = [{ name: 'fhirUser', value: 'Patient/1' }];
    const user = { fullName: 'Ann Example', email: 'ann@example.org', userType: 'Patient', claims };
    const { body: made } = await portal.api.post('/api/admin/user').send(user).expect(201);
    const users = [{ email: 'ann@example.org', userType: 'Patient', claims }];
    await portal.apply(file({ users }), { adopt: true });
    const path = `/api/admin/user/${made.id}`;
    const other = [{ name: 'fhirUser', value: 'Patient/2' }];
    const refused = await portal.api
      .put(path)
      .send({ fullName: 'Ann', userType: 'Patient', claims: other })
      .expect(409);
    expect(refused.body.message).toMatch(/^The type and the claims of this user are managed by a file/);
    const { body } = await portal.api.put(path).send({ fullName: 'Ann', userType: 'Patient', claims }).expect(200);
    expect(body).toMatchObject({ fullName: 'Ann', managed: true });
    expect((await portal.api.get(path).expect(200)).body).toMatchObject({ fullName: 'Ann', managed: true });
    expect(await portal.plan(file({ users }))).toBe('No changes.');
  });
});
