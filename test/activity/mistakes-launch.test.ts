/**
 * Mistakes of EHR launches, pushed and signed requests: the launch's record names the cause, the values and the change.
 */
import { generateKeyPair } from 'jose';
import { launchOfAnswer } from '../support/apps/launch-entries.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../support/clients/assertions.js';
import type { Answer } from '../support/http/agent.js';
import {
  expectExplained,
  type Mistake,
  type RequestPortal,
  requestingClients,
  startRequestPortal,
} from '../support/mistakes/request-mistakes.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { people } from '../support/users/people.js';

const foreignKey = await makeClientKey('ES384', 'signing-key');
const shortKey = await makeClientKey('ES256', 'signing-key');
const otherAlgorithm = { ...foreignKey, ...(await generateKeyPair('PS384')) };
let at: RequestPortal;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  at = await startRequestPortal();
});
afterAll(() => at.close());

const refused: Mistake[] = [
  { name: 'an unknown launch', make: () => at.ask({ launch: 'a-made-up-value' }), code: 'launch-unknown' },
  {
    name: 'an expired launch',
    make: async () => {
      const launch = await at.announce({ patient: '1' });
      await at.age('EhrLaunch', 30);
      return at.ask({ scope: 'launch openid', launch });
    },
    code: 'launch-expired',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a used launch',
    make: async () => {
      const launch = await at.announce({ patient: '1' });
      const parameters = { scope: 'launch openid fhirUser patient/*.rs', launch };
      await new SmartApp(at.portal, { client: requestingClients.quiet, parameters }).complete(people.practitioner);
      return at.ask(parameters, 'quiet');
    },
    code: 'launch-used',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a launch for another client',
    make: () => at.launched({ patient: '1', client_id: 'quiet-app' }),
    code: 'launch-foreign',
    detail: () => ({ registered: 'quiet-app', sent: 'public-app' }),
  },
  {
    name: 'a launch for the base of another tenant',
    make: () => at.launched({ patient: '1' }, { aud: `${at.portal.fhirBase}/north` }),
    code: 'launch-other-tenant',
    detail: () => ({ sent: `${at.portal.fhirBase}/north` }),
  },
  {
    name: 'a request that was not pushed',
    make: () => at.ask({}, 'pushing'),
    code: 'par-required',
    detail: () => ({ endpoint: `${at.portal.issuer}/connect/par` }),
    fix: 'requirePar',
  },
  {
    name: 'an unknown request_uri',
    make: () => at.ask({ request_uri: 'urn:ietf:params:oauth:request_uri:unknown' }),
    code: 'par-unknown',
  },
  {
    name: 'an expired request_uri',
    make: async () => {
      const { request_uri } = (await at.push({}, 'pushing')).json<{ request_uri: string }>();
      await at.age('PushedAuthorizationRequest', 5);
      return at.ask({ request_uri }, 'pushing');
    },
    code: 'par-expired',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a request_uri of another server',
    make: () => at.ask({ request_uri: 'https://app.example/request.jwt' }),
    code: 'request-uri-foreign',
  },
  {
    name: 'an unsigned request of a client that must sign',
    make: () => at.ask({}, 'signing'),
    code: 'object-required',
    fix: 'requireSignedRequestObject',
  },
  {
    name: 'a signed request of a client that does not',
    make: () => at.ask({ request: 'a.b.c' }),
    code: 'object-unexpected',
    fix: 'requireSignedRequestObject',
  },
  {
    name: 'an unreadable request object',
    make: () => at.ask({ request: 'a.b.c' }, 'signing'),
    code: 'object-unreadable',
  },
  {
    name: 'a request object with another type',
    make: () => at.askSigned({}, { typ: 'at+jwt' }),
    code: 'object-type',
    detail: () => ({ sent: 'at+jwt' }),
  },
  {
    name: 'a request object with another algorithm',
    make: () => at.askSigned({}, { alg: 'PS384' }, otherAlgorithm),
    code: 'object-algorithm',
    detail: () => ({ sent: 'PS384', accepted: expect.stringContaining('ES384') as never }),
  },
  {
    name: 'a request object of another key',
    make: () => at.askSigned({}, {}, foreignKey),
    code: 'object-signature',
    detail: () => ({ kid: 'signing-key', from: 'registered here' }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object for another server',
    make: () => at.askSigned({ aud: 'https://elsewhere.example' }),
    code: 'object-audience',
    detail: () => ({ issuer: at.portal.issuer }),
  },
  {
    name: 'a request object of another client',
    make: () => at.askSigned({ iss: 'public-app' }),
    code: 'object-client',
    detail: () => ({ claim: 'iss', sent: 'public-app', clientId: 'signing-app' }),
  },
  {
    name: 'a request object that names another client',
    make: () => at.askSigned({ client_id: 'public-app' }),
    code: 'object-client',
    detail: () => ({ claim: 'client_id', sent: 'public-app', clientId: 'signing-app' }),
  },
  {
    name: 'a request object without a key id, which is among its claims',
    make: () => at.askSigned({ kid: 'signing-key' }, { kid: undefined as never }),
    code: 'object-key-missing',
    detail: () => ({ found: 'It is among the claims, and belongs into the header.' }),
  },
  {
    name: 'a request object of a key that is not registered',
    make: () => at.askSigned({}, { kid: 'other-key' }),
    code: 'object-key-unknown',
    detail: () => ({ kid: 'other-key', known: 'signing-key' }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object of a key that the key set does not have',
    make: () => at.askSigned({}, { kid: 'other-key' }, undefined, 'publishing'),
    code: 'object-key-not-published',
    detail: () => ({
      kid: 'other-key',
      read: expect.stringContaining('published-key (EC P-384') as never,
      passed: expect.stringContaining('encryption-key') as never,
      host: expect.stringMatching(/^localhost:/) as never,
    }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object of a published key that cannot be used',
    make: () => at.askSigned({}, { kid: 'encryption-key' }, undefined, 'publishing'),
    code: 'object-key-passed-over',
    detail: () => ({ kid: 'encryption-key' }),
  },
  {
    name: 'a request object whose signature does not fit the published key',
    make: () => at.askSigned({}, { kid: 'published-key' }, foreignKey, 'publishing'),
    code: 'object-signature',
    detail: () => ({ kid: 'published-key', from: expect.stringMatching(/^in the key set at localhost:/) as never }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object of a client whose key set cannot be read',
    make: () => at.askSigned({}, { kid: 'any-key' }, undefined, 'silent'),
    code: 'object-key-set-unreachable',
    detail: () => ({ host: expect.stringMatching(/^localhost:/) as never }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object with an algorithm that its key does not have',
    make: () => at.askSigned({}, { alg: 'ES256' }, shortKey),
    code: 'object-key-unfit',
    detail: () => ({ kid: 'signing-key', used: 'ES256', key: expect.stringContaining('EC P-384') as never }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object with its end in milliseconds',
    make: () => at.askSigned({ exp: Date.now() + 60_000 }),
    code: 'object-time',
    detail: () => ({ claim: 'exp', fault: 'it is in milliseconds' }),
  },
  {
    name: 'a request object with its begin as a text',
    make: () => at.askSigned({ nbf: String(nowSeconds()) as never }),
    code: 'object-time',
    detail: () => ({ claim: 'nbf', fault: 'it is a text and no number' }),
  },
  {
    name: 'a request object that contains another one',
    make: () => at.askSigned({ request: 'a.b.c' }),
    code: 'object-content',
    detail: () => ({ reason: 'it contains request' }),
  },
  {
    name: 'a request object that lives too long',
    make: () => at.askSigned({ exp: nowSeconds() + 7_000 }),
    code: 'object-lifetime',
    detail: () => ({ reason: expect.stringMatching(/^it lives for \d+ s, and 3600 s are permitted$/) as never }),
  },
  {
    name: 'an expired request object',
    make: () => at.askSigned({ nbf: nowSeconds() - 900, exp: nowSeconds() - 600 }),
    code: 'object-expired',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a request object from the future',
    make: () => at.askSigned({ nbf: nowSeconds() + 600, exp: nowSeconds() + 900 }),
    code: 'object-early',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a request object that never expires',
    make: () => at.askSigned({ exp: undefined }),
    code: 'object-lifetime',
    detail: () => ({ reason: 'it has no exp' }),
  },
  {
    name: 'a request object with a sub',
    make: () => at.askSigned({ sub: 'signing-app' }),
    code: 'object-content',
    detail: () => ({ reason: 'it has a sub, as client assertions have' }),
  },
];

describe('A refused authorization request', () => {
  it.each(refused)('is explained: $name ($code)', (mistake) => expectExplained(at, mistake));
});

/** The first is counted in another row: it would keep the EHR from announcing anything. */
const fromElsewhere = { 'x-forwarded-for': '203.0.113.9' };
const announcements: Mistake[] = [
  {
    name: 'no credentials',
    make: () => at.sendAnnouncement('patient=1', { authorization: 'Bearer the-secret-of-the-ward-ehr' }),
    code: 'ehr-credentials-missing',
    fix: 'ehr.callers',
  },
  {
    name: 'an unknown EHR',
    make: () => at.sendAnnouncement('patient=1', basicAuthorization('other-ehr', 'planted-value')),
    code: 'ehr-unknown',
    detail: () => ({ caller: 'other-ehr' }),
    fix: 'ehr.callers',
  },
  {
    name: 'a wrong secret',
    make: () => at.sendAnnouncement('patient=1', basicAuthorization('ward-ehr', 'planted-value')),
    code: 'ehr-secret-wrong',
    detail: () => ({ caller: 'ward-ehr' }),
    fix: 'ehr.callers',
  },
  {
    name: 'too many wrong secrets',
    make: async () => {
      const guess = { ...basicAuthorization('ward-ehr', 'planted-value'), ...fromElsewhere };
      await Promise.all(Array.from({ length: 50 }, () => at.sendAnnouncement('patient=1', guess)));
      return at.sendAnnouncement('patient=1', fromElsewhere);
    },
    code: 'ehr-secrets-throttled',
    detail: () => ({ seconds: expect.any(Number) as never }),
    fix: 'ehr.callers',
  },
  ...[
    ['', 'no type', 'it has no Content-Type'],
    ['text/plain', 'text/plain', 'this type is not supported'],
    ['application/json', 'application/json', 'it is not JSON'],
  ].map(
    ([sent, type, reason]): Mistake => ({
      name: `a body of ${type}`,
      make: () => at.sendAnnouncement('patient=1', { 'content-type': sent ?? '' }),
      code: 'ehr-body',
      detail: () => ({ type: type ?? '', reason: reason ?? '' }),
    }),
  ),
  {
    name: 'a patient of another server',
    make: () => at.sendAnnouncement('patient=https://planted-value.example/Patient/1'),
    code: 'ehr-parameter',
    detail: () => ({ reason: 'patient must be below the FHIR base of the launch' }),
  },
  {
    name: 'an unknown tenant',
    make: () => at.sendAnnouncement('patient=1&tenant=south'),
    code: 'ehr-parameter',
    detail: () => ({ reason: 'tenant must be the id of a tenant' }),
  },
  {
    name: 'a patient that does not exist',
    make: () => at.sendAnnouncement('patient=Patient/77'),
    code: 'ehr-patient-unknown',
    detail: () => ({ patient: '77' }),
  },
  {
    name: 'an encounter that does not exist',
    make: () => at.sendAnnouncement('patient=1&encounter=visit-77'),
    code: 'ehr-encounter-unknown',
    detail: () => ({ encounter: 'visit-77' }),
  },
  {
    name: 'an encounter of another patient',
    make: () => at.sendAnnouncement('patient=1&encounter=visit-3'),
    code: 'ehr-encounter-of-other',
    detail: () => ({ patient: '1', encounter: 'visit-3' }),
  },
];

describe('A refused announcement of an EHR', () => {
  it.each(announcements)('is explained, and its answer has the reference: $name ($code)', async (mistake) => {
    let answer: Answer | undefined;
    await expectExplained(at, {
      ...mistake,
      make: async () => {
        answer = await mistake.make();
        return answer;
      },
    });
    expect(answer?.json().error_description).toContain(`Reference: ${answer?.headers['x-launch-reference']}`);
  });

  it('is the record of the client that it names', async () => {
    const answer = await at.sendAnnouncement('patient=77&client_id=quiet-app');
    expect((await launchOfAnswer(at.portal, answer)).clientId).toBe('quiet-app');
  });
});

describe('An EHR launch without the scope launch', () => {
  it('goes on, and its record says what is withheld', async () => {
    const { entries } = await launchOfAnswer(
      at.portal,
      await at.launched({ patient: '1' }, { scope: 'openid patient/*.rs' }),
    );
    expect(entries.map(({ code }) => code)).toContain('launch-without-scope');
  });
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(at.portal, 'launch'));
