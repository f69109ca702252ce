/** A reference shows one fault of one sender: neither what others sent that day, nor what it sent itself besides. */
import type { LaunchView } from '../../src/contract/activity.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../support/clients/assertions.js';
import { backendService, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { allWritten, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const [key, strange] = await Promise.all([makeClientKey('ES384', 'own-key'), makeClientKey('ES384', 'strange-key')]);
const byKey = serviceWithKeys('key-service', [key]);
let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal({
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      users: [people.admin],
      ehr: { callers: [{ id: 'ward', secret: sharedSecret }] },
      clients: [publicApp, backendService, byKey],
    },
  });
});
afterAll(() => portal.close());

type Form = Record<string, string>;
let addresses = 0;
function from(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

const send = (address: string, form: Form, headers: Form = {}) =>
  new Agent(portal.issuer).postForm('/connect/token', form, { headers: { ...headers, 'x-forwarded-for': address } });
const referenceOf = ({ headers }: Answer) => String(headers['x-launch-reference']);
const now = () => Math.floor(Date.now() / 1000);

const grant = { grant_type: 'client_credentials', scope: 'system/*.rs' };
/** Requests of a client that does not prove itself, whichever client it is. */
const unproven: Record<string, (clientId: string) => Promise<[Form, Form?]>> = {
  'a wrong secret': async (id) => [grant, basicAuthorization(id, 'first')],
  'another wrong secret': async (id) => [grant, basicAuthorization(id, 'second')],
  'a posted secret': async (id) => [{ ...grant, client_id: id, client_secret: 'first' }],
  'no secret': async (id) => [{ ...grant, client_id: id }],
  'another grant': async (id) => [{ grant_type: 'refresh_token', refresh_token: 'x' }, basicAuthorization(id, 'first')],
  'an assertion by another key': (id) => asserted(id, {}),
  'an assertion that names the own key': (id) => asserted(id, {}, { kid: 'own-key' }),
  'an expired assertion': (id) => asserted(id, { exp: now() - 3_600 }),
  'an assertion with exp in milliseconds': (id) => asserted(id, { exp: Date.now() + 60_000 }),
  'an assertion that lives long': (id) => asserted(id, { exp: now() + 7_200 }),
  'an assertion for another server': (id) => asserted(id, { aud: 'https://elsewhere.example' }),
  'an assertion without jti': (id) => asserted(id, { jti: undefined }),
  'an assertion with another iss': (id) => asserted(id, { iss: 'another' }),
  'an assertion of another type': (id) => asserted(id, {}, { typ: 'at+jwt' }),
  'no JWT as assertion': async (id) => [
    { ...grant, client_id: id, client_assertion_type: assertionType, client_assertion: 'x.y.z' },
  ],
};

async function asserted(clientId: string, claims: object, header: object = {}): Promise<[Form, Form?]> {
  const audience = `${portal.issuer}/connect/token`;
  const client_assertion = await clientAssertion({ clientId, audience, key: strange, claims, header } as never);
  return [{ ...grant, client_assertion_type: assertionType, client_assertion }];
}

async function refused(address: string, clientId: string, make: (typeof unproven)[string]): Promise<Answer> {
  const answer = await send(address, ...(await make(clientId)));
  expect(answer.status).toBeGreaterThanOrEqual(400);
  return answer;
}

const known = { 'a secret': backendService.clientId, 'a key': byKey.clientId };
describe.each(Object.entries(known))('Refused requests of a client with %s', (_, clientId) => {
  it('have a record for each fault, which the same request has again, and another sender has not', async () => {
    const [one, other] = [from(), from()];
    const first = new Map<string, Answer>();
    for (const [name, make] of Object.entries(unproven)) first.set(name, await refused(one, clientId, make));
    const causes = new Map<string, string | null | undefined>();
    for (const [name, answer] of first) causes.set(name, (await launchOf(portal, answer))?.cause);
    for (const [name, make] of Object.entries(unproven)) {
      const again = await refused(one, clientId, make);
      expect([name, referenceOf(again)]).toEqual([name, referenceOf(first.get(name) as Answer)]);
      expect([name, referenceOf(await refused(other, clientId, make))]).not.toEqual([name, referenceOf(again)]);
    }
    for (const [name, answer] of first) {
      const row = await launchOf(portal, answer);
      expect([name, row?.cause, row?.client_id]).toEqual([name, causes.get(name), clientId]);
      expect([name, Object.keys(row?.entries ?? {})]).toEqual([name, [causes.get(name)]]);
    }
  });

  it('are told apart as those of a client that does not exist: references do not tell that there is one', async () => {
    const sameAs = async (id: string) => {
      const address = from();
      const references: string[] = [];
      for (const make of Object.values(unproven)) {
        for (let time = 0; time < 2; time += 1) references.push(referenceOf(await refused(address, id, make)));
      }
      return references.map((reference) => references.indexOf(reference));
    };
    expect(await sameAs(clientId)).toEqual(await sameAs('no-such-client'));
  });
});

it('Requests of a public client have a record for each fault, however often it is made with other values', async () => {
  const address = from();
  const client_id = publicApp.clientId;
  const code = {
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code_verifier: 'v'.repeat(43),
    client_id,
  };
  const faults: (() => Form)[] = [
    () => ({ ...code, code: `unknown-${Math.random()}` }),
    () => ({ grant_type: 'refresh_token', refresh_token: `unknown-${Math.random()}`, client_id }),
    () => ({ grant_type: 'password', client_id }),
    () => ({ ...code }),
    () => ({ grant_type: 'refresh_token', client_id }),
  ];
  const sent = [];
  for (const fault of [...faults, ...faults]) sent.push(await send(address, fault()));
  const references = sent.map(referenceOf);
  expect(references.slice(faults.length)).toEqual(references.slice(0, faults.length));
  expect(new Set(references).size).toBe(faults.length);
  for (const answer of sent) {
    const row = await launchOf(portal, answer);
    expect(Object.keys(row?.entries ?? {})).toEqual([row?.cause]);
  }
});

it('A refused announcement of an EHR has a record for each fault, which the same one has again', async () => {
  const address = from();
  const announce = (form: Form, secret = sharedSecret) =>
    new Agent(portal.issuer).postForm('/connect/launchContext', form, {
      headers: { ...basicAuthorization('ward', secret), 'x-forwarded-for': address },
    });
  const faults = [
    () => announce({}, 'wrong'),
    () => announce({ fhirContext: 'no JSON' }),
    () => announce({ fhirContext: '[{"reference":"nothing"}]' }),
  ];
  const references: string[] = [];
  for (const fault of [...faults, ...faults]) {
    const answer = await fault();
    const row = await launchOf(portal, answer);
    expect([answer.status >= 400, Object.keys(row?.entries ?? {})]).toEqual([true, [row?.cause]]);
    references.push(referenceOf(answer));
  }
  expect(references.slice(3)).toEqual(references.slice(0, 3));
  expect(new Set(references).size).toBe(3);
});

it('A reference that more faults share than have a record of their own says so, and tells nothing of another request', async () => {
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  const address = from();
  const answers: Answer[] = [];
  for (let count = 0; count < 45; count += 1) {
    answers.push(await send(address, grant, basicAuthorization(`client-${count}`, sharedSecret)));
  }
  await allWritten(portal);
  const view = async (index: number) =>
    (await admin.get(`/api/admin/activity/${referenceOf(answers[index] as Answer)}`)).json<LaunchView>();
  const own = await view(39);
  expect([own.client?.id, own.decision?.code]).toEqual(['client-39', 'token-client-unknown']);
  expect(own.forDeveloper).toContain('client-39');
  const shared = await view(41);
  expect([shared.client, shared.decision?.code, shared.outcome]).toEqual([null, 'record-shared', 'refused']);
  expect(shared.forDeveloper).not.toMatch(/client-\d/);
  expect(referenceOf(answers[44] as Answer)).toBe(shared.reference);
});
