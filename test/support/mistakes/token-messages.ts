import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import { basicAuthorization } from '../apps/smart-app.js';
import { nowSeconds } from '../clients/assertions.js';
import { redirectUri } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import { people } from '../users/people.js';
import {
  endedService,
  mixed,
  plainApp,
  profileService,
  service,
  services,
  shortService,
  type TokenPortal,
} from './token-mistakes.js';

/** The mistake, its cause, the values that differ, the request, and the field to change. */
type Mistake = [string, CauseCode, () => object, () => Promise<Answer>, string?];

// cspell:ignore servic servise Gxhbn Vjcm Nlcn
const secret = 'the-current-secret-of-the-service';
const basicOf = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

/** Token requests that are almost right, not complete, or of another kind; and what is in the wrong place. */
export const messageMistakes = (at: () => TokenPortal): Mistake[] => [
  ...damagedClients(at),
  ...headers(at),
  ...credentials(at),
  ...messages(at),
  ...assertions(at),
  ...otherLengths(at),
];

function otherLengths(at: () => TokenPortal): Mistake[] {
  const { clientId: client_id } = plainApp;
  const code = { grant_type: 'authorization_code', code: 'a'.repeat(16), code_verifier: 'v'.repeat(43) };
  return [
    [
      'a code of another length',
      'code-malformed',
      () => ({ what: 'authorization code', length: 16, expected: 43 }),
      () => at().send({ client_id, redirect_uri: redirectUri, ...code }),
    ],
    [
      'a refresh token that was cut',
      'code-malformed',
      () => ({ what: 'refresh token', length: 40, expected: 43 }),
      () => at().send({ client_id, grant_type: 'refresh_token', refresh_token: 'r'.repeat(40) }),
    ],
  ];
}

function damagedClients(at: () => TokenPortal): Mistake[] {
  const clients = {
    'secret-service ': 'it has a space at its end',
    'Secret-Service': 'it differs in upper and lower case',
    'secret%2Dservice': 'it is percent-encoded',
    'secret-servic': 'it is cut off: its last character is missing',
  };
  return [
    ...Object.entries(clients).map(
      ([sent, damage]): Mistake => [
        `a client id with a damage: ${damage}`,
        'token-client-damaged',
        () => ({ nearest: mixed.clientId, damage }),
        () => at().send({ ...services, client_id: sent, client_secret: secret }),
      ],
    ),
    [
      'a client id that resembles another one',
      'token-client-misspelled',
      () => ({ clientId: 'secret-servise', nearest: mixed.clientId }),
      () => at().send({ ...services, client_id: 'secret-servise', client_secret: secret }),
    ],
    [
      'the name of a client as its id',
      'token-client-named',
      () => ({ clientId: 'nightly export', named: expect.any(String) }),
      () => at().send({ ...services, client_id: 'nightly export', client_secret: secret }),
    ],
    [
      'the id and the secret in each other’s place',
      'token-credentials-swapped',
      () => ({}),
      () => at().send({ ...services, client_id: secret, client_secret: mixed.clientId }),
    ],
    [
      'a template in place of the client id',
      'token-client-placeholder',
      () => ({ template: 'YOUR_CLIENT_ID' }),
      () => at().send({ ...services, client_id: 'YOUR_CLIENT_ID', client_secret: secret }),
    ],
    ...Object.entries({
      'it has a line break at its end': `${secret}\n`,
      'it is percent-encoded': [...secret].map((one) => (one === '-' ? '%2D' : one)).join(''),
      'it stands between " and "': `"${secret}"`,
      'it is encoded as base64': Buffer.from(secret).toString('base64'),
      'it has client_secret= in front of it': `client_secret=${secret}`,
    }).map(
      ([damage, sent]): Mistake => [
        `a secret with a damage: ${damage}`,
        'token-secret-damaged',
        () => ({ damage }),
        () => at().send({ ...services, client_id: mixed.clientId, client_secret: sent }),
      ],
    ),
    [
      'the client id as secret',
      'token-secret-is-id',
      () => ({}),
      () => at().send({ ...services, client_id: shortService.clientId, client_secret: shortService.clientId }),
    ],
    [
      'a template in place of the secret',
      'token-secret-placeholder',
      () => ({}),
      () => at().send({ ...services, client_id: mixed.clientId, client_secret: '<client_secret>' }),
    ],
  ];
}

function headers(at: () => TokenPortal): Mistake[] {
  const faults: Record<string, string> = {
    'its scheme is Bearer, and not Basic': 'Bearer planted-credential',
    'it does not begin with Basic and a space': `${mixed.clientId}:${secret}`,
    'the id and the secret follow Basic as they are, and not in base64': `Basic ${mixed.clientId}:${secret}`,
    'it is in base64url (with - or _), and not in base64': 'Basic cGxhbnRlZDpj_-Q=',
    'what follows Basic is not base64': 'Basic c2VjcmV0LXNlcnZpY2U6eA,',
    'it has no colon between the id and the secret': basicOf(mixed.clientId).authorization,
    'it has no secret after the colon': basicOf(`${mixed.clientId}:`).authorization,
    'the secret in it has a line break, which neither may have': basicOf(`${mixed.clientId}:x-x-x-x\n`).authorization,
    'a % in the id or the secret is not encoded as %25': basicOf(`${mixed.clientId}:100%`).authorization,
    'it has more than one space': `Basic  ${Buffer.from(`${mixed.clientId}:${secret}`).toString('base64')} `,
  };
  return Object.entries(faults).map(([reason, authorization]) => [
    `an Authorization header: ${reason}`,
    'token-credentials-unreadable',
    () => ({ reason: reason === 'it has more than one space' ? expect.any(String) : reason }),
    () => at().send(services, { authorization }),
  ]);
}

function credentials(at: () => TokenPortal): Mistake[] {
  return [
    [
      'a secret of a public client',
      'token-credentials-of-public',
      () => ({ used: 'client_secret_post' }),
      () => at().send({ ...services, client_id: plainApp.clientId, client_secret: 'x' }),
    ],
    [
      'no credentials where they are needed',
      'token-credentials-missing',
      () => ({ registered: 'client_secret_basic, client_secret_post' }),
      () => at().send({ ...services, client_id: mixed.clientId }),
    ],
    [
      'a secret of a client that has none that is valid',
      'token-credentials-ended',
      () => ({ used: 'client_secret_post' }),
      () => at().send({ ...services, client_id: endedService.clientId, client_secret: 'x' }),
      'clientSecrets',
    ],
    [
      'a secret of a client of the security profile',
      'token-authentication-profile',
      () => ({ used: 'client_secret_basic' }),
      () => at().send(services, basicAuthorization(profileService.clientId, 'x')),
    ],
  ];
}

function messages(at: () => TokenPortal): Mistake[] {
  const whole = { ...services, client_id: mixed.clientId, client_secret: secret };
  const raw = (body: string, type: string) =>
    new Agent(at().portal.issuer).send('/connect/token', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
  return [
    [
      'a body in JSON',
      'token-body-type',
      () => ({ type: 'application/json' }),
      () => raw(JSON.stringify(whole), 'application/json'),
    ],
    ['a body of text', 'token-body-type', () => ({ type: 'text/plain' }), () => raw('grant_type=x', 'text/plain')],
    [
      'a body of several parts',
      'token-body-type',
      () => ({ type: 'multipart/form-data' }),
      () => raw('--x--', 'multipart/form-data; boundary=x'),
    ],
    [
      'its parameters in the address',
      'token-in-address',
      () => ({ parameters: 'grant_type, scope, client_id, client_secret' }),
      () => new Agent(at().portal.issuer).send(`/connect/token?${new URLSearchParams(whole)}`, { method: 'POST' }),
    ],
    [
      'no grant type',
      'token-parameter-missing',
      () => ({ parameter: 'grant_type', found: 'No parameter was sent that is named like it.' }),
      () => at().send({ client_id: mixed.clientId, client_secret: secret, scope: 'system/*.rs' }),
    ],
    [
      'its grant type under another name',
      'token-parameter-missing',
      () => ({ parameter: 'grant_type', found: 'grantType was sent, which is not the name of a parameter.' }),
      () => at().send({ client_id: mixed.clientId, client_secret: secret, grantType: 'client_credentials' }),
    ],
    [
      'an empty code',
      'token-parameter-missing',
      () => ({ parameter: 'code', found: 'code was sent without a value.' }),
      () =>
        at().send({
          grant_type: 'authorization_code',
          code: '',
          redirect_uri: redirectUri,
          client_id: plainApp.clientId,
        }),
    ],
    [
      'a parameter twice',
      'token-parameter-repeated',
      () => ({ parameters: 'scope' }),
      () => raw(`${new URLSearchParams(whole)}&scope=system/*.rs`, 'application/x-www-form-urlencoded'),
    ],
    [
      'an authorization request',
      'token-request-of-authorization',
      () => ({ parameters: 'response_type, redirect_uri', endpoint: `${at().portal.issuer}/connect/authorize` }),
      () => at().send({ response_type: 'code', redirect_uri: redirectUri, client_id: plainApp.clientId }),
    ],
    [
      'a page at another origin',
      'token-origin',
      () => ({ origin: 'https://elsewhere.test', registered: new URL(redirectUri).origin }),
      () =>
        at().send(
          { grant_type: 'refresh_token', refresh_token: 'r'.repeat(43), client_id: plainApp.clientId },
          { origin: 'https://elsewhere.test' },
        ),
      'redirectUris',
    ],
    [
      'a page without an origin',
      'token-origin-hidden',
      () => ({}),
      () =>
        at().send(
          { grant_type: 'refresh_token', refresh_token: 'r'.repeat(43), client_id: plainApp.clientId },
          { origin: 'null' },
        ),
    ],
    [
      'a page that uses a service',
      'token-origin-of-service',
      () => ({ origin: 'https://elsewhere.test' }),
      () => at().send(whole, { origin: 'https://elsewhere.test' }),
    ],
  ];
}

function assertions(at: () => TokenPortal): Mistake[] {
  return [
    [
      'an exp in milliseconds',
      'assertion-time',
      () => ({ claim: 'exp', fault: 'it is in milliseconds' }),
      () => at().assert({ claims: { exp: Date.now() + 60_000 } }),
    ],
    [
      'an exp that is a duration',
      'assertion-time',
      () => ({ claim: 'exp', sent: '300', fault: 'it is a duration and no time' }),
      () => at().assert({ claims: { exp: 300 } }),
    ],
    [
      'an exp that is a text',
      'assertion-time',
      () => ({ claim: 'exp', fault: 'it is a text and no number' }),
      () => at().assert({ claims: { exp: String(nowSeconds() + 60) as never } }),
    ],
    [
      'another sub',
      'assertion-issuer',
      () => ({ iss: service.clientId, sub: 'someone-else', clientId: service.clientId }),
      () => at().assert({ claims: { sub: 'someone-else' } }),
    ],
    [
      'a client id under a name that is almost right',
      'token-client-missing',
      () => ({ found: 'It has client-id, perhaps for client_id.' }),
      () => at().send({ ...services, 'client-id': 'x' }),
    ],
    [
      'an assertion under a name without client_',
      'token-client-missing',
      () => ({ found: 'It has assertion, perhaps for client_assertion.' }),
      () => at().send({ ...services, assertion: 'x.y.z' }),
    ],
    [
      'a number as jti',
      'assertion-jti-form',
      () => ({ sent: '7' }),
      () => at().assert({ claims: { jti: 7 as never } }),
    ],
    [
      'an access token in the Authorization header',
      'token-by-access-token',
      () => ({}),
      async () => {
        const answer = await at().send({ ...services, client_id: mixed.clientId, client_secret: secret });
        return at().send(services, { authorization: `Bearer ${answer.json().access_token}` });
      },
    ],
    [
      'an id_token in place of the code',
      'code-misplaced',
      () => ({ sent: 'id_token', parameter: 'code' }),
      async () => {
        const { id_token: code = '' } = await at().appFor(plainApp).tokens(people.patient);
        return at().send({
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          client_id: plainApp.clientId,
          code,
        });
      },
    ],
    [
      'a kid among the claims',
      'assertion-key-missing',
      () => ({ found: 'It is among the claims, and belongs into the header.' }),
      () => at().assert({ header: { kid: undefined }, claims: { kid: 'current-key' } }),
    ],
    [
      'an address of keys that is not registered',
      'assertion-header',
      () => ({ member: 'jku' }),
      () => at().assert({ header: { jku: 'https://elsewhere.test/keys' } }),
    ],
    [
      'a key that its published set does not have',
      'assertion-key-not-published',
      () => ({
        kid: 'current-key',
        host: at().keyHost,
        read: 'published-key (EC P-384 for ES384)',
        passed: 'encryption-key (its use is not sig), without kid (The key needs a "kid" that names it)',
      }),
      () => at().assert({ clientId: 'published-keys' }),
      'clientSecrets',
    ],
    [
      'a key of its published set that cannot be used',
      'assertion-key-passed-over',
      () => ({ kid: 'encryption-key', reason: 'its use is not sig' }),
      () => at().assert({ clientId: 'published-keys', header: { kid: 'encryption-key' } }),
    ],
  ];
}
