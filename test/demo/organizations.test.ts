import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bundle } from '@medplum/fhirtypes';
import { stringify } from 'yaml';
import { demoOrganizations } from '../../demo/organizations.js';
import { brandBundle } from '../../src/gateway/application/documents/brand-bundle.js';
import { fhirBasesOf } from '../../src/platform/config/fhir-bases.js';
import { loadConfig } from '../../src/platform/config/load-config.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('The demo publishes a hospital and a clinic, each with the FHIR base that has its data', () => {
  const { tenants, brands } = demoOrganizations({
    portal: 'http://localhost:3000',
    clinic: 'http://127.0.0.1:3801/clinic/r4',
  });
  const file = {
    fhir: { baseUrl: 'http://127.0.0.1:3801/r4', tenants },
    brands,
    database: { url: 'postgres://a@b/c' },
  };
  writeFileSync(join(folder, 'gatehouse.yaml'), stringify({ ...file, keys: { masterKey: 'ab'.repeat(32) } }));
  const config = loadConfig({}, folder);
  const published = fhirBasesOf(config).map((base) => {
    const { entry = [] }: Bundle = JSON.parse(brandBundle(config, base)?.body ?? '{}');
    return entry.map(({ resource }) => {
      if (resource?.resourceType === 'Endpoint') return resource.address;
      return resource?.resourceType === 'Organization' ? resource.name : resource?.resourceType;
    });
  });
  const base = 'http://localhost:3000/fhir';
  expect(published).toEqual([
    ['Demo Hospital', 'Demo Clinic', base, `${base}/clinic`],
    ['Demo Clinic', `${base}/clinic`],
  ]);
});
