import { generateKeyPairSync } from 'node:crypto';
import { Client, type ClientContext, clientsChanged } from '../../src/clients/domain/client.js';
import type { ClientRequest, ClientSecretForm } from '../../src/contract/clients/clients.js';
import type { Problem } from '../../src/platform/errors.js';

const publicKey = (kid: string) =>
  JSON.stringify({
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
    kid,
  });
const [oneKey, otherKey] = [publicKey('one'), publicKey('other')];
const jwksUrl = 'https://app.example/keys';
const now = new Date('2026-03-01T10:00:00Z');
const later = new Date('2026-03-02T10:00:00Z');

let ids = 0;
beforeEach(() => {
  ids = 0;
});
const context: ClientContext = {
  environment: {
    identityProviders: [],
    externalLoginRestricted: false,
    operationScopesLoaded: true,
    served: undefined,
    resourceTypeGroups: [],
  },
  now,
  newId: () => `id-${++ids}`,
  hash: (secret) => `hash of ${secret}`,
};
const laterContext = { ...context, now: later };

const shared: ClientSecretForm = { secretType: 'SharedSecret', secret: 'correct horse', description: 'first' };
const key: ClientSecretForm = { secretType: 'JWK', secret: oneKey };
const url: ClientSecretForm = { secretType: 'JWK', secretUrl: jwksUrl };
const request = {
  clientId: 'night-export',
  clientName: 'Night Export',
  clientType: 'BackendService',
  clientSecrets: [shared],
} as ClientRequest;

const register = (change: object = {}) => Client.register({ ...request, ...change } as ClientRequest, context);
const change = (client: Client, asked: object) => client.change(asked as ClientRequest, laterContext);
/** A client with members that an earlier version may have stored. */
const stored = (client: Client, members: object): Client =>
  Object.assign(Object.create(Client.prototype), { ...client, ...members });

function problemOf(act: () => unknown): Problem | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}
const refusalOf = (act: () => unknown) => problemOf(act)?.body().errors;

describe('a client', () => {
  it('has version 1 at first, and its secrets as hashes', () => {
    const client = register();
    expect(client).toMatchObject({
      clientId: 'night-export',
      enabled: true,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    expect(client.secrets.map(({ secretHash, position }) => [secretHash, position])).toEqual([
      ['hash of correct horse', 0],
    ]);
    expect(JSON.stringify(client.change({}, laterContext))).not.toContain('"correct horse"');
    expect(new Set([client.id, ...client.secrets.map(({ id }) => id)]).size).toBe(2);
  });

  it('gets the next version by a change, and keeps its id, creation time and secrets', () => {
    const before = register();
    const after = change(before, {
      clientName: 'Export',
      clientSecrets: [{ ...shared, secret: null, id: before.secrets[0]?.id }],
    });
    expect(after).toMatchObject({ id: before.id, version: 2, createdAt: now, updatedAt: later, clientName: 'Export' });
    expect(after.secrets).toEqual(before.secrets);
    expect(before).toMatchObject({ version: 1, clientName: 'Night Export', updatedAt: now });
  });

  it('keeps fields that a change leaves out, and has the default for fields sent as null', () => {
    const before = register({ description: 'Exports at night', accessTokenLifetime: '00:10:00' });
    expect(change(before, {}).settings).toEqual(before.settings);
    expect(change(before, { description: null, accessTokenLifetime: null }).settings).toMatchObject({
      description: '',
      accessTokenLifetime: '01:00:00',
    });
  });

  it('is refused without a type when it is created', () => {
    expect(refusalOf(() => register({ clientType: undefined }))?.map(({ field }) => field)).toContain('clientType');
  });

  it('is announced to every node on a channel whose name stays the same between versions', () => {
    expect(clientsChanged).toBe('gatehouse_clients');
  });

  it('that is disabled keeps its other values, also those that a rule would refuse', () => {
    const invalid = stored(register(), { clientType: 'Invalid', clientName: '' });
    expect(invalid.disable(later)).toEqual({ ...invalid, enabled: false, version: 2, updatedAt: later });
  });
});

describe('a step of a client that is no change of its form', () => {
  const next = { version: 2, updatedAt: later };
  const ofClient = register({ clientSecrets: [shared, key, url] });
  const [first, second, third] = ofClient.secrets;

  it('enables it again, also where a rule would refuse its other values', () => {
    const invalid = stored(register(), { clientType: 'Invalid', clientName: '', enabled: false });
    expect(invalid.enable(later)).toEqual({ ...invalid, ...next, enabled: true });
    expect(invalid.enable(later)).toBeInstanceOf(Client);
  });

  it('counts a change of its tags, and several steps as one', () => {
    expect(ofClient.withOtherTags(later)).toEqual({ ...ofClient, ...next });
    expect(ofClient.withOtherTags(later).enable(later).ofVersion(2)).toEqual({ ...ofClient, ...next });
  });

  it('adds a secret behind the others', () => {
    const more = { secretType: 'SharedSecret', secret: 'battery staple', description: 'new' } as const;
    const added = ofClient.withSecret(more, { ...context, now: later, newId: () => 'another' });
    expect(added).toEqual({
      ...ofClient,
      ...next,
      secrets: [first, second, third, expect.objectContaining({ id: 'another', position: 3, description: 'new' })],
    });
    expect(added.secrets[3]?.secretHash).toBe('hash of battery staple');
    const gap = stored(ofClient, {
      secrets: [Object.assign(Object.create(second ?? null), second, { position: 7 }), first],
    });
    expect(gap.withSecret(more, context).secrets.map(({ position }) => position)).toEqual([7, 0, 8]);
    expect(stored(ofClient, { secrets: [] }).withSecret(more, context).secrets[0]?.position).toBe(0);
  });

  it('removes a secret, or changes its end, and no other one', () => {
    expect(ofClient.withoutSecret(second?.id ?? '', later)).toEqual({ ...ofClient, ...next, secrets: [first, third] });
    const ended = ofClient.withSecretEnd(second?.id ?? '', later, later);
    expect(ended).toEqual({ ...ofClient, ...next, secrets: [first, { ...second, expiresAt: later }, third] });
    expect(ended.withSecretEnd(second?.id ?? '', null, later).secrets).toEqual(ofClient.secrets);
  });
});

describe('a change to an older version of a client', () => {
  const message =
    'The client was changed by another administrator in the meantime. Please refresh the page and try again.';

  it('is a conflict that names the fields with both values, and no shared secret', () => {
    const client = stored(register({ clientSecrets: [shared, key] }), { version: 3 });
    const [first, second] = client.secrets;
    const asked = {
      version: 2,
      clientName: 'Export',
      clientSecrets: [
        { id: first?.id, secretType: 'SharedSecret', secret: 'a new secret', expires: '2026-04-01T02:00:00+02:00' },
        { id: second?.id, secretType: 'JWK', description: 'key' },
      ],
    };
    const problem = problemOf(() => change(client, asked));
    expect([problem?.kind, problem?.message]).toEqual(['conflict', message]);
    expect(problem?.options.conflict).toEqual({
      version: 3,
      differences: [
        { field: 'clientName', stored: 'Night Export', sent: 'Export' },
        {
          field: 'clientSecrets',
          stored: [
            {
              id: first?.id,
              secretType: 'SharedSecret',
              secret: null,
              secretUrl: null,
              description: 'first',
              expires: null,
            },
            {
              id: second?.id,
              secretType: 'JWK',
              secret: second?.form().secret,
              secretUrl: null,
              description: null,
              expires: null,
            },
          ],
          sent: [
            {
              id: first?.id,
              secretType: 'SharedSecret',
              secret: null,
              secretUrl: null,
              description: null,
              expires: '2026-04-01T00:00:00.000Z',
            },
            {
              id: second?.id,
              secretType: 'JWK',
              secret: second?.form().secret,
              secretUrl: null,
              description: 'key',
              expires: null,
            },
          ],
        },
      ],
    });
  });

  it('shows an invalid expiry, and a new secret without an id, as they were sent', () => {
    const client = register();
    const asked = { version: 0, clientSecrets: [{ secretType: 'JWK', secretUrl: jwksUrl, expires: 'soon' }] };
    const [difference] = problemOf(() => change(client, asked))?.options.conflict?.differences ?? [];
    expect(difference?.sent).toEqual([
      { id: null, secretType: 'JWK', secret: null, secretUrl: jwksUrl, description: null, expires: 'soon' },
    ]);
  });

  it('is accepted with the current version, with none, and with null', () => {
    for (const version of [1, undefined, null]) expect(change(register(), { version }).version).toBe(2);
  });
});

describe('the settings of a client that are fixed after creation', () => {
  const locked = 'This setting cannot be changed after creation';

  it('are its type, and whether it has secrets', () => {
    const client = register();
    expect(refusalOf(() => change(client, { clientType: 'ManagementApi', requireClientSecret: false }))).toEqual([
      { field: 'clientType', messages: [locked] },
      { field: 'requireClientSecret', messages: [locked] },
    ]);
    expect(problemOf(() => change(client, { clientType: 'ManagementApi' }))?.kind).toBe('invalid');
  });

  it('can be chosen for a client whose type is Invalid', () => {
    const invalid = stored(register(), { clientType: 'Invalid' });
    const chosen = change(invalid, { clientType: 'StandaloneApp', redirectUris: ['https://app.example/'] });
    expect(chosen).toMatchObject({ clientType: 'StandaloneApp', version: 2 });
    expect(chosen.settings.allowedGrantTypes).toEqual(['authorization_code']);
    const without = { clientType: 'StandaloneApp', redirectUris: ['https://app.example/'], requireClientSecret: false };
    expect(change(invalid, without).settings.requireClientSecret).toBe(false);
    expect(refusalOf(() => change(invalid, {}))?.map(({ field }) => field)).toContain('clientType');
  });

  it('permit removing the last secret of an app later, and not at first', () => {
    expect(change(register(), { clientSecrets: [] }).secrets).toEqual([]);
    expect(refusalOf(() => register({ clientSecrets: [] }))).toEqual([
      { field: 'clientSecrets', messages: ['Please provide at least one Client Secret'] },
    ]);
    const invalid = stored(register(), { clientType: 'Invalid', secrets: [] });
    expect(refusalOf(() => change(invalid, { clientType: 'BackendService' }))).toEqual([
      { field: 'clientSecrets', messages: ['Please provide at least one Client Secret'] },
    ]);
  });
});

describe('the secrets of a client', () => {
  const gone = 'This secret no longer exists';

  it('with a known id are kept, and the others are new', () => {
    const before = register({ clientSecrets: [shared, key, url] });
    const [first, second, third] = before.secrets;
    const after = change(before, {
      clientSecrets: [
        { id: third?.id, secretType: 'JWK' },
        { id: second?.id, secretType: 'JWK', description: 'renamed' },
        { secretType: 'SharedSecret', secret: 'battery staple' },
        { id: first?.id, secretType: 'SharedSecret', description: 'first' },
      ],
    });
    expect(after.secrets.map(({ id, position }) => [id, position])).toEqual([
      [third?.id, 0],
      [second?.id, 1],
      [expect.stringMatching(/^id-\d+$/), 2],
      [first?.id, 3],
    ]);
    expect(after.secrets.map(({ secretHash }) => secretHash)).toEqual([
      null,
      null,
      'hash of battery staple',
      'hash of correct horse',
    ]);
    expect(after.secrets[0]).toMatchObject({ url: jwksUrl, jwk: null });
    expect(after.secrets[1]).toMatchObject({ jwk: second?.jwk, description: 'renamed', url: null });
    expect(before.secrets.map(({ id }) => id)).not.toContain(after.secrets[2]?.id);
  });

  it('can get another key or JWKS URL', () => {
    const before = register({ clientSecrets: [key] });
    const [{ id } = { id: '' }] = before.secrets;
    expect(change(before, { clientSecrets: [{ id, secretType: 'JWK', secret: otherKey }] }).secrets[0]).toMatchObject({
      id,
      jwk: { kid: 'other' },
    });
    expect(change(before, { clientSecrets: [{ id, secretType: 'JWK', secretUrl: jwksUrl }] }).secrets[0]).toMatchObject(
      {
        id,
        jwk: null,
        url: jwksUrl,
      },
    );
  });

  it('are refused with an unknown or repeated id', () => {
    const client = register();
    const { id } = client.secrets[0] ?? {};
    const again = { ...shared, secret: null, id };
    expect(refusalOf(() => change(client, { clientSecrets: [{ ...again, id: 'other' }] }))).toEqual([
      { field: 'clientSecrets.0.id', messages: [gone] },
    ]);
    expect(refusalOf(() => change(client, { clientSecrets: [again, again] }))).toContainEqual({
      field: 'clientSecrets.1.id',
      messages: [gone],
    });
    expect(refusalOf(() => register({ clientSecrets: [{ ...shared, id: 'id-1' }] }))).toContainEqual({
      field: 'clientSecrets.0.id',
      messages: [gone],
    });
  });

  it('are refused without a value when they are new', () => {
    const sent = [{ secretType: 'SharedSecret' }, { secretType: 'JWK' }, { id: null, secretType: 'JWK' }];
    expect(refusalOf(() => change(register({ clientSecrets: [key] }), { clientSecrets: sent }))).toEqual(
      sent.map((_, index) => ({ field: `clientSecrets.${index}.secret`, messages: ['Field is required'] })),
    );
  });

  it('do not change their kind', () => {
    const client = register();
    const { id } = client.secrets[0] ?? {};
    expect(refusalOf(() => change(client, { clientSecrets: [{ id, secretType: 'JWK', secret: oneKey }] }))).toEqual([
      { field: 'clientSecrets.0.secretType', messages: ['Please enter a valid value'] },
    ]);
  });

  it('cannot get an expiry in the past, and keep one that has passed', () => {
    const past = '2026-03-01T09:00:00Z';
    expect(refusalOf(() => register({ clientSecrets: [{ ...shared, expires: past }] }))).toEqual([
      { field: 'clientSecrets.0.expires', messages: ['The end must be in the future'] },
    ]);
    const soon = '2026-03-01T11:00:00Z';
    const client = register({ clientSecrets: [{ ...shared, expires: soon }] });
    const kept = { id: client.secrets[0]?.id, secretType: 'SharedSecret', expires: soon };
    expect(change(client, { clientSecrets: [kept] }).secrets[0]?.expiresAt).toEqual(new Date(soon));
    expect(
      refusalOf(() => change(client, { clientSecrets: [{ ...kept, expires: '2026-03-02T09:00:00Z' }] })),
    ).toHaveLength(1);
  });

  it('cannot be keys with a point off their curve', () => {
    const off = JSON.stringify({ ...JSON.parse(oneKey), x: JSON.parse(oneKey).y });
    expect(refusalOf(() => register({ clientSecrets: [shared, { secretType: 'JWK', secret: off }] }))).toEqual([
      { field: 'clientSecrets.1.secret', messages: ['Please enter a valid value'] },
    ]);
  });

  it('are listed by kind, without expired ones', () => {
    const expires = '2026-03-01T11:00:00Z';
    const client = register({
      clientSecrets: [
        shared,
        key,
        url,
        { secretType: 'JWK', secret: otherKey, expires },
        { ...shared, secret: 'old one', description: 'old', expires },
      ],
    });
    const at = (time: Date) => [
      client.keys(time).map(({ kid }) => kid),
      client.jwksUrls(time),
      client.sharedSecrets(time).map(({ description }) => description),
    ];
    expect(at(now)).toEqual([['one', 'other'], [jwksUrl], ['first', 'old']]);
    expect(at(new Date(expires))).toEqual([['one'], [jwksUrl], ['first']]);
  });

  it('are not used for a client that needs none', () => {
    const client = register({ clientSecrets: [shared, key, url] });
    const open = stored(client, { settings: { ...client.settings, requireClientSecret: false } });
    expect([open.keys(now), open.jwksUrls(now), open.sharedSecrets(now)]).toEqual([[], [], []]);
  });
});
