import { generateKeyPairSync } from 'node:crypto';
import { ClientSecret, unusableKeyProblem } from '../../src/clients/domain/client-secret.js';
import type { ClientSecretForm } from '../../src/contract/clients/clients.js';
import { textOf } from '../support/messages.js';

const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'one' };
const key: ClientSecretForm = { secretType: 'JWK', secret: JSON.stringify(jwk) };
const expires = '2026-03-01T10:00:00.000Z';
const shared: ClientSecretForm = { secretType: 'SharedSecret', secret: 'correct horse', description: 'first', expires };
const create = (form: ClientSecretForm) =>
  ClientSecret.create(form, { id: 'secret-1', position: 2, hash: (secret) => `hash of '${secret}'` });
const nothing = { secretHash: null, jwk: null, url: null, description: null, expiresAt: null, lastUsedAt: null };

describe('a credential of a client', () => {
  it('is stored as a hash when it is a shared secret', () => {
    expect(create(shared)).toEqual({
      ...nothing,
      id: 'secret-1',
      position: 2,
      secretType: 'SharedSecret',
      secretHash: "hash of 'correct horse'",
      description: 'first',
      expiresAt: new Date(expires),
    });
    expect(create({ secretType: 'SharedSecret' }).secretHash).toBe("hash of ''");
    // A shared secret is not parsed as a key, even if it looks like one.
    expect(create({ ...key, secretType: 'SharedSecret' }).jwk).toBeNull();
  });

  it('is stored as a key, or as a JWKS URL', () => {
    expect(create(key)).toEqual({ ...nothing, id: 'secret-1', position: 2, secretType: 'JWK', jwk });
    const url = 'https://app.example/keys';
    expect(create({ secretType: 'JWK', secretUrl: url })).toEqual({
      ...nothing,
      id: 'secret-1',
      position: 2,
      secretType: 'JWK',
      url,
    });
    expect(create({ ...key, secretUrl: url }).jwk).toBeNull();
    expect(create({ secretType: 'JWK' }).jwk).toBeNull();
  });

  it('is valid until before its expiry', () => {
    const end = Date.parse(expires);
    expect([end - 1, end, end + 1].map((time) => create(shared).isLive(new Date(time)))).toEqual([true, false, false]);
    expect(create(key).isLive(new Date(end))).toBe(true);
  });

  it('is returned without the value of a shared secret', () => {
    expect(create(shared).form()).toEqual({
      id: 'secret-1',
      secretType: 'SharedSecret',
      secret: null,
      secretUrl: null,
      description: 'first',
      expires,
    });
    expect(create(key).form()).toMatchObject({ secret: JSON.stringify(create(key).jwk), expires: null });
  });

  it('keeps its value and its last use when its description, expiry or position changes', () => {
    const lastUsedAt = new Date('2026-02-01T00:00:00Z');
    const used = Object.assign(create(shared), { lastUsedAt });
    const changed = used.change({ ...shared, secret: 'another', description: 'second', expires: null }, 0);
    expect(changed).toEqual({ ...used, position: 0, description: 'second', expiresAt: null });
    expect(changed.secretHash).toBe("hash of 'correct horse'");
    expect(changed).toBeInstanceOf(ClientSecret);
  });
});

describe('the problem of a key', () => {
  it('does not exist for a key that can verify signatures', () => {
    expect(unusableKeyProblem(key)).toBeUndefined();
  });

  it('does not exist for a value that is not a key', () => {
    expect(unusableKeyProblem({ ...shared, secret: 'x' })).toBeUndefined();
    expect(unusableKeyProblem({ ...key, secret: 'x', secretUrl: 'https://app.example/keys' })).toBeUndefined();
  });

  it.each([
    ['no JSON', 'x', 'Please enter a valid value'],
    ['no value', null, 'Field is required'],
    ['a point off the curve', JSON.stringify({ ...jwk, x: jwk.y }), 'Please enter a valid value'],
    ['no kid', JSON.stringify({ ...jwk, kid: undefined }), 'The key needs a "kid" that names it'],
  ])('is reported for %s', (_, secret, message) => {
    expect(textOf(unusableKeyProblem({ secretType: 'JWK', secret }))).toBe(message);
  });
});
