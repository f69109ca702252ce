/** The call by which administrators see what was changed of a client, when and by whom. */
import type { ClientHistory } from '../../src/contract/clients/client-changes.js';
import type { ClientView } from '../../src/contract/clients/clients.js';
import { publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startFhirPortal, untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const second = { ...people.admin, email: 'jonas.vale@example.org', fullName: 'Jonas Vale' };
const path = '/api/admin/client';
let portal: TestPortal;
let ada: Agent;
let jonas: Agent;

beforeAll(async () => {
  portal = await startFhirPortal({ config: { users: [people.admin, second, people.patient], clients: [publicApp] } });
  [ada, jonas] = [new Agent(portal.issuer), new Agent(portal.issuer)];
  await login(ada, people.admin);
  await login(jonas, second);
  await untilFhirServerIsAvailable(ada);
});
afterAll(() => portal.close());

async function register(clientId: string, more: object = {}): Promise<ClientView> {
  const answer = await ada.post(path, { ...publicApp, clientId, ...more });
  expect(answer.status).toBe(201);
  return answer.json();
}

async function change(agent: Agent, { id }: ClientView, form: object): Promise<void> {
  expect((await agent.send(`${path}/${id}`, { method: 'PUT', body: form })).status).toBe(200);
}

async function historyOf({ id }: Pick<ClientView, 'id'>): Promise<ClientHistory> {
  const answer = await jonas.get(`${path}/${id}/history`);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('the history of a client', () => {
  it('has each change with its fields and the administrator, the newest first, and none of another client', async () => {
    const client = await register('diary');
    await register('other-app');
    await change(ada, client, { requirePar: true });
    await change(jonas, client, { requirePar: false, accessTokenLifetime: '00:15:00' });
    const { changes } = await historyOf(client);
    expect(changes.map(({ who, isCreation, service }) => [who?.name, isCreation, service])).toEqual([
      ['Jonas Vale', false, null],
      ['Ada Admin', false, null],
      ['Ada Admin', true, null],
    ]);
    const field = { isHidden: false };
    expect(changes[0]?.fields).toEqual([
      { ...field, field: 'requirePar', before: true, after: false },
      { ...field, field: 'accessTokenLifetime', before: '01:00:00', after: '00:15:00' },
    ]);
    expect(changes[1]?.fields).toEqual([{ ...field, field: 'requirePar', before: false, after: true }]);
    expect(changes[2]?.fields).toContainEqual({ ...field, field: 'requirePkce', before: null, after: true });
  });

  it('leads to the entries of the audit record', async () => {
    const client = await register('entries');
    const { changes } = await historyOf(client);
    const entry = (await jonas.get(`/api/admin/audit/entry/${changes[0]?.entry}`)).json();
    expect(entry).toMatchObject({ type: 'client.created', client: { id: 'entries', recordId: client.id } });
  });

  it('continues when the client gets another id', async () => {
    const client = await register('id-before');
    await change(jonas, client, { clientId: 'id-after' });
    const { changes } = await historyOf(client);
    expect(changes.map(({ isCreation }) => isCreation)).toEqual([false, true]);
  });

  it('names no secret and no long value, but that they were changed', async () => {
    const client = await register('secrets', {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: sharedSecret, description: 'Production' }],
    });
    await change(ada, client, { redirectUris: Array.from({ length: 60 }, (_, n) => `https://app.example/${n}`) });
    const history = await historyOf(client);
    const hidden = { before: null, after: null, isHidden: true };
    expect(history.changes[0]?.fields).toEqual([{ ...hidden, field: 'redirectUris' }]);
    expect(history.changes[1]?.fields).toContainEqual({ ...hidden, field: 'clientSecrets' });
    expect(JSON.stringify(history)).not.toMatch(new RegExp(`${sharedSecret}|Production`));
  });

  it.each([
    ['names the service that used the management API', 'client console', { who: null, service: 'console' }],
    ['names no administrator where the configuration or a command decided', null, { who: null, service: null }],
    [
      'has the id of an administrator whose account does not exist any more',
      '6a1c2f4e-7b1d-4f6e-9a53-0c7d4b0f8e21',
      { who: { id: '6a1c2f4e-7b1d-4f6e-9a53-0c7d4b0f8e21', name: null }, service: null },
    ],
  ])('%s', async (title, userId, expected) => {
    const client = await register(title.replaceAll(' ', '-'));
    await portal.query(
      `WITH event AS (
         INSERT INTO audit_event (type, outcome, user_id, client_id, subject, detail)
         VALUES ('client.changed', 'success', $1, $2, $3, '{"requirePar": [false, true]}') RETURNING id)
       INSERT INTO audit_unsealed (event_id) SELECT id FROM event`,
      [userId, client.clientId, client.id],
    );
    expect((await historyOf(client)).changes[0]).toMatchObject(expected);
  });

  it('is no longer than the form needs, however often the client was changed', async () => {
    const client = await register('changed-often');
    await portal.query(
      `WITH event AS (
         INSERT INTO audit_event (type, outcome, client_id, subject, detail)
         SELECT 'client.changed', 'success', 'changed-often', $1, '{"requirePar": [false, true]}'
           FROM generate_series(1, 500) RETURNING id)
       INSERT INTO audit_unsealed (event_id) SELECT id FROM event`,
      [client.id],
    );
    expect((await historyOf(client)).changes).toHaveLength(50);
  });

  it('is refused for a client that does not exist, and to users who are no administrators', async () => {
    const absent = '6a1c2f4e-7b1d-4f6e-9a53-0c7d4b0f8e21';
    expect((await ada.get(`${path}/${absent}/history`)).status).toBe(404);
    expect((await ada.get(`${path}/not-an-id/history`)).status).toBe(404);
    const patient = new Agent(portal.issuer);
    await login(patient, people.patient);
    expect((await patient.get(`${path}/${absent}/history`)).status).toBe(403);
  });
});
