import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { parse } from 'yaml';
import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';
import { runs } from '../support/runs.js';

const jwk = (kid: string) =>
  JSON.stringify({ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid });
const keys = [jwk('first'), jwk('second')];

/** Texts that a YAML reader could take for something else, next to ordinary ones. */
const words = fc.oneof(
  fc.constantFrom(
    'null',
    '~',
    'yes',
    '0x1f',
    '012',
    '1e3',
    '<<',
    '- a',
    '# b',
    'a: b',
    '"',
    "'",
    '*x',
    '&x',
    '!t',
    '01:00:00',
  ),
  fc
    .string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'abcÄ漢😀 0.:#-"\'') })
    .filter((text) => text.trim() !== ''),
);
const lines = fc.array(words, { maxLength: 4 }).map((parts) => parts.join('\n'));
const ids = fc.array(fc.constantFrom(...'abcXYZ019.-_~:#\'"{}[]!&*|>%@`'), { minLength: 3, maxLength: 12 });
const address = fc
  .array(fc.stringMatching(/^[a-z0-9~:@!$&'(),;=-]{1,6}$/), { maxLength: 3 })
  .map((steps) => `https://app.example/${steps.join('/')}`);
const end = fc.constantFrom(undefined, '2031-02-03T04:05:06Z', '2031-02-03T04:05:06.789+02:00');

const secret = fc.oneof(
  fc.record({
    secretType: fc.constant('SharedSecret'),
    secret: fc.stringMatching(/^[!-~]{12,20}$/),
    description: words.map((text) => text.replace(/\n/g, ' ')),
    expires: end,
  }),
  fc.record({ secretType: fc.constant('JWK'), secretUrl: address }),
);
const secrets = fc.oneof(
  fc.uniqueArray(secret, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }).filter((all) => {
    const urls = all.flatMap((one) => ('secretUrl' in one ? [one.secretUrl] : []));
    return new Set(urls).size === urls.length;
  }),
  fc.constant(keys.map((key) => ({ secretType: 'JWK', secret: key, expires: '2031-01-01T00:00:00Z' }))),
  fc.constant([{ secretType: 'JWK', secret: `{"keys":[${keys.join()}]}` }]),
);
const claims = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^x[a-z]{2,8}$/), value: words }), {
  maxLength: 3,
  selector: ({ name }) => name,
});
const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });

const common = {
  clientName: words,
  enabled: fc.boolean(),
  description: lines,
  legalCompanyName: words,
  accessTokenType: fc.constantFrom('Jwt', 'Reference'),
  accessTokenLifetime: fc.constantFrom('00:05:00', '1', '1.00:00:00'),
  explainRefusals: fc.boolean(),
  allowIntrospection: fc.boolean(),
};
const permissions = {
  allowedSmartActions: some('c', 'r', 'u', 'd', 's'),
  allowedSmartLegacyActions: fc.subarray(['read', 'write', '*']),
  allowedResourceTypes: fc.subarray(['Patient', 'Observation', 'US Core', 'Encounter']),
  allowedTenants: fc.subarray(['north', 'south']),
  clientClaims: claims,
};
const app = fc.record(
  {
    ...common,
    ...permissions,
    requireClientSecret: fc.boolean(),
    redirectUris: fc.uniqueArray(address, { minLength: 1, maxLength: 3 }),
    requiredScopes: fc.subarray(['openid', 'fhirUser', 'patient/*.rs']),
    requirePkce: fc.boolean(),
    allowOfflineAccess: fc.boolean(),
    refreshTokenLifetime: fc.constantFrom('90', '30.00:00:00'),
    consentLifetime: fc.constantFrom('', '30'),
    requiredAcr: fc.constantFrom('none', 'phr'),
    applicationType: fc.constantFrom('web', 'native'),
    defaultScopes: fc.subarray(['openid', 'user/Patient.rs']),
    maxAuthenticationAge: fc.constantFrom('', '00:10:00'),
  },
  { requiredKeys: ['clientName', 'redirectUris'] },
);
const client = fc
  .tuple(
    ids.map((parts) => parts.join('')),
    secrets,
    fc.oneof(
      app.map((form) => ({ clientType: 'StandaloneApp', ...form })),
      fc
        .record({ ...common, ...permissions }, { requiredKeys: ['clientName'] })
        .map((form) => ({ clientType: 'BackendService', ...form })),
      fc.record(common, { requiredKeys: ['clientName'] }).map((form) => ({ clientType: 'ManagementApi', ...form })),
    ),
  )
  .map(([clientId, clientSecrets, form]) => ({ clientId, clientSecrets, ...form }));

describe('a file that was exported', () => {
  let portal: AsCodePortal;
  let empty: AsCodePortal;
  const tags: { id: string; value: string }[] = [];

  beforeAll(async () => {
    const disclaimers = [
      { id: 'care', description: 'No emergencies', html: '<p>Call: 112</p>', clients: [], everyLogin: true },
    ];
    portal = await startAsCodePortal({ config: { disclaimers } });
    empty = await startAsCodePortal({ config: { disclaimers } });
    for (const value of ['Pilot', '007', 'no']) {
      const { body } = await portal.api
        .post('/api/admin/configuration/tag')
        .send({ value, color: '#1D6FB8' })
        .expect(201);
      tags.push(body);
    }
  });
  afterAll(async () => {
    await empty.close();
    await portal.close();
  });
  beforeEach(() => portal.query('DELETE FROM client'));

  /** Only the ids of shared secrets are of one portal. */
  const withoutIds = (file: string) => file.replace(/\bid: [0-9a-f-]{36}$/gm, 'id: any');
  /** The file for a portal that does not have the shared secrets. */
  const withReferences = (file: string) => {
    let count = 0;
    return file.replace(/\bid: [0-9a-f-]{36}$/gm, () => {
      count += 1;
      process.env[`TEST_SECRET_${count}`] = `secret of an app ${count}`;
      return `secret: env:TEST_SECRET_${count}`;
    });
  };

  test('changes nothing when it is applied, and is exported again as the same text, also by an empty portal, for clients of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(client, { minLength: 1, maxLength: 4, selector: ({ clientId }) => clientId.toLowerCase() }),
        fc.subarray(['Pilot', '007', 'no']),
        async (clients, tagged) => {
          await portal.query('DELETE FROM client');
          const clientTags = tags.filter(({ value }) => tagged.includes(value));
          for (const form of clients) {
            const { status, body } = await portal.api.post('/api/admin/client').send({ ...form, clientTags });
            expect([status, body.errors]).toEqual([201, undefined]);
          }
          const before = await portal.query('SELECT client_id, version, settings FROM client ORDER BY client_id');
          const file = await portal.exported();
          await portal.apply(file, { adopt: true });
          expect(await portal.plan(file)).toBe('No changes.');
          expect(await portal.apply(file)).toBe('No changes.');
          expect(await portal.exported()).toBe(file);
          expect(await portal.query('SELECT client_id, version, settings FROM client ORDER BY client_id')).toEqual(
            before,
          );
          await empty.query('DELETE FROM client; DELETE FROM tag');
          await empty.apply(withReferences(file));
          expect(withoutIds(await empty.exported())).toBe(withoutIds(file));
        },
      ),
      runs(12, 300),
    );
  });

  test('restores a client that was deleted, from references to its secrets', async () => {
    const form = {
      clientId: 'lab-feed',
      clientName: 'Lab feed',
      clientType: 'BackendService',
      allowedResourceTypes: ['Patient'],
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'correct horse', description: 'first' }],
    };
    const { body: made } = await portal.api.post('/api/admin/client').send(form).expect(201);
    const file = parse(await portal.exported());
    expect(file.clients[0].clientSecrets).toEqual([
      { id: made.clientSecrets[0].id, secretType: 'SharedSecret', description: 'first' },
    ]);
    await portal.query('DELETE FROM client');
    await expect(portal.plan(file)).rejects.toThrow('clients.0.clientSecrets.0.id: This secret no longer exists');
    process.env.TEST_LAB_SECRET = 'correct horse';
    file.clients[0].clientSecrets = [
      { secretType: 'SharedSecret', secret: 'env:TEST_LAB_SECRET', description: 'first' },
    ];
    await portal.apply(file, { adopt: true });
    expect(await portal.plan(file)).toBe('No changes.');
    const { body } = await portal.api.get('/api/admin/client').expect(200);
    const { id, clientSecrets, managed, version, ...again } = body.clients[0];
    const { id: _id, clientSecrets: _secrets, version: _version, ...before } = made;
    expect(again).toEqual(before);
    expect(managed).toBe(true);
  });

  test('has no secret, no hash of one, and no person unless that is asked for', async () => {
    await portal.api
      .post('/api/admin/client')
      .send({
        clientId: 'shared',
        clientName: 'Shared',
        clientType: 'BackendService',
        clientSecrets: [{ secretType: 'SharedSecret', secret: 'never-in-a-file' }],
      })
      .expect(201);
    const user = { fullName: 'Ann Example', email: 'ann@example.org', userType: 'Patient' };
    await portal.api
      .post('/api/admin/user')
      .send({ ...user, claims: [{ name: 'fhirUser', value: 'Patient/1' }] })
      .expect(201);
    const [{ hash } = { hash: 'none' }] = await portal.query<{ hash: string }>(
      "SELECT secret_hash AS hash FROM client_secret WHERE secret_type = 'SharedSecret'",
    );
    const file = await portal.exported();
    expect(file).not.toMatch(/never-in-a-file|ann@example|Patient\/1/);
    expect(file).not.toContain(hash);
    const withUsers = parse(await portal.exported({ withUsers: true }));
    expect(withUsers.users).toEqual([
      { email: 'ann@example.org', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/1' }] },
    ]);
    await portal.apply(withUsers, { adopt: true });
    expect(await portal.plan(withUsers)).toBe('No changes.');
  });
});
