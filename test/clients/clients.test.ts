import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Abstract, Type } from '@nestjs/common';
import { ClientConditions } from '../../src/clients/application/client-conditions.js';
import { RegisteredClients } from '../../src/clients/application/registered-clients.js';
import { Clients } from '../../src/clients/domain/client.js';
import { OidcRecords } from '../../src/oidc-store/infrastructure/oidc-records.js';
import { endUndoTime } from '../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/client';
const publicJwk = (kid: string) =>
  JSON.stringify({
    ...generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    kid,
  });
const app = {
  clientId: 'heart-companion',
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  redirectUris: ['https://app.example/callback'],
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'correct horse', description: 'Production' }],
};
const service = {
  clientId: 'lab-relay',
  clientName: 'Lab Results Relay',
  clientType: 'BackendService',
  clientSecrets: [{ secretType: 'JWK', secret: publicJwk('one') }],
};

describe('clients', () => {
  let portal: AdminPortal;
  let registered: RegisteredClients;

  beforeAll(async () => {
    portal = await startAdminPortal({
      config: { clients: [{ ...app, clientId: 'configured', clientName: 'Configured' }] },
    });
    registered = inside(RegisteredClients);
  });
  afterAll(() => portal.close());
  beforeEach(() => portal.query("DELETE FROM client WHERE client_id <> 'configured'; DELETE FROM tag"));

  /** An injected instance of the running portal. */
  const inside = <T>(token: Type<T> | Abstract<T>): T => {
    const [node] = portal.apps;
    if (!node) throw new Error('the portal runs');
    return node.get<T>(token, { strict: false });
  };
  const post = (form: object) => portal.api.post(path).send(form);
  const put = (id: string, form: object) => portal.api.put(`${path}/${id}`).send(form);
  const register = async (form: object) => (await post(form).expect(201)).body;
  const refused = async (form: object) => {
    const { body } = await post(form).expect(400);
    return body.errors.map(({ field }: { field: string }) => field);
  };

  describe('registering a client', () => {
    test('sets the defaults', async () => {
      const client = await register(app);
      expect(client).toMatchObject({
        ...app,
        clientType: 'StandaloneApp',
        enabled: true,
        version: 1,
        allowedGrantTypes: ['authorization_code'],
        allowedSmartActions: ['c', 'r', 'u', 'd', 's'],
        accessTokenType: 'Jwt',
        accessTokenLifetime: '01:00:00',
        refreshTokenLifetime: '90',
        requireClientSecret: true,
        enableLocalLogin: true,
        requirePkce: false,
        clientTags: [],
      });
    });

    test('C-16 I-16 returns a shared secret once, and never its hash', async () => {
      const created = await register(app);
      expect(created.clientSecrets).toEqual([
        {
          id: expect.any(String),
          secretType: 'SharedSecret',
          secret: 'correct horse',
          secretUrl: null,
          description: 'Production',
          expires: null,
          lastUsed: null,
        },
      ]);
      const { body: one } = await portal.api.get(`${path}/${created.id}`).expect(200);
      const { body: list } = await portal.api.get(path).expect(200);
      const { body: changed } = await put(created.id, {
        clientSecrets: [...one.clientSecrets, { secretType: 'SharedSecret', secret: 'battery staple' }],
      }).expect(200);
      expect(one.clientSecrets[0].secret).toBeNull();
      expect(changed.clientSecrets.map(({ secret }: { secret: unknown }) => secret)).toEqual([null, null]);
      expect(JSON.stringify([one, list, changed])).not.toMatch(/correct horse|battery staple|hash/i);
    });

    test('C-03 stores a shared secret only as a keyed hash', async () => {
      await register(app);
      const rows = await portal.query('SELECT to_json(client_secret)::text AS row FROM client_secret');
      expect(rows.map(({ row }) => row).join()).not.toContain('correct horse');
    });

    test('derives the settings of a back-end service from its type', async () => {
      expect(await register({ ...service, redirectUris: ['https://x.example/'], requireConsent: true })).toMatchObject({
        allowedGrantTypes: ['client_credentials'],
        allowedSmartSubjects: ['system'],
        allowManagementApiAccess: false,
        redirectUris: [],
        requireConsent: false,
      });
    });

    test('accepts the alternative spelling of ManagementApi', async () => {
      expect(await register({ ...service, clientType: 'ManagementAPI' })).toMatchObject({
        clientType: 'ManagementApi',
        allowManagementApiAccess: true,
      });
    });

    test('refuses a client id that is taken', async () => {
      await register(app);
      const { body } = await post(app).expect(409);
      expect(body.errors[0].field).toBe('clientId');
    });

    test('succeeds for one of two requests with the same id at the same moment', async () => {
      const answers = await Promise.all([post(app), post(app), post(app)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    });

    test('I-05 names the problem of each field', async () => {
      expect(await refused({})).toEqual(['clientName', 'clientId', 'clientType', 'clientSecrets', 'redirectUris']);
      expect(await refused({ ...app, clientType: 'Invalid' })).toEqual(['clientType']);
      expect(await refused({ ...service, allowManagementApiAccess: true })).toEqual(['allowManagementApiAccess']);
      expect(await refused({ ...app, clientSecrets: [{ secretType: 'JWK', secretUrl: 'ftp://x.example' }] })).toEqual([
        'clientSecrets.0.secretUrl',
      ]);
    });

    test('refuses invalid, private and symmetric keys', async () => {
      const off = JSON.stringify({ kty: 'EC', crv: 'P-256', kid: 'x', x: 'A'.repeat(43), y: 'A'.repeat(43) });
      for (const secret of [off, publicJwk('x').replace('{', '{"d":"AA",'), '{"kty":"oct","k":"AA","kid":"x"}']) {
        expect(await refused({ ...service, clientSecrets: [{ secretType: 'JWK', secret }] })).toEqual([
          'clientSecrets.0.secret',
        ]);
      }
    });

    test.each([
      [{ ...app, isAdmin: true }, 'isAdmin'],
      [{ ...app, enabled: 'yes' }, 'enabled'],
      [{ ...app, redirectUris: 'https://a.example' }, 'redirectUris'],
      [{ ...app, redirectUris: Array(1001).fill('https://a.example') }, 'redirectUris'],
      [{ ...app, clientClaims: [{ name: 'a', value: 'b', more: 1 }] }, 'clientClaims.0.more'],
      [{ ...app, clientName: 'a\u0000' }, 'clientName'],
      [{ ...app, description: '\uD800' }, 'description'],
      [{ ...app, clientClaims: [{ name: 'a', value: '\u0000' }] }, 'clientClaims.0.value'],
      [
        { ...app, clientSecrets: [{ secretType: 'JWK', secretUrl: 'https://a.example/\u0000' }] },
        'clientSecrets.0.secretUrl',
      ],
      [{ ...app, requiredAcr: 'aal2' }, 'requiredAcr'],
      [{ ...app, applicationType: 'desktop' }, 'applicationType'],
      [{ ...app, redirectUris: ['com.example.app:/callback'] }, 'redirectUris.0'],
      [{ ...app, applicationType: 'native', redirectUris: ['app:/callback'] }, 'redirectUris.0'],
      [{ ...app, defaultScopes: ['everything'] }, 'defaultScopes.0'],
      [{ ...app, maxAuthenticationAge: '600 s' }, 'maxAuthenticationAge'],
      [{ ...app, identityProviderRestrictions: 1 }, 'identityProviderRestrictions'],
      [{ ...app, clientTags: [{ id: '5a1c7a54-6d3b-4f6f-9f7e-1f3f4f1a1b1c' }] }, 'clientTags'],
      [
        {
          ...app,
          clientSecrets: [{ ...app.clientSecrets[0], id: '5a1c7a54-6d3b-4f6f-9f7e-1f3f4f1a1b1c', secret: null }],
        },
        'clientSecrets.0.id',
      ],
    ])('I-04 answers malformed form %# with 400', async (form, field) => {
      expect(await refused(form)).toContain(field);
    });
  });

  describe('changing a client', () => {
    test('accepts the whole form, or a part of it', async () => {
      const { id } = await register({
        ...app,
        description: 'Follow-up',
        requireConsent: true,
        requiredAcr: 'phr',
        maxAuthenticationAge: '00:10:00',
      });
      const { body: whole } = await portal.api.get(`${path}/${id}`);
      expect(whole).toMatchObject({ requiredAcr: 'phr', maxAuthenticationAge: '00:10:00' });
      const { body: same } = await put(id, whole).expect(200);
      expect(same).toEqual({ ...whole, version: 2 });
      const { body: part } = await put(id, { clientName: 'Heart', description: null }).expect(200);
      expect(part).toEqual({ ...whole, clientName: 'Heart', description: '', version: 3 });
    });

    test('I-08 refuses a form that was loaded before another administrator saved', async () => {
      const { id, version } = await register(app);
      await put(id, { clientName: 'First', version }).expect(200);
      const { body } = await put(id, { clientName: 'Second', version }).expect(409);
      expect(body.title).toBe('Conflict');
      const answers = await Promise.all([1, 2, 3].map((n) => put(id, { clientName: `Racer ${n}`, version: 2 })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    });

    test('I-05 leaves type, requirement of a secret and stored secrets unchanged', async () => {
      const created = await register(app);
      const [secret] = created.clientSecrets;
      for (const form of [
        { clientType: 'BackendService' },
        { requireClientSecret: false },
        { clientSecrets: [{ ...secret, secret: 'another' }] },
        { clientSecrets: [{ ...secret, secretType: 'JWK', secret: publicJwk('x') }] },
        { clientSecrets: [secret, secret].map((one) => ({ ...one, secret: null })) },
        { allowedGrantTypes: ['client_credentials'] },
      ]) {
        await put(created.id, form).expect(400);
      }
      expect(await registered.verifySecret('heart-companion', 'correct horse')).toBe(true);
    });

    test('adds and removes secrets', async () => {
      const created = await register(app);
      const added = { secretType: 'SharedSecret', secret: 'battery staple' };
      const { body: two } = await put(created.id, {
        clientSecrets: [{ ...created.clientSecrets[0], secret: null }, added],
      }).expect(200);
      expect(await registered.verifySecret('heart-companion', 'correct horse')).toBe(true);
      expect(await registered.verifySecret('heart-companion', 'battery staple')).toBe(true);
      await put(created.id, { clientSecrets: [two.clientSecrets[1]] }).expect(200);
      expect(await registered.verifySecret('heart-companion', 'correct horse')).toBe(false);
      await put(created.id, { clientSecrets: [] }).expect(200);
      expect(await registered.verifySecret('heart-companion', 'battery staple')).toBe(false);
      const rows = await portal.query("SELECT FROM client_secret WHERE description = 'Production'");
      expect(rows).toHaveLength(1);
    });

    test('keeps the secrets in the order of the form', async () => {
      const named = (description: string) => ({ secretType: 'SharedSecret', secret: 'x', description });
      const created = await register({ ...app, clientSecrets: ['a', 'b', 'c', 'd'].map(named) });
      const reversed = created.clientSecrets.map((secret: object) => ({ ...secret, secret: null })).reverse();
      const { body } = await put(created.id, { clientSecrets: reversed }).expect(200);
      expect(body.clientSecrets.map(({ description }: { description: string }) => description).join('')).toBe('dcba');
    });

    test('sets the type of a client without a valid one', async () => {
      const { id } = await register(app);
      await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [id]);
      expect(await registered.findByClientId('heart-companion')).toBeDefined();
      await put(id, { clientName: 'Still invalid' }).expect(400);
      const { body } = await put(id, {
        clientType: 'BackendService',
        clientSecrets: [{ secretType: 'JWK', secretUrl: 'https://app.example/jwks' }],
      }).expect(200);
      expect(body).toMatchObject({ clientType: 'BackendService', redirectUris: [], allowedSmartSubjects: ['system'] });
      await put(id, { clientType: 'StandaloneApp' }).expect(400);
    });

    test('answers 404 when the client was deleted, and 400 for the form of another client', async () => {
      const { id } = await register(app);
      await put(id, { id: '5a1c7a54-6d3b-4f6f-9f7e-1f3f4f1a1b1c' }).expect(400);
      await portal.api.delete(`${path}/${id}`).expect(204);
      for (const gone of [id, 'no-uuid']) {
        await portal.api.get(`${path}/${gone}`).expect(404);
        await portal.api.delete(`${path}/${gone}`).expect(404);
        await put(gone, {}).expect(404);
      }
    });
  });

  describe('ending a client', () => {
    const grant = async (clientId: string) => {
      await inside(OidcRecords).upsert('Grant', `g-${clientId}`, { clientId, accountId: 'a' }, 60);
    };
    const grants = async () => (await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).length;
    beforeEach(() => portal.query("DELETE FROM oidc_record WHERE model = 'Grant'"));

    test('I-07 by deleting, disabling or renaming it revokes all its grants once it cannot be undone', async () => {
      const ended = async () => {
        await endUndoTime(portal);
        await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'client-endings'")).length === 0);
      };
      const { id } = await register(app);
      await grant('heart-companion');
      await put(id, { clientName: 'Renamed only' }).expect(200);
      expect(await grants()).toBe(1);
      await put(id, { enabled: false }).expect(200);
      await ended();
      expect(await grants()).toBe(0);
      expect(await registered.findByClientId('heart-companion')).toBeUndefined();
      expect(await registered.verifySecret('heart-companion', 'correct horse')).toBe(false);

      await put(id, { enabled: true }).expect(200);
      await grant('heart-companion');
      await put(id, { clientId: 'heart' }).expect(200);
      expect(await grants()).toBe(0);

      await grant('heart');
      await portal.api.delete(`${path}/${id}`).expect(204);
      await ended();
      expect(await grants()).toBe(0);
    });
  });

  describe('clients in the OAuth protocol', () => {
    test('have only valid keys and addresses', async () => {
      const future = '2090-01-01T00:00:00.000Z';
      const { id } = await register({
        ...service,
        clientSecrets: [
          ...service.clientSecrets,
          { secretType: 'JWK', secret: publicJwk('old'), expires: future },
          { secretType: 'JWK', secretUrl: 'https://app.example/jwks' },
          { secretType: 'SharedSecret', secret: 'expired', expires: future },
        ],
      });
      await portal.query(
        "UPDATE client_secret SET expires_at = '2020-01-01' WHERE client = $1 AND expires_at IS NOT NULL",
        [id],
      );
      expect(await registered.findByClientId('lab-relay')).toMatchObject({
        clientType: 'BackendService',
        keys: [{ kid: 'one' }],
        jwksUrls: ['https://app.example/jwks'],
        hasSharedSecret: false,
      });
      expect(await registered.verifySecret('lab-relay', 'expired')).toBe(false);
    });

    test.each(['unknown', '', 'a\u0000', '\uD800', 'x'.repeat(300)])(
      'do not include the client %j',
      async (clientId) => {
        expect(await registered.findByClientId(clientId)).toBeUndefined();
        expect(await registered.verifySecret(clientId, 'correct horse')).toBe(false);
      },
    );

    test('have the last use of a secret recorded', async () => {
      const { id } = await register(app);
      const used = async () => (await portal.api.get(`${path}/${id}`)).body.clientSecrets[0].lastUsed;
      expect(await used()).toBeNull();
      await registered.verifySecret('heart-companion', 'correct horse');
      while ((await used()) === null) await sleep(20);
      expect(Date.now() - Date.parse(await used())).toBeLessThan(60_000);
    });

    test('keep the last use of a secret when a form that was loaded before it is saved', async () => {
      const { id } = await register(app);
      const clients = inside(Clients);
      const read = await clients.findForChange(id);
      const [secret] = read?.secrets ?? [];
      if (!read || !secret) throw new Error('the client has a secret');
      await clients.noteUse(secret.id);
      await clients.change(read.change({}, inside(ClientConditions).context()));
      expect((await portal.api.get(`${path}/${id}`)).body).toMatchObject({
        version: 2,
        clientSecrets: [{ lastUsed: expect.any(String) }],
      });
    });

    test('have the default for a setting that was added later', async () => {
      const { id } = await register(app);
      await portal.query("UPDATE client SET settings = settings - 'requireDpop' WHERE id = $1", [id]);
      expect((await registered.findByClientId('heart-companion'))?.settings.requireDpop).toBe(false);
      expect((await portal.api.get(`${path}/${id}`)).body.requireDpop).toBe(false);
    });

    test('are created from the configuration when they are missing', async () => {
      expect(await registered.findByClientId('configured')).toMatchObject({
        clientName: 'Configured',
        hasSharedSecret: true,
      });
      expect(await registered.verifySecret('configured', 'correct horse')).toBe(true);
    });
  });
});
