/**
 * Mistakes of EHR launches, pushed and signed requests: the launch's record names the cause, the values and the change.
 */
import { generateKeyPair } from 'jose';
import { parseReference } from '../../src/contract/activity/reference.js';
import { launchOfAnswer } from '../support/apps/launch-entries.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../support/clients/assertions.js';
import type { Answer } from '../support/http/agent.js';
import { announcementMistakes } from '../support/mistakes/announcements.js';
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
  { name: 'an unknown launch', make: () => at.ask({ launch: 'A'.repeat(43) }), code: 'launch-unknown' },
  {
    name: 'the id of a patient as launch',
    make: () => at.ask({ launch: 'Patient/1' }),
    code: 'launch-malformed',
    detail: () => ({ length: 9 }),
  },
  {
    name: 'a launch in quotation marks',
    make: async () => at.ask({ scope: 'launch openid', launch: `"${await at.announce({ patient: '1' })}"` }),
    code: 'launch-damaged',
    detail: () => ({ damage: expect.stringContaining('"') as never }),
  },
  {
    name: 'a request_uri with a line break at its end',
    make: async () => at.ask({ request_uri: `${(await at.push({})).json<{ request_uri: string }>().request_uri}\n` }),
    code: 'par-damaged',
    detail: () => ({ damage: expect.stringContaining('line break') as never }),
  },
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
    name: 'a request_uri that another client has pushed',
    make: async () => at.ask({ request_uri: (await at.push({})).json<{ request_uri: string }>().request_uri }, 'quiet'),
    code: 'par-of-other-client',
    detail: () => ({ other: 'public-app', clientId: 'quiet-app' }),
  },
  {
    name: 'a request object that names another key than it is signed with',
    make: () => at.askSigned({}, { kid: 'other-key' }),
    code: 'object-key-misnamed',
    detail: () => ({ kid: 'other-key', right: 'signing-key', from: 'registered here' }),
  },
  {
    name: 'a request object of a kid that two keys have',
    make: () => at.askSigned({}, { kid: 'double-key' }, foreignKey, 'publishing'),
    code: 'object-key-twice',
    detail: () => ({ kid: 'double-key', keys: expect.stringMatching(/; EC P-384/) as never }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object of a key that is not registered',
    make: () => at.askSigned({}, { kid: 'other-key' }, foreignKey),
    code: 'object-key-unknown',
    detail: () => ({ kid: 'other-key', known: 'signing-key' }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object of a key that the key set does not have',
    make: () => at.askSigned({}, { kid: 'other-key' }, foreignKey, 'publishing'),
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
    make: () => at.askSigned({}, { kid: 'encryption-key' }, foreignKey, 'publishing'),
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

describe('A refused announcement of an EHR', () => {
  it.each(announcementMistakes(() => at))(
    'is explained, and its answer has the reference: $name ($code)',
    async (mistake) => {
      let answer: Answer | undefined;
      await expectExplained(at, {
        ...mistake,
        make: async () => {
          answer = await mistake.make();
          return answer;
        },
      });
      expect(answer?.json().error_description).toContain(`Reference: ${answer?.headers['x-launch-reference']}`);
    },
  );

  it('is the record of the client that it names', async () => {
    const answer = await at.sendAnnouncement('patient=77&client_id=quiet-app');
    expect((await launchOfAnswer(at.portal, answer)).clientId).toBe('quiet-app');
    const id = parseReference(String(answer.headers['x-launch-reference']));
    const [row] = await at.portal.query("SELECT kind FROM launch WHERE id LIKE $1 || '%'", [id]);
    // No launch has begun, so its page does not say that tokens were not issued.
    expect(row).toEqual({ kind: 'unknown' });
  });
});

describe('An announcement with a parameter that is not known', () => {
  const unreadOf = ({ entries }: Awaited<ReturnType<typeof launchOfAnswer>>) =>
    entries.find(({ code }) => code === 'launch-parameters-unread')?.detail;
  const fhirContext = JSON.stringify([{ reference: 'Task/1', roles: 'planted-value' }]);
  const announced = { patientId: '1', practitioner: 'Practitioner/1', ward: 'planted-value', fhirContext };

  it('is accepted, and the record of the launch names it with the nearest known one', async () => {
    const launch = await launchOfAnswer(at.portal, await at.launched(announced));
    expect(unreadOf(launch)).toEqual({
      names: 'patientId (perhaps patient), practitioner (perhaps user), ward, fhirContext.roles (perhaps role)',
    });
    expect(JSON.stringify(launch)).not.toContain('planted-value');
  });

  it('has an entry in the record of the announcement, too, if that is refused', async () => {
    const answer = await at.sendAnnouncement('patientId=1&encounter=visit-77&planted.value=2');
    const launch = await launchOfAnswer(at.portal, answer);
    expect([launch.decidedBy?.code, unreadOf(launch)]).toEqual([
      'ehr-encounter-unknown',
      { names: 'patientId (perhaps patient), a name that is not plain' },
    ]);
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
  secrets.expectNoneRecorded(at.portal, 'launch', ['ward-ehr']));
