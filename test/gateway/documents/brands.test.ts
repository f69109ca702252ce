/**
 * The checks of Inferno's suites `smart_access_brands` (SMART App Launch Test Kit) and `service_base_url` (Service Base
 * URL Test Kit, (g)(10)), by the kits' names.
 */
import type { Bundle, Endpoint, Organization } from '@medplum/fhirtypes';
import { brandsPath } from '../../../src/gateway/application/documents/brand-bundle.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';

const address = { city: 'Boston', state: 'MA', postalCode: '02111', country: 'US' };
const organizations = [
  {
    name: 'Good Health',
    aliases: ['Health of Old'],
    website: 'https://www.good-health.example/about',
    identifiers: [{ system: 'https://facilities.example', value: 'F-1' }],
    addresses: [address, { postalCode: '02139', country: 'US' }],
    logo: 'https://good-health.example/logo.svg',
    logoLicense: 'https://good-health.example/license',
    portals: [
      { name: 'Good Health Central', description: 'For all patients.', url: 'https://central.good-health.example' },
    ],
    tenants: [],
  },
  {
    name: 'North Clinic',
    website: 'https://north.example',
    addresses: [address],
    portals: [],
    aliases: [],
    identifiers: [],
    tenants: ['north'],
  },
];
const brands = { organizations, updatedAt: '2026-11-28T10:00:00Z', fhirVersion: '4.0.1' as const };

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  const north = { id: 'north', name: 'North', baseUrl: fhirServer.url, credentials: { type: 'none' as const } };
  portal = await startPortal({ config: { fhir: { baseUrl: fhirServer.url, tenants: [north] }, brands } });
});
afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

const get = (address: string, headers: Record<string, string> = {}) =>
  new Agent(portal.issuer).get(address, { headers });
const bundleAt = async (base: string) => (await get(`${base}${brandsPath}`)).json<Bundle & Record<string, unknown>>();
const ofType = <Type>(bundle: Bundle, type: string) =>
  (bundle.entry ?? []).flatMap(({ resource }) => (resource?.resourceType === type ? [resource as Type] : []));

describe('The brands of a FHIR base', () => {
  test('smart_access_brands_retrieve_bundle, service_base_url_retrieve_list_test: are there without a token, for pages of any origin, and are kept by their ETag', async () => {
    // The kits send no origin, and look for the header all the same.
    const origins: Record<string, string>[] = [{}, { origin: 'https://app.example' }];
    const answers = await Promise.all(
      origins.map((origin) =>
        get(portal.fhirBase + brandsPath, { ...origin, accept: 'application/json, application/fhir+json' }),
      ),
    );
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': expect.stringContaining('application/fhir+json'),
        'access-control-allow-origin': '*',
        etag: expect.stringMatching(/^W\/"/),
      });
    }
    const [answer] = answers;
    if (!answer) throw new Error('not answered');
    const again = await get(portal.fhirBase + brandsPath, { 'if-none-match': String(answer.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get(portal.fhirBase + brandsPath, { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  test.each(['', '/north'])(
    'smart_access_brands_valid_bundle, service_base_url_valid_bundle: are named by the SMART configuration (%s)',
    async (path) => {
      const base = portal.fhirBase + path;
      const document = (await get(`${base}/.well-known/smart-configuration`)).json<Record<string, unknown>>();
      const bundle = await bundleAt(base);
      expect(document.user_access_brand_bundle).toBe(base + brandsPath);
      const primary = document.user_access_brand_identifier as { system: string; value: string };
      const having = ofType<Organization>(bundle, 'Organization').filter(({ identifier = [] }) =>
        identifier.some(({ system, value }) => system === primary.system && value === primary.value),
      );
      expect(having.map(({ name }) => name)).toEqual([path === '' ? 'Good Health' : 'North Clinic']);
      expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'collection', timestamp: '2026-11-28T10:00:00Z' });
      expect(new Set(bundle.entry?.map(({ fullUrl }) => fullUrl)).size).toBe(bundle.entry?.length);
      const types = new Set(bundle.entry?.map(({ resource }) => resource?.resourceType));
      expect([...types].sort()).toEqual(['Endpoint', 'Organization']);
    },
  );

  test('smart_access_brands_valid_endpoints, service_base_url_valid_endpoints: each endpoint has an organization that refers to it', async () => {
    const bundle = await bundleAt(portal.fhirBase);
    const referred = ofType<Organization>(bundle, 'Organization').flatMap(({ endpoint = [] }) => endpoint);
    const endpoints = ofType<Endpoint>(bundle, 'Endpoint');
    expect(endpoints.map((one) => one.address)).toEqual([portal.fhirBase, `${portal.fhirBase}/north`]);
    for (const endpoint of endpoints) {
      expect(referred).toContainEqual({ reference: `Endpoint/${endpoint.id}` });
      expect(endpoint).toMatchObject({
        status: 'active',
        connectionType: { code: 'hl7-fhir-rest' },
        contact: [{ system: 'url', value: portal.issuer }],
        payloadType: [{ coding: [{ code: 'none' }] }],
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version', valueCode: '4.0.1' }],
      });
    }
  });

  test('smart_access_brands_valid_endpoint_urls, service_base_url_valid_urls: each endpoint answers /metadata', async () => {
    for (const { address } of ofType<Endpoint>(await bundleAt(portal.fhirBase), 'Endpoint')) {
      const answer = await get(`${address}/metadata`, { accept: 'application/fhir+json' });
      expect([answer.status, answer.json().resourceType]).toEqual([200, 'CapabilityStatement']);
    }
  });

  test('smart_access_brands_valid_brands, service_base_url_valid_organizations: each has name, address, identifier and endpoints of the list', async () => {
    const bundle = await bundleAt(portal.fhirBase);
    const ids = ofType<Endpoint>(bundle, 'Endpoint').map(({ id }) => `Endpoint/${id}`);
    const [first, ...others] = ofType<Organization>(bundle, 'Organization');
    for (const organization of [first, ...others]) {
      const own = (organization?.endpoint ?? []).map(({ reference }) => reference);
      expect(own.length).toBeGreaterThan(0);
      expect(ids).toEqual(expect.arrayContaining(own));
      expect([organization?.active, organization?.address?.length !== 0]).toEqual([true, true]);
      const portals = (organization?.extension ?? []).flatMap(({ extension = [] }) => extension);
      const atPortals = portals.flatMap(({ url, valueReference }) =>
        url === 'portalEndpoint' ? [valueReference?.reference] : [],
      );
      expect(own).toEqual(expect.arrayContaining(atPortals));
    }
    expect(first).toMatchObject({
      name: 'Good Health',
      alias: ['Health of Old'],
      identifier: [
        { system: 'urn:ietf:rfc:3986', value: 'https://good-health.example' },
        { system: 'https://facilities.example', value: 'F-1' },
      ],
      telecom: [{ system: 'url', value: 'https://www.good-health.example/about' }],
      address: [address, { postalCode: '02139', country: 'US' }],
    });
    expect(
      ofType<Organization>(await bundleAt(`${portal.fhirBase}/north`), 'Organization').map(({ name }) => name),
    ).toEqual(['North Clinic']);
  });
});
