import { mock } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { type JwtAccessToken, VerifiedTokens } from '../../../src/oidc/engine/tokens/verified-tokens.js';

const issuer = 'https://portal.example';
const start = new Date('2026-01-01T12:00:00Z');
const seconds = (after = 0) => start.getTime() / 1000 + after;
let first: JWK;
let second: JWK;
let tokens: VerifiedTokens;

const keyOf = async (alg: string, kid: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
};

function signed(claims: Record<string, unknown> = {}, header: Partial<JWTHeaderParameters> = {}, key = first) {
  const named = { alg: String(key.alg), typ: 'at+jwt', kid: String(key.kid), ...header };
  const content = { jti: 't1', client_id: 'app', aud: `${issuer}/fhir`, iat: seconds(), exp: seconds(300), ...claims };
  return new SignJWT({ iss: issuer, ...content }).setProtectedHeader(named).sign(key);
}

beforeAll(async () => {
  [first, second] = await Promise.all([keyOf('ES256', 'first'), keyOf('ES256', 'second')]);
});

beforeEach(() => {
  mock.timers.enable({ apis: ['Date'], now: start });
  tokens = new VerifiedTokens(issuer);
  tokens.useKeys([first, second]);
});

afterEach(() => mock.timers.reset());

describe('An access token of the portal', () => {
  test.each(['ES256', 'ES384', 'RS256', 'RS384'])('signed with %s is found, with its content', async (alg) => {
    const key = await keyOf(alg, alg);
    tokens.useKeys([key]);
    const claims = { sub: 'user', grant: 'g1', scope: 'patient/*.rs', cnf: { jkt: 'thumbprint' }, patient: '1' };
    expect(tokens.findByValue(await signed(claims, {}, key), 0)).toEqual({
      jti: 't1',
      clientId: 'app',
      accountId: 'user',
      grantId: 'g1',
      scope: 'patient/*.rs',
      aud: `${issuer}/fhir`,
      iat: seconds(),
      exp: seconds(300),
      jkt: 'thumbprint',
      extra: { patient: '1' },
    });
  });

  test.each<[string, Record<string, unknown>, Partial<JWTHeaderParameters>]>([
    ['of another issuer', { iss: 'https://other.example' }, {}],
    ['of no issuer', { iss: undefined }, {}],
    ['that is an id_token', {}, { typ: 'JWT' }],
    ['without a type', {}, { typ: undefined }],
    ['without an id', { jti: undefined }, {}],
    ['without a client', { client_id: undefined }, {}],
    ['without an audience', { aud: undefined }, {}],
    ['of two audiences', { aud: ['a', 'b'] }, {}],
    ['without a time', { iat: undefined }, {}],
    ['without an end', { exp: undefined }, {}],
    ['without a key id', {}, { kid: undefined }],
    ['of the key id of another key', {}, { kid: 'second' }],
  ])('%s is not found', async (_what, claims, header) => {
    expect(tokens.findByValue(await signed(claims, header), 0)).toBeUndefined();
  });

  test('with another algorithm than that of its key is not found', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, payload, signature] = (await signed()).split('.');
    for (const alg of ['none', 'HS256', 'RS256', 'ES384']) {
      const header = encode({ alg, typ: 'at+jwt', kid: 'first' });
      for (const end of [signature, '', 'AAAA'])
        expect(tokens.findByValue(`${header}.${payload}.${end}`, 0)).toBeUndefined();
    }
  });

  test('with a header or payload that is not JSON is not found, and names no key', () => {
    const text = (value: string) => Buffer.from(value).toString('base64url');
    for (const header of ['x', 'null', '1', '{"typ":"JWT","alg":"ES256","kid":"first"}']) {
      const token = `${text(header)}.${text('x')}.${text('x')}`;
      expect([tokens.findByValue(token, 0), tokens.namesUnknownKey(token)]).toEqual([undefined, false]);
    }
  });

  test('reports whether its key is unknown to this node', async () => {
    const third = await keyOf('ES256', 'third');
    expect(tokens.namesUnknownKey(await signed())).toBe(false);
    expect(tokens.namesUnknownKey(await signed({}, {}, third))).toBe(true);
  });
});

describe('An access token that was verified before', () => {
  test('is remembered', async () => {
    const token = await signed();
    expect(tokens.findByValue(token, 0)).toBe(tokens.findByValue(token, 0));
  });

  test('is not found after its key was removed, while tokens of other keys are', async () => {
    const [gone, kept] = await Promise.all([signed(), signed({}, {}, second)]);
    expect([tokens.findByValue(gone, 0), tokens.findByValue(kept, 0)]).not.toContain(undefined);
    tokens.useKeys([second]);
    expect(tokens.findByValue(gone, 0)).toBeUndefined();
    expect(tokens.findByValue(kept, 0)).toBeDefined();
  });

  test('is not found after another key has taken the id of its key', async () => {
    const token = await signed();
    expect(tokens.findByValue(token, 0)).toBeDefined();
    tokens.useKeys([{ ...second, kid: first.kid }]);
    expect(tokens.findByValue(token, 0)).toBeUndefined();
  });

  test('is not found after its expiry, with the tolerance of each use', async () => {
    const token = await signed();
    expect(tokens.findByValue(token, 0)).toBeDefined();
    mock.timers.setTime(seconds(300) * 1000);
    expect(tokens.findByValue(token, 0)).toBeUndefined();
    expect(tokens.findByValue(token, 300)).toBeDefined();
    expect(tokens.findByValue(token, 0)).toBeUndefined();
    mock.timers.setTime(seconds(600) * 1000);
    expect(tokens.findByValue(token, 300)).toBeUndefined();
  });

  test('is not found before its start time, also when a clock was set back', async () => {
    const token = await signed({ nbf: seconds(100) });
    expect(tokens.findByValue(token, 0)).toBeUndefined();
    mock.timers.setTime(seconds(85) * 1000);
    expect(tokens.findByValue(token, 0)).toBeDefined();
    mock.timers.setTime(seconds(84) * 1000);
    for (const grace of [0, 300]) expect(tokens.findByValue(token, grace)).toBeUndefined();
  });

  test('does not make a token valid that differs in one part', async () => {
    const [one, other] = await Promise.all([signed(), signed({ jti: 't2', scope: 'system/*.cruds' })]);
    expect(tokens.findByValue(one, 0)?.jti).toBe('t1');
    expect(tokens.findByValue(other, 0)?.jti).toBe('t2');
    const [parts, others] = [one.split('.'), other.split('.')];
    for (const index of [1, 2]) {
      const mixed = parts.map((part, at) => (at === index ? others[at] : part)).join('.');
      expect(tokens.findByValue(mixed, 0)).toBeUndefined();
    }
    for (const end of ['A', '=', '.', ' ', '\0']) expect(tokens.findByValue(one + end, 0)).toBeUndefined();
    expect(tokens.findByValue(one.slice(0, -1), 0)).toBeUndefined();
  });

  test('cannot be changed by a caller that has read it', async () => {
    const found = tokens.findByValue(
      await signed({ fhirContext: [{ reference: 'Encounter/1' }] }),
      0,
    ) as JwtAccessToken;
    expect(() => Object.assign(found, { scope: 'system/*.cruds' })).toThrow(TypeError);
    expect(() => Object.assign(found.extra, { patient: '2' })).toThrow(TypeError);
    expect(() => (found.extra.fhirContext as object[]).push({})).toThrow(TypeError);
  });
});
