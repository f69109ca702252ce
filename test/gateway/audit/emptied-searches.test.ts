/**
 * Searches that the limits of a token leave without a match are counted at their client for administrators. The app
 * gets what it gets from a search without a match, and no reference.
 */
import type { ClientActivity, LaunchView } from '../../../src/contract/activity.js';
import { clientKinds, confidentialKinds } from '../../support/clients/client-kinds.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { allWritten } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const category = 'http://terminology.hl7.org/CodeSystem/observation-category';
const laboratory = `Observation.rs?category=${category}|laboratory`;
const services = confidentialKinds.map((kind) => kind.service('emptied'));
const emptyBundle = { resourceType: 'Bundle', type: 'searchset', total: 0 };

let portal: TestPortal;
let server: Upstream;
let admin: Agent;

/** `code=hidden` finds an observation of another category, as from a server that ignores the condition on it. */
const found = (url: string) => {
  const coding = [{ system: category, code: url.includes('hidden') ? 'vital-signs' : 'laboratory' }];
  const resource = {
    resourceType: 'Observation',
    id: 'o1',
    category: [{ coding }],
    subject: { reference: 'Patient/1' },
  };
  return /code=none|vital-signs|Patient\/2/.test(url)
    ? emptyBundle
    : { ...emptyBundle, total: 1, entry: [{ fullUrl: `${server.url}/Observation/o1`, resource }] };
};

beforeAll(async () => {
  server = await startUpstream(({ url = '' }, response) => {
    response.setHeader('Content-Type', 'application/fhir+json');
    response.end(JSON.stringify(found(decodeURIComponent(url))));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url },
      users: [people.patient, people.admin],
      clients: [...clientKinds.map((kind) => kind.client('emptied-app')), ...services],
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(async () => {
  await portal.close();
  server.close();
});
beforeEach(() => portal.query('DELETE FROM launch'));

async function counted(clientId: string): Promise<number> {
  await allWritten(portal);
  const [row] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]);
  return (await admin.get(`/api/admin/client/${row?.id}/activity`)).json<ClientActivity>().emptiedSearches;
}

const told = ({ status, headers, text }: Answer) => [status, headers['x-launch-reference'], JSON.parse(text).entry];
const withoutMatch = [200, undefined, undefined];

describe.each(clientKinds.map((kind) => ({ name: kind.name, kind })))('For an app that is $name', ({ kind }) => {
  const client = kind.client('emptied-app');

  it('a search for another patient, another category or what is hidden is counted, and no other one', async () => {
    const app = kind.app(portal, client, { scope: `openid launch/patient patient/${laboratory}` });
    const { access_token: token } = await app.tokens(people.patient);
    const search = (query: string) => kind.read(app.browser, `/fhir/Observation?${query}`, token);
    expect(told(await search('code=any'))).toEqual([200, undefined, [expect.anything()]]);
    expect(told(await search('code=none'))).toEqual(withoutMatch);
    expect(told(await search(`code=none&category=${encodeURIComponent(`${category}|laboratory`)}`))).toEqual(
      withoutMatch,
    );
    expect(await counted(client.clientId)).toBe(0);
    for (const query of ['patient=2', 'subject=Patient/2', 'category=vital-signs', 'code=hidden']) {
      expect([query, ...told(await search(query))]).toEqual([query, ...withoutMatch]);
    }
    expect(await counted(client.clientId)).toBe(4);

    const [{ id = '' } = {}] = await portal.query<{ id: string }>('SELECT id FROM launch WHERE client_id = $1', [
      client.clientId,
    ]);
    const view = (await admin.get(`/api/admin/activity/${id.slice(0, 8)}`)).json<LaunchView>();
    const entry = view.entries.find(({ code }) => code === 'gateway-search-emptied');
    expect([view.state, view.decision, entry?.count]).toEqual(['completed', null, 4].map((one) => one ?? undefined));
    expect(JSON.stringify(entry)).not.toMatch(/Observation|vital|laboratory|Patient\//);
    expect(view.forDeveloper).not.toMatch(/search/i);
  });
});

it.each(services)('a search of the service $clientId in another category is counted', async (service) => {
  const kind = confidentialKinds.find((one) => one.service('emptied').clientId === service.clientId);
  if (!kind) throw new Error('no such kind');
  const form = { grant_type: 'client_credentials', scope: `system/${laboratory}` };
  const { access_token: token } = (await kind.post(new Agent(portal.issuer), '/connect/token', service, form)).json<{
    access_token: string;
  }>();
  const search = (query: string) => kind.read(new Agent(portal.issuer), `/fhir/Observation?${query}`, token);
  expect(told(await search('code=none'))).toEqual(withoutMatch);
  expect(await counted(service.clientId)).toBe(0);
  expect(told(await search('category=vital-signs'))).toEqual(withoutMatch);
  expect(await counted(service.clientId)).toBe(1);
});

it('a batch has the reference of its refused request, whether or not another one was left without a match', async () => {
  const [kind] = clientKinds;
  if (!kind) throw new Error('there are no kinds of clients');
  const client = kind.client('emptied-app');
  const app = kind.app(portal, client, { scope: `openid launch/patient patient/${laboratory}` });
  const { access_token: token } = await app.tokens(people.patient);
  const refused = 'Encounter?code=none';
  const referenceOf = async (...urls: string[]) => {
    const entry = urls.map((url) => ({ request: { method: 'GET', url } }));
    const answer = await new Agent(portal.issuer).send('/fhir', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
    });
    expect(answer.status).toBe(200);
    return answer.headers['x-launch-reference'];
  };
  const reference = await referenceOf('Observation?code=none', refused);
  expect(reference).toMatch(/^\w\w-/);
  for (const emptied of ['Observation?patient=2', 'Observation?code=hidden']) {
    expect(await referenceOf(emptied, refused)).toBe(reference);
    expect(await referenceOf(refused, emptied)).toBe(reference);
    expect(await referenceOf(emptied)).toBe(undefined);
  }
});
