import {
  type ClientType,
  clientTypes,
  grantTypes,
  smartActions,
  smartLegacyActions,
  smartSubjects,
} from '../../src/contract/rules/client-values.js';
import { actsOf, subjectsOf } from '../../src/contract/rules/clients/client-permissions.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const path = '/api/admin/client';
const app = {
  clientId: 'heart-companion',
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  redirectUris: ['https://app.example/callback'],
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'correct horse' }],
};
const service = {
  clientId: 'lab-relay',
  clientName: 'Lab Results Relay',
  clientType: 'BackendService',
  clientSecrets: [{ secretType: 'JWK', secretUrl: 'https://relay.example/jwks' }],
};

describe('the list of clients', () => {
  let portal: AdminPortal;

  beforeAll(async () => {
    portal = await startAdminPortal({
      config: {
        clients: [{ ...app, clientId: 'configured', clientName: 'Configured' }],
        fhir: { resourceTypeGroups: [{ name: 'Laboratory', resourceTypes: ['Observation', 'Specimen'] }] },
      },
    });
  });
  afterAll(() => portal.close());
  beforeEach(() => portal.query("DELETE FROM client WHERE client_id <> 'configured'; DELETE FROM tag"));

  const register = (form: object) => portal.api.post(path).send(form).expect(201);
  const ids = async (query: string) => {
    const { body } = await portal.api.get(`${path}?${query}`).expect(200);
    return body.clients.map(({ clientId }: { clientId: string }) => clientId);
  };

  test('is filtered, searched, sorted and paged', async () => {
    const { body: tag } = await portal.api.post('/api/admin/configuration/tag').send({ value: 'Pilot', color: '#123' });
    await register({ ...app, clientTags: [tag], legalCompanyName: 'Fernhill Health' });
    await register({ ...app, clientId: 'Echo_viewer', clientName: '100% Echo', enabled: false });
    await register(service);
    expect(await ids('')).toEqual(['configured', 'Echo_viewer', 'heart-companion', 'lab-relay']);
    expect(await ids('sortDirection=1')).toEqual(['lab-relay', 'heart-companion', 'Echo_viewer', 'configured']);
    expect(await ids('sortColumn=clientName')).toEqual(['Echo_viewer', 'configured', 'heart-companion', 'lab-relay']);
    expect(await ids('isEnabled=false')).toEqual(['Echo_viewer']);
    expect(await ids('isEnabled=false&isEnabled=true')).toHaveLength(4);
    expect(await ids('grantTypes=client_credentials')).toEqual(['lab-relay']);
    expect(await ids('grantTypes=client_credentials&grantTypes=authorization_code')).toHaveLength(4);
    expect(await ids(`tags=${tag.id}`)).toEqual(['heart-companion']);
    expect(await ids('searchTerm=HEART')).toEqual(['heart-companion']);
    expect(await ids('searchTerm=lab+results')).toEqual(['lab-relay']);
    expect(await ids('searchTerm=fernhill+health')).toEqual(['heart-companion']);
    expect(await ids('pageSize=5&page=2')).toEqual([]);
    const { body } = await portal.api.get(`${path}?pageSize=5&page=2`);
    expect(body.totalCount).toBe(4);
    expect((await portal.api.get(`${path}?tags=${tag.id}`)).body.clients[0].clientTags).toEqual([tag]);
  });

  test('is searched with accents and without', async () => {
    const { body: tag } = await portal.api
      .post('/api/admin/configuration/tag')
      .send({ value: 'Rehabilitación', color: '#123' });
    await register({ ...app, clientName: 'Santé Générale', legalCompanyName: 'Łódź Zdrowie', clientTags: [tag] });
    await register(service);
    for (const term of ['sante generale', 'SANTÉ', 'générale', 'lodz', 'Łódź', 'rehabilitacion', 'reHÁbilitación']) {
      expect([term, ...(await ids(`searchTerm=${encodeURIComponent(term)}`))]).toEqual([term, 'heart-companion']);
    }
    const { body } = await portal.api.get('/api/admin/palette?term=sante').expect(200);
    expect(body.clients.map(({ clientId }: { clientId: string }) => clientId)).toEqual(['heart-companion']);
  });

  test('is filtered by each grant type, whichever of them a client has', async () => {
    const combinations = Array.from({ length: 2 ** grantTypes.length }, (_, bits) =>
      grantTypes.filter((_, place) => (bits >> place) % 2 === 1),
    );
    for (const [index, allowed] of combinations.entries()) {
      await register({ ...service, clientId: `combined-${index}` });
      const stored = JSON.stringify({ allowedGrantTypes: allowed });
      await portal.query(`UPDATE client SET settings = settings || '${stored}' WHERE client_id = 'combined-${index}'`);
    }
    for (const wanted of grantTypes) {
      const expected = combinations.flatMap((some, index) => (some.includes(wanted) ? [`combined-${index}`] : []));
      expect((await ids(`grantTypes=${wanted}&sortColumn=clientId&searchTerm=combined`)).sort()).toEqual(expected);
    }
  });

  test('is filtered by what a client can do, and as whom', async () => {
    const only = { allowedSmartLegacyActions: [], allowedSmartActions: ['r', 's'] };
    await register({ ...app, clientId: 'reader', ...only, allowedSmartSubjects: ['patient'] });
    await register({ ...app, clientId: 'writer-of-version-1', ...only, allowedSmartLegacyActions: ['write'] });
    await register({ ...service, ...only, allowedSmartActions: ['c'] });
    expect(await ids('permissions=see')).toEqual(['configured', 'reader', 'writer-of-version-1']);
    expect(await ids('permissions=add')).toEqual(['configured', 'lab-relay', 'writer-of-version-1']);
    expect(await ids('permissions=change&permissions=delete')).toEqual(['configured', 'writer-of-version-1']);
    expect(await ids('permissions=add&subjects=system')).toEqual(['lab-relay']);
    expect(await ids('subjects=patient')).toEqual(['configured', 'reader', 'writer-of-version-1']);
    expect(await ids('subjects=patient&subjects=system&searchTerm=lab')).toEqual(['lab-relay']);
    const { body } = await portal.api.get(`${path}?permissions=write`).expect(400);
    expect(body.errors).toEqual([
      { field: 'permissions', messages: ['Only these values are allowed: see, add, change, delete'] },
    ]);
  });

  test('finds by the same rule that the pages show, whatever the settings permit', async () => {
    const some = <Value>(values: readonly Value[]) =>
      Array.from({ length: 2 ** values.length }, (_, bits) => values.filter((_, place) => (bits >> place) % 2 === 1));
    const cases = some(smartActions).flatMap((allowedSmartActions) =>
      some(smartLegacyActions).flatMap((allowedSmartLegacyActions) =>
        some(smartSubjects).flatMap((allowedSmartSubjects) =>
          some(grantTypes).map((allowedGrantTypes, index) => ({
            ...{ allowedSmartActions, allowedSmartLegacyActions, allowedSmartSubjects, allowedGrantTypes },
            clientType: clientTypes[(allowedSmartActions.length + index) % clientTypes.length] as ClientType,
          })),
        ),
      ),
    );
    const rows = await portal.query(
      `SELECT client_access(one, one ->> 'clientType') AS access FROM jsonb_array_elements($1) WITH ORDINALITY AS cases (one, place)
        ORDER BY place`,
      [JSON.stringify(cases)],
    );
    expect(rows.map(({ access }) => access)).toEqual(
      cases.map((one) => (subjectsOf(one).length === 0 ? [] : [...subjectsOf(one), ...actsOf(one)])),
    );
  });

  test('has the last use of each client if it is asked for', async () => {
    await register(app);
    await register(service);
    const lastUsed = async () => {
      const { body } = await portal.api.get(`${path}?withLastUsed=true`).expect(200);
      return body.clients.map((client: { clientId: string; lastUsed: string | null }) => [
        client.clientId,
        client.lastUsed,
      ]);
    };
    expect((await portal.api.get(path)).body.clients[0]).not.toHaveProperty('lastUsed');
    expect(await lastUsed()).toEqual([
      ['configured', null],
      ['heart-companion', null],
      ['lab-relay', null],
    ]);
    const launch = (id: string, client: string, day: number, outcome = 'completed', kind = 'standalone') =>
      portal.query(
        `INSERT INTO launch (id, kind, client_id, started_at, last_at, outcome, entries)
         VALUES ($1, $5, $2, $3::timestamptz - interval '1 day', $3, $4, '[]')`,
        [id, client, `2026-03-0${day}T10:00:00Z`, outcome, kind],
      );
    await portal.query(
      `UPDATE client_secret SET last_used_at = '2026-03-03T10:00:00Z'
        WHERE client = (SELECT id FROM client WHERE client_id = 'heart-companion')`,
    );
    // A refresh of an older launch counts; tries and launches that were refused do not.
    await launch('A1', 'heart-companion', 2);
    await launch('A2', 'configured', 5);
    await launch('A3', 'configured', 7, 'refused');
    await launch('A4', 'configured', 8, 'completed', 'trial');
    await launch('A5', 'lab-relay', 4);
    expect(await lastUsed()).toEqual([
      ['configured', '2026-03-05T10:00:00.000Z'],
      ['heart-companion', '2026-03-03T10:00:00.000Z'],
      ['lab-relay', '2026-03-04T10:00:00.000Z'],
    ]);
    await portal.query("DELETE FROM launch WHERE id LIKE 'A_'");
    await portal.api.get(`${path}?withLastUsed=1`).expect(400);
  });

  test('I-11 treats special characters of a search term literally', async () => {
    await register({ ...app, clientId: 'Echo_viewer', clientName: "100% O'Brien \\" });
    for (const term of ['%', '_', '\\', "'"])
      expect(await ids(`searchTerm=${encodeURIComponent(term)}`)).toEqual(['Echo_viewer']);
    expect(await ids('searchTerm=.*')).toEqual([]);
  });

  test.each([
    'page=0',
    'page=x',
    'page=99999999999999999999',
    'pageSize=7',
    'sortColumn=settings',
    'sortDirection=2',
    'isEnabled=maybe',
    'grantTypes=implicit',
    'tags=1',
    `searchTerm=${'a'.repeat(201)}`,
    'searchTerm=a&searchTerm=b',
    'searchTerm=%00',
    'unknown=1',
  ])('refuses the query %s', async (query) => {
    await portal.api.get(`${path}?${query}`).expect(400);
  });

  test('has the resource types and operations of the FHIR server', async () => {
    const { body } = await portal.api.get(`${path}/available-resourcetypes`).expect(200);
    expect(body).toEqual(['Observation', 'Patient']);
    const groups = await portal.api.get(`${path}/available-resourcetypegroups`).expect(200);
    expect(groups.body).toEqual([
      { name: 'Patient compartment', resourceTypes: ['Observation', 'Patient'] },
      { name: 'US Core', resourceTypes: ['Patient'] },
      { name: 'Laboratory', resourceTypes: ['Observation'] },
    ]);
  });
});

describe('while there is no FHIR server', () => {
  let portal: AdminPortal;
  beforeAll(async () => {
    portal = await startAdminPortal({ fhirServer: false, config: { clients: [service] } });
  });
  afterAll(() => portal.close());

  test('I-14 clients can be read and not changed', async () => {
    const { body } = await portal.api.get(path).expect(200);
    const { id } = body.clients[0];
    const { body: problem } = await portal.api.post(path).send(app).expect(503);
    expect(problem.message).toBe(
      'The FHIR server is disconnected. Please follow the instructions to set it up before editing clients.',
    );
    await portal.api.put(`${path}/${id}`).send({}).expect(503);
    await portal.api.delete(`${path}/${id}`).expect(503);
  });
});

describe('a client in the configuration', () => {
  test('that is invalid stops the start, and each problem is named', async () => {
    const clients = [
      { ...app, redirectUris: ['x'] },
      { ...app, nonsense: true },
    ];
    await expect(startAdminPortal({ config: { clients } })).rejects.toMatchObject({
      problems: [
        'clients.0.redirectUris.0: Please enter a valid value',
        'clients.1.nonsense: This member is not allowed',
      ],
    });
  });
});
