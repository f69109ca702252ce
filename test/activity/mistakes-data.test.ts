/**
 * Requests for data with a token that is bound wrongly, of a client or an account that is gone, without a scope, or for
 * a name that the FHIR server does not have: each cause is decided by what was checked, and its change lets the request
 * pass.
 */
import { randomUUID } from 'node:crypto';
import { clientsChanged } from '../../src/clients/domain/client.js';
import { type CauseCode, catalogue } from '../../src/contract/activity/catalogue.js';
import { usersChanged } from '../../src/users/domain/user.js';
import { makeProofKey, proofBy } from '../support/apps/fapi-app.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal, tellNodes } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { appsOfKind } from '../support/portal/token-portal.js';
import { inTurn } from '../support/runs.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const app = { ...publicApp, clientId: 'data-app', requireConsent: false, accessTokenType: 'Reference' };
const scope = 'openid launch/patient patient/Patient.rs';
const asking = { ...publicApp, clientId: 'asking-app', requireConsent: true };
const services = confidentialKinds.map((kind) => kind.service('data-service'));

let portal: TestPortal;
let server: SmallFhirServer;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  server = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: {
        baseUrl: server.url,
        tenants: [{ id: 'north', name: 'North', baseUrl: server.url, credentials: { type: 'none' } }],
      },
      users: [people.patient, people.practitioner, people.admin],
      clients: [app, asking, ...clientKinds.flatMap(appsOfKind), ...services],
    },
  });
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await untilFhirServerIsAvailable(admin);
});
afterAll(async () => {
  await portal.close();
  server.close();
});

async function expectCause(answer: Answer, code: CauseCode, detail: object = {}) {
  const launch = await launchOf(portal, answer);
  const [entry] = entriesOf(launch, code);
  expect([Object.keys(launch?.entries ?? {}).join(), entry?.detail]).toEqual([
    expect.stringContaining(code),
    expect.objectContaining(detail),
  ]);
  expect([entry?.developer, entry?.change?.text]).toEqual([
    expect.stringMatching(/^[^{]+$/),
    expect.stringMatching(/^[^{]+$/),
  ]);
  return entry;
}

const send = (authorization: string, path = '/Patient/1', dpop?: string) =>
  new Agent(portal.issuer).send(`/fhir${path}`, {
    method: 'GET',
    headers: { authorization, ...(dpop !== undefined && { dpop }) },
  });
const tokenOf = async (asked = scope) =>
  (await new SmartApp(portal, { client: app, scope: asked }).tokens(people.patient)).access_token;

describe.each(
  clientKinds.flatMap((kind) => appsOfKind(kind).map((client) => ({ name: client.clientId, kind, client }))),
)('A token of $name', ({ kind, client }) => {
  const isBound = kind.tokenType === 'DPoP';

  it('with the other scheme is told which one it needs, in the answer and in the record', async () => {
    const launched = kind.app(portal, client, { scope });
    const { access_token: token } = await launched.tokens(people.patient);
    const url = `${portal.fhirBase}/Patient/1`;
    const proof = await proofBy(await makeProofKey(), url, { method: 'GET', token });
    const other = isBound ? await send(`Bearer ${token}`) : await send(`DPoP ${token}`, '/Patient/1', proof);
    expect(other.status).toBe(401);
    expect(other.text).toContain(isBound ? 'bound to a key: it needs the scheme DPoP' : 'needs the scheme Bearer');
    expect(other.headers['www-authenticate']).toMatch(/^DPoP .*error="invalid_token".*algs="/);
    if (isBound) await expectCause(other, 'gateway-token-bound', { proof: 'no DPoP proof' });
    else await expectCause(other, 'gateway-token-unbound', { sent: 'the scheme DPoP' });

    const both = await send(`Bearer ${token}`, '/Patient/1', proof);
    expect(both.status).toBe(400);
    if (isBound) await expectCause(both, 'gateway-token-bound', { proof: 'a DPoP proof' });
    else await expectCause(both, 'gateway-token-unbound', { sent: 'a DPoP proof' });

    const bare = await send(`DPoP ${token}`);
    expect(bare.status).toBe(400);
    await expectCause(bare, isBound ? 'gateway-proof-missing' : 'gateway-token-unbound');
    expect((await kind.read(new Agent(portal.issuer), '/fhir/Patient/1', token)).status).toBe(200);
  });

  if (isBound) {
    it('with a proof that does not hold is told which part of it, and never two of them', async () => {
      const { access_token: token } = await kind.app(portal, client, { scope }).tokens(people.patient);
      const url = `${portal.fhirBase}/Patient/1`;
      const otherKey = await proofBy(await makeProofKey(), url, { method: 'GET', token });
      const refused = await send(`DPoP ${token}`, '/Patient/1', otherKey);
      const byOther = 'The DPoP proof is not valid: it is signed with another key than the token is bound to.';
      await expectCause(refused, 'gateway-proof-refused', { sentence: byOther });
      // The proof that passed is repeated.
      const sent: string[] = [];
      const recorded = Object.assign(new Agent(portal.issuer), {
        send: (path: string, options: { headers?: Record<string, string> }) => {
          sent.push(options.headers?.dpop ?? '');
          return Agent.prototype.send.call(new Agent(portal.issuer), path, options);
        },
      });
      expect((await kind.read(recorded, '/fhir/Patient/1', token)).status).toBe(200);
      const repeated = await send(`DPoP ${token}`, '/Patient/1', sent[0]);
      expect(repeated.status).toBe(401);
      const used = 'The DPoP proof is not valid: its jti was used before.';
      await expectCause(repeated, 'gateway-proof-refused', { sentence: used });
    });
  }
});

describe('A token', () => {
  it('that is bound to no key, of a client that follows FAPI 2.0 since, is told so', async () => {
    const token = await tokenOf();
    await alterClient(portal, app.clientId, { settings: { securityProfile: 'fapi2' } });
    const answer = await send(`Bearer ${token}`);
    await alterClient(portal, app.clientId, { settings: { securityProfile: 'none' } });
    expect(answer.status).toBe(401);
    await expectCause(answer, 'gateway-token-of-profile', { type: 'Patient' });
    expect((await send(`Bearer ${token}`)).status).toBe(200);
  });

  it('of a client that is disabled, or not registered any more, is told which of both', async () => {
    const token = await tokenOf();
    await alterClient(portal, app.clientId, { enabled: false });
    const disabled = await send(`Bearer ${token}`);
    const entry = await expectCause(disabled, 'gateway-client-disabled');
    expect(entry?.change?.field).toBe('enabled');
    await alterClient(portal, app.clientId, { enabled: true });
    expect((await send(`Bearer ${token}`)).status).toBe(200);

    const rename = async (to: string, from: string) => {
      await portal.query('UPDATE client SET client_id = $1 WHERE client_id = $2', [to, from]);
      await tellNodes(portal, clientsChanged);
    };
    await rename('another-id', app.clientId);
    const gone = await send(`Bearer ${token}`);
    await rename(app.clientId, 'another-id');
    expect((await expectCause(gone, 'gateway-client-gone'))?.change?.field).toBeUndefined();
  });

  it('of an account that is gone, or belongs to another tenant, is told which of both', async () => {
    const token = await tokenOf();
    const change = async (statement: string, values: unknown[]) => {
      await portal.query(statement, values);
      await tellNodes(portal, usersChanged);
      const answer = await send(`Bearer ${token}`);
      return answer;
    };
    const claims = (all: object[]) => ['UPDATE account SET claims = $1 WHERE email = $2', all] as const;
    const [statement] = claims([]);
    const elsewhere = await change(statement, [
      JSON.stringify([...people.patient.claims, { name: 'tenant', value: 'north' }]),
      people.patient.email,
    ]);
    await expectCause(elsewhere, 'gateway-account-elsewhere');
    const again = await change(statement, [JSON.stringify(people.patient.claims), people.patient.email]);
    expect(again.status).toBe(200);

    const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      people.patient.email,
    ]);
    const other = randomUUID();
    await portal.query('ALTER TABLE account DISABLE TRIGGER ALL');
    const gone = await change('UPDATE account SET id = $1 WHERE id = $2', [other, id]);
    await change('UPDATE account SET id = $1 WHERE id = $2', [id, other]);
    await portal.query('ALTER TABLE account ENABLE TRIGGER ALL');
    await expectCause(gone, 'gateway-account-gone');
  });
});

// cspell:ignore encouter everythin patinet provenence metdata
describe('A name that the FHIR server does not have', () => {
  it.each([
    ['/Spaceship/1', 'gateway-type-unknown', 404, 'No type of the server has a similar name.'],
    ['/Encouter/1', 'gateway-type-unknown', 404, 'The nearest is Encounter.'],
    ['/PATIENT/1', 'gateway-type-unknown', 404, 'The nearest is Patient.'],
    ['/patient/1', 'gateway-type-unknown', 400, 'The nearest is Patient.'],
    ['/Encouter/$everything', 'gateway-type-unknown', 404, 'The nearest is Encounter.'],
    ['/Patient/1/$everythin', 'gateway-operation-unknown', 404, 'The nearest is everything.'],
    ['/Patient/1/$stop', 'gateway-operation-unknown', 404, 'No operation of the server has a similar name.'],
  ] as const)('is told with the nearest one, before any scope: %s', async (path, code, status, nearest) => {
    const answer = await send(`Bearer ${await tokenOf()}`, path);
    expect(answer.status).toBe(status);
    await expectCause(answer, code, { nearest });
  });

  it.each([
    ['_has:Observation=1', '_has', 'is not followed by a type and two search parameters, each after a colon'],
    ['_include=*', '_include', 'asks for everything that is referred to, which is not passed on'],
    ['_include=hidden-value', '_include', 'has a value that names no search parameter'],
    ['_include=Patient:general-practitioner', '_include', 'has a value for Patient, and the search is for Encounter'],
    ['_include:recurse=Encounter:subject', '_include', 'has the modifier :recurse, which is not passed on'],
    ['identifier:startsWith=x', 'identifier', 'has the modifier :startsWith, which is not passed on'],
    ['date%5Bgte%5D=2020', '(no name)', 'has a form that no name has'],
    ['_containedType=container', '_containedType', 'is none that is passed on to the FHIR server'],
  ])('or that no search has is told in the search, before any scope: %s', async (query, name, fault) => {
    const token = await tokenOf('openid launch/patient patient/Encounter.rs');
    const answer = await send(`Bearer ${token}`, `/Encounter?${query}`);
    expect(answer.status).toBe(400);
    await expectCause(answer, 'gateway-search-parameter', { name, fault });
  });

  it.each([
    ['_has:Foo:patient:code=1', '_has', 'Foo'],
    ['subject:Patinet.name=x', 'subject', 'Patinet'],
    ['_revinclude=Provenence:target', '_revinclude', 'Provenence'],
  ])(
    'and that a search refers to is told in place of a scope that would open nothing: %s',
    async (query, name, type) => {
      const limited = await tokenOf('openid launch/patient patient/Encounter.rs');
      const answer = await send(`Bearer ${limited}`, `/Encounter?${query}`);
      expect(answer.status).toBe(403);
      const fault = `names the resource type ${type}, which the FHIR server does not have`;
      await expectCause(answer, 'gateway-search-parameter', { name, fault });
    },
  );

  it.each([
    ['/Encouter/1', 'The FHIR server has no resource type Encouter either: the nearest is Encounter.'],
    ['/Encounter/1', ''],
  ])('is told of a request without a token, too: %s', async (path, found) => {
    const answer = await new Agent(portal.issuer).get(`/fhir${path}`);
    expect(answer.status).toBe(401);
    await expectCause(answer, 'gateway-token-missing', { found });
  });

  it.each(['metdata', 'Metadata', 'meta-data', 'conformance'])('and is like metadata leads there: %s', async (sent) => {
    const answer = await new Agent(portal.issuer).get(`/fhir/${sent}`);
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining(`${portal.fhirBase}/metadata`)]);
    await expectCause(answer, 'gateway-document-elsewhere', { document: sent, right: `${portal.fhirBase}/metadata` });
  });

  it('that is no type at all is kept out of the record: it could be a value', async () => {
    const answer = await send(`Bearer ${await tokenOf()}`, '/hidden-value/1');
    expect(JSON.stringify((await launchOf(portal, answer))?.entries)).not.toContain('hidden');
  });
});

interface Lack {
  /** Settings that keep the scope from the client. */
  settings: object;
  /** The change that the record names, and its field. */
  remedy: RegExp;
  field: string;
  fixed: object;
}
const all = {
  allowedSmartSubjects: ['patient', 'user', 'system'],
  allowedResourceTypes: [],
  allowedSmartActions: [...'cruds'],
};
const ofSettings = (subject: string): [string, Lack][] => [
  ['nothing', { settings: {}, remedy: /^Have the app request .*, which the client may have\./, field: '', fixed: {} }],
  [
    'SMART actions',
    {
      settings: { allowedSmartActions: ['c'] },
      remedy: /^Add r to SMART actions\. Have the app request/,
      field: 'allowedSmartActions',
      fixed: { allowedSmartActions: ['c', 'r'] },
    },
  ],
  [
    'SMART subjects',
    {
      settings: { allowedSmartSubjects: ['user'].filter((one) => one !== subject) },
      remedy: new RegExp(`^Add ${subject} to SMART subjects\\.`),
      field: 'allowedSmartSubjects',
      fixed: { allowedSmartSubjects: ['user', subject] },
    },
  ],
  [
    'Resource types',
    {
      settings: { allowedResourceTypes: ['Condition'] },
      remedy: /^Add Encounter to Resource types\./,
      field: 'allowedResourceTypes',
      fixed: { allowedResourceTypes: ['Condition', 'Encounter'] },
    },
  ],
];

describe('A scope that a token lacks', () => {
  it.each(ofSettings('patient'))('and that %s keeps from an app: the change lets the request pass', async (_, lack) => {
    const token = await tokenOf();
    await alterClient(portal, app.clientId, { settings: { ...all, ...lack.settings } });
    const answer = await send(`Bearer ${token}`, '/Encounter/visit-1');
    expect(answer.status).toBe(403);
    const entry = await expectCause(answer, 'gateway-scope-missing', { scope: 'patient/Encounter.r' });
    expect([entry?.change?.text, entry?.change?.field ?? '']).toEqual([expect.stringMatching(lack.remedy), lack.field]);
    await alterClient(portal, app.clientId, { settings: { ...all, ...lack.fixed } });
    const again = await tokenOf(`${scope} ${entry?.detail.scope}`);
    await alterClient(portal, app.clientId, { settings: all });
    expect((await send(`Bearer ${again}`, '/Encounter/visit-1')).status).toBe(200);
  });

  describe.each(
    confidentialKinds.flatMap((kind) =>
      inTurn(ofSettings('system'), kind.number).map(([name, lack]) => ({ kind, lack, by: name, of: kind.name })),
    ),
  )('and that $by keeps from a service ($of)', ({ kind, lack }) => {
    it('the change lets the request pass', async () => {
      const service = kind.service('data-service');
      const agent = new Agent(portal.issuer);
      const tokens = async (asked: string) => {
        const form = { grant_type: 'client_credentials', scope: asked };
        return (await kind.post(agent, '/connect/token', service, form)).json<Tokens>().access_token;
      };
      const token = await tokens('system/Patient.rs');
      const settings = { ...all, allowedSmartSubjects: ['user', 'system'] };
      await alterClient(portal, service.clientId, { settings: { ...settings, ...lack.settings } });
      const answer = await kind.read(agent, '/fhir/Encounter/visit-1', token);
      expect(answer.status).toBe(403);
      const entry = await expectCause(answer, 'gateway-scope-missing', { scope: 'system/Encounter.r' });
      const { text, field = '' } = entry?.change ?? {};
      expect([text, field]).toEqual([expect.stringMatching(lack.remedy), lack.field]);
      expect(text).not.toContain('user');
      await alterClient(portal, service.clientId, { settings: { ...settings, ...lack.fixed } });
      const again = await tokens(String(entry?.detail.scope));
      await alterClient(portal, service.clientId, { settings });
      expect((await kind.read(agent, '/fhir/Encounter/visit-1', again)).status).toBe(200);
    });
  });

  it('because the user did not allow it is told as the choice of the user', async () => {
    const launched = new SmartApp(portal, { client: asking, scope: `${scope} patient/Encounter.rs` });
    const landed = await launched.complete(people.patient, scope.split(' '));
    const tokens = (await launched.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    const answer = await send(`Bearer ${tokens.access_token}`, '/Encounter/visit-1');
    await expectCause(answer, 'gateway-scope-declined', { scope: 'patient/Encounter.r' });
  });
});

it('An entry of an earlier version, whose values are fewer, shows no change that is empty', () => {
  const launch = { entries: { 'gateway-scope-missing': { at: 1, last: 1, count: 1, detail: { scope: 'x' } } } };
  const [entry] = entriesOf(launch as never, 'gateway-scope-missing');
  expect([entry?.change, catalogue['gateway-scope-missing'].change.text]).toEqual([undefined, '{{remedy}}']);
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(portal, 'data'));
