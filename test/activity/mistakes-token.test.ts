/**
 * Mistakes of codes, refresh tokens and DPoP proofs at the token endpoint: each is made over HTTP and found in its
 * launch, with what differs.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { tokenGrantTypesOf } from '../../src/contract/rules/client-values.js';
import type { Tokens } from '../support/apps/smart-app.js';
import { nowSeconds } from '../support/clients/assertions.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import { redirectUri } from '../support/clients/clients.js';
import type { Answer } from '../support/http/agent.js';
import { challengeFaults } from '../support/mistakes/challenges.js';
import {
  appOfKind,
  dpopApp,
  noPkceApp,
  plainApp,
  startTokenPortal,
  type TokenPortal,
} from '../support/mistakes/token-mistakes.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { itInTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

let at: TokenPortal;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  at = await startTokenPortal();
});
afterAll(() => at.close());

describe.each(clientKinds)('At the launch of a client ($name)', (kind) => {
  const inTurn = itInTurn(kind.number);
  const start = () =>
    kind.app(at.portal, appOfKind(kind), { scope: 'openid launch/patient patient/*.rs offline_access' });

  inTurn('a code that was exchanged before is code-used, with what it ended', async () => {
    const app = start();
    const code = await at.codeOf(app);
    await app.exchange(code);
    const launch = await at.expectCause(await app.exchange(code), 'code-used', {
      ended: 'the access that it gave was ended',
    });
    expect(launch).toMatchObject({ kind: 'launch', outcome: 'refused', cause: 'code-used' });
    expect(Object.keys(launch?.entries ?? {})).toContain('tokens-issued');
  });

  inTurn('a code that has expired is code-expired, with the seconds', async () => {
    const app = start();
    const code = await at.codeOf(app);
    await at.portal.query(
      "UPDATE oidc_record SET expires_at = expires_at - interval '100 seconds' WHERE model = 'AuthorizationCode'",
    );
    const answer = await app.exchange(code);
    const seconds = expect.any(Number);
    const launch = await at.expectCause(answer, 'code-expired', { seconds });
    expect(Math.abs(Number(launch?.entries['code-expired']?.detail.seconds) - 40)).toBeLessThan(20);
    expect(launch?.kind).toBe('launch');
  });

  inTurn('another redirect URI is code-redirect-uri, with both, and without the values of its query', async () => {
    const app = start();
    const answer = await app.exchange(await at.codeOf(app), { redirect_uri: `${redirectUri}/?tenant=hidden` });
    const detail = { sent: `${redirectUri}/?tenant=…`, expected: redirectUri };
    await at.expectCause(answer, 'code-redirect-uri', detail);
  });

  inTurn('another verifier is code-verifier-wrong', async () => {
    const app = start();
    const other = randomBytes(32).toString('base64url');
    await at.expectCause(await app.exchange(await at.codeOf(app), { code_verifier: other }), 'code-verifier-wrong', {});
  });

  inTurn('a refresh token that was used long ago is refresh-token-used, with what it ended', async () => {
    const app = start();
    const tokens = (await app.exchange(await at.codeOf(app))).json<Tokens>();
    await app.refresh(tokens.refresh_token ?? '');
    await at.portal.query("UPDATE refresh_answer SET expires_at = now() - interval '1 second'");
    const answer = await app.refresh(tokens.refresh_token ?? '');
    const launch = await at.expectCause(answer, 'refresh-token-used', { ended: 'the access that it gave was ended' });
    expect(launch?.kind).toBe('launch');
  });
});

const proofKey = await generateKeyPair('ES256', { extractable: true });
const otherProofKey = await generateKeyPair('ES256', { extractable: true });
interface ProofChanges {
  claims?: Record<string, unknown>;
  by?: typeof proofKey;
  typ?: string;
}
async function proof({ claims = {}, by = proofKey, typ = 'dpop+jwt' }: ProofChanges = {}): Promise<{ dpop: string }> {
  const payload = { htm: 'POST', htu: at.endpoint, jti: randomUUID(), iat: nowSeconds(), ...claims };
  const jwk = await exportJWK(by.publicKey);
  return {
    dpop: await new SignJWT(payload as never).setProtectedHeader({ alg: 'ES256', typ, jwk }).sign(by.privateKey),
  };
}

async function exchange(client: { clientId: string }, form: Record<string, string>, headers = {}, parameters = {}) {
  const app = at.appFor(client, parameters);
  const code = await at.codeOf(app);
  const whole = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
  const sent = Object.entries({ client_id: client.clientId, ...whole, ...form }).filter(([, value]) => value !== '');
  return at.send(Object.fromEntries(sent), headers);
}

/** The mistake, its cause, the values that differ, the request, and the field to change. */
type Mistake = [string, CauseCode, () => object, () => Promise<Answer>, string?];
const mistakes: Mistake[] = [
  ['a code that was never issued', 'code-unknown', () => ({}), () => exchange(plainApp, { code: 'a'.repeat(43) })],
  [
    'a code of another client',
    'code-of-other-client',
    () => ({ other: plainApp.clientId, clientId: dpopApp.clientId }),
    async () => exchange(plainApp, { client_id: dpopApp.clientId }, await proof()),
  ],
  ['no verifier', 'code-verifier-missing', () => ({}), () => exchange(plainApp, { code_verifier: '' })],
  [
    'a verifier with a plus sign',
    'code-verifier-malformed',
    () => ({ fault: 'it has + in it' }),
    () => exchange(plainApp, { code_verifier: `${'a'.repeat(45)}+` }),
  ],
  [
    'a grant type in other letters',
    'token-grant-type-unknown',
    () => ({ hint: 'It is like authorization_code.' }),
    () => exchange(plainApp, { grant_type: 'Authorization_Code' }),
  ],
  [
    'a verifier without a challenge',
    'code-verifier-unexpected',
    () => ({}),
    () =>
      exchange(
        noPkceApp,
        { client_secret: 'the-current-secret-of-the-service' },
        {},
        {
          code_challenge: undefined,
          code_challenge_method: undefined,
        },
      ),
  ],
  [
    'no redirect URI',
    'token-parameter-missing',
    () => ({
      parameter: 'redirect_uri',
      advice: 'redirect_uri: the same as in its authorization request',
      sent: 'client_id, grant_type, code, code_verifier',
    }),
    () => exchange(plainApp, { redirect_uri: '' }),
  ],
  [
    'a redirect URI under another name',
    'token-parameter-missing',
    () => ({ parameter: 'redirect_uri', found: 'redirectUri was sent, which is not the name of a parameter.' }),
    () => exchange(plainApp, { redirect_uri: '', redirectUri }),
  ],
  [
    'a redirect URI with a space at its end',
    'code-redirect-uri',
    () => ({ expected: redirectUri, difference: 'it has a space at its end' }),
    () => exchange(plainApp, { redirect_uri: `${redirectUri} ` }),
  ],
  ...(
    [
      ['percent-encoded', (code: string) => encodeURIComponent(`${code}\n`), 'percent-encoded'],
      ['with a line break', (code: string) => `${code}\n`, 'it has a line break at its end'],
      ['in quotes', (code: string) => `"${code}"`, 'it stands between " and "'],
    ] as const
  ).map(
    ([name, damage, words]): Mistake => [
      `a code ${name}`,
      'code-damaged',
      () => ({ damage: expect.stringContaining(words) }),
      async () => {
        const app = at.appFor(plainApp);
        const code = damage(await at.codeOf(app));
        return app.exchange(code);
      },
    ],
  ),
  [
    'a refresh token with a zero-width space',
    'refresh-token-damaged',
    () => ({ damage: expect.stringContaining('U+200B') }),
    async () => {
      const app = at.appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      return app.refresh(`${token}\u200B`);
    },
  ],
  [
    'an access token in place of the refresh token',
    'code-misplaced',
    () => ({ sent: 'access token', parameter: 'refresh_token' }),
    async () => {
      const app = at.appFor(plainApp);
      return app.refresh((await app.tokens(people.patient)).access_token);
    },
  ],
  [
    'a refresh token in place of the code',
    'code-misplaced',
    () => ({ sent: 'refresh token', parameter: 'code' }),
    async () => {
      const { refresh_token: token = '' } = await at.appFor(plainApp).tokens(people.patient);
      return exchange(plainApp, { code: token });
    },
  ],
  ...challengeFaults.map(
    ([name, challenge, hint]): Mistake => [
      `as its challenge ${name}`,
      'code-verifier-wrong',
      () => ({ hint: expect.stringMatching(hint) }),
      () => {
        const verifier = randomBytes(32).toString('base64url');
        return exchange(plainApp, { code_verifier: verifier }, {}, { code_challenge: challenge(verifier) });
      },
    ],
  ),
  [
    'a grant type of others',
    'token-grant-type',
    () => ({ used: 'client_credentials', registered: tokenGrantTypesOf(['authorization_code']).join(', ') }),
    () => exchange(plainApp, { grant_type: 'client_credentials' }),
  ],
  [
    'a grant type that does not exist',
    'token-grant-type-unknown',
    () => ({ used: 'password', registered: tokenGrantTypesOf(['authorization_code']).join(', ') }),
    () => exchange(plainApp, { grant_type: 'password' }),
  ],
  ['no DPoP proof', 'dpop-missing', () => ({}), () => exchange(dpopApp, {}), 'requireDpop'],
  [
    'a DPoP proof that is old',
    'dpop-time',
    () => ({ seconds: expect.closeTo(1000, -1), direction: 'old', allowed: 300 }),
    async () => exchange(dpopApp, {}, await proof({ claims: { iat: nowSeconds() - 1000 } })),
  ],
  [
    'a DPoP proof of a clock that is ahead',
    'dpop-time',
    () => ({ direction: 'in the future' }),
    async () => exchange(dpopApp, {}, await proof({ claims: { iat: nowSeconds() + 1000 } })),
  ],
  [
    'a DPoP proof for another address',
    'dpop-target',
    () => ({ claim: 'htu', sent: 'https://elsewhere.test/token', expected: at.endpoint }),
    async () => exchange(dpopApp, {}, await proof({ claims: { htu: 'https://elsewhere.test/token?x=hidden' } })),
  ],
  [
    'a DPoP proof for another method',
    'dpop-target',
    () => ({ claim: 'htm', sent: 'GET', expected: 'POST' }),
    async () => exchange(dpopApp, {}, await proof({ claims: { htm: 'GET' } })),
  ],
  [
    'a DPoP proof in the body',
    'dpop-missing',
    () => ({ found: expect.stringContaining('in the body') }),
    async () => exchange(dpopApp, await proof()),
    'requireDpop',
  ],
  [
    'a DPoP proof of another type',
    'dpop-type',
    () => ({ reason: 'its typ is JWT, and not dpop+jwt' }),
    async () => exchange(dpopApp, {}, await proof({ typ: 'JWT' })),
  ],
  [
    'a DPoP proof with milliseconds',
    'dpop-unit',
    () => ({ reason: expect.stringMatching(/^its iat is \d{13}: it is in milliseconds$/) }),
    async () => exchange(dpopApp, {}, await proof({ claims: { iat: Date.now() } })),
  ],
  ...(
    [
      ['without jti', { jti: undefined }, 'it has no jti'],
      ['without htu', { htu: undefined }, 'it has no htu'],
      ['with a number as jti', { jti: 7 }, 'its jti is not a text'],
    ] as const
  ).map(
    ([name, claims, reason]): Mistake => [
      `a DPoP proof ${name}`,
      'dpop-unreadable',
      () => ({ reason }),
      async () => exchange(dpopApp, {}, await proof({ claims })),
    ],
  ),
  [
    'a DPoP proof whose signature was changed',
    'dpop-unreadable',
    () => ({ reason: 'its signature does not fit the key in its jwk' }),
    async () => {
      const { dpop } = await proof();
      return exchange(dpopApp, {}, { dpop: `${dpop.slice(0, -20)}${'A'.repeat(20)}` });
    },
  ],
  [
    'a DPoP proof that was used before',
    'dpop-replayed',
    () => ({}),
    async () => {
      const used = await proof();
      expect((await exchange(dpopApp, {}, used)).status).toBe(200);
      return exchange(dpopApp, {}, used);
    },
  ],
  [
    'a DPoP proof by another key than announced',
    'dpop-key',
    () => ({ what: 'code' }),
    async () => {
      const { x, y, crv, kty } = await exportJWK(otherProofKey.publicKey);
      const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
      return exchange(dpopApp, {}, await proof(), { dpop_jkt: thumbprint });
    },
  ],
  [
    'a refresh token that was never issued',
    'refresh-token-unknown',
    () => ({}),
    () => at.send({ grant_type: 'refresh_token', client_id: plainApp.clientId, refresh_token: 'r'.repeat(43) }),
  ],
  [
    'a refresh token that has expired',
    'refresh-token-expired',
    () => ({ seconds: expect.closeTo(30, -1) }),
    async () => {
      const app = at.appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      await at.portal.query(
        "UPDATE oidc_record SET expires_at = now() - interval '30 seconds' WHERE model = 'RefreshToken'",
      );
      return app.refresh(token);
    },
    'refreshTokenLifetime',
  ],
  [
    'a refresh token of another client',
    'refresh-token-of-other-client',
    () => ({ clientId: dpopApp.clientId }),
    async () => {
      const { refresh_token: token = '' } = await at.appFor(plainApp).tokens(people.patient);
      const form = { grant_type: 'refresh_token', client_id: dpopApp.clientId, refresh_token: token };
      return at.send(form, await proof());
    },
  ],
  [
    'a refresh token whose grant has ended',
    'grant-ended',
    () => ({ what: 'refresh token' }),
    async () => {
      const app = at.appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      await at.portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Grant'");
      return app.refresh(token);
    },
  ],
  [
    'a refresh for another resource',
    'token-resource',
    () => ({ sent: 'https://elsewhere.example/r4', granted: at.portal.fhirBase }),
    async () => {
      const app = at.appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      return app.refresh(token, { resource: 'https://elsewhere.example/r4' });
    },
  ],
  [
    'a refresh for more than was granted',
    'refresh-scope',
    () => ({ scope: 'user/*.cruds' }),
    async () => {
      const app = at.appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      return app.refresh(token, { scope: 'user/*.cruds' });
    },
  ],
];

describe('A token request is explained', () => {
  it.each(mistakes)('with %s: %s', async (_, code, detail, make, ...[field]) => {
    const answer = await make();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await at.expectCause(answer, code, detail(), field);
  });
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(at.portal, 'token'));
