import { validateResource } from '@medplum/core';
import type { Condition, Observation, Resource } from '@medplum/fhirtypes';
import { generateCareProviders } from '../../demo/data/care-providers.js';
import { generateDemoData } from '../../demo/data/generate.js';
import { generatePerson } from '../../demo/data/patients.js';
import { demoAccounts, demoClients } from '../../demo/demo-accounts.js';
import { demoDisclaimers } from '../../demo/disclaimers.js';
import { demoFamilies } from '../../demo/families.js';
import { loadDefinitions, SERVED_TYPES } from '../../demo/fhir-server/definitions.js';
import { sanitisedHtml } from '../../src/disclaimers/application/sanitised-html.js';

const resources: Resource[] = generateDemoData();
const keys = new Set(resources.map((resource) => `${resource.resourceType}/${resource.id}`));

function ofType<T extends Resource>(type: T['resourceType']): T[] {
  return resources.filter((resource): resource is T => resource.resourceType === type);
}

function categoriesOf(withCategories: (Observation | Condition)[]): Set<string> {
  const codings = withCategories.flatMap(({ category = [] }) => category.flatMap(({ coding = [] }) => coding));
  return new Set(codings.map(({ system, code }) => `${system}|${code}`));
}

describe('the demo data', () => {
  it('is the same every time it is generated', () => {
    expect(JSON.stringify(generateDemoData())).toBe(JSON.stringify(resources));
  });

  it('has the users of the demo', () => {
    expect(ofType('Patient').length).toBeGreaterThanOrEqual(60);
    expect(ofType('Practitioner').length).toBeGreaterThanOrEqual(6);
  });

  it('has resources of every served type', () => {
    expect(SERVED_TYPES.filter((type) => ofType(type).length === 0)).toEqual([]);
  });

  it.each([
    'http://terminology.hl7.org/CodeSystem/observation-category|laboratory',
    'http://terminology.hl7.org/CodeSystem/observation-category|social-history',
    'http://terminology.hl7.org/CodeSystem/observation-category|survey',
    'http://terminology.hl7.org/CodeSystem/observation-category|vital-signs',
    'http://terminology.hl7.org/CodeSystem/observation-category|procedure',
    'http://hl7.org/fhir/us/core/CodeSystem/us-core-category|sdoh',
  ])('has observations of the category %s', (category) => {
    expect(categoriesOf(ofType<Observation>('Observation'))).toContain(category);
  });

  it.each([
    'http://terminology.hl7.org/CodeSystem/condition-category|encounter-diagnosis',
    'http://terminology.hl7.org/CodeSystem/condition-category|problem-list-item',
    'http://hl7.org/fhir/us/core/CodeSystem/condition-category|health-concern',
  ])('has conditions of the category %s', (category) => {
    expect(categoriesOf(ofType<Condition>('Condition'))).toContain(category);
  });

  it('has a valid and unique id for every resource', () => {
    expect(keys.size).toBe(resources.length);
    expect(resources.filter(({ id }) => !/^[A-Za-z0-9\-.]{1,64}$/.test(id ?? ''))).toEqual([]);
  });

  it('has no reference to a missing resource', () => {
    const references = [...JSON.stringify(resources).matchAll(/"reference":"([^"]+)"/g)].map(
      ([, reference]) => reference,
    );
    expect(references.filter((reference) => !keys.has(reference ?? ''))).toEqual([]);
  });

  it('is valid FHIR R4', () => {
    loadDefinitions();
    // Records of a type differ in values, not in structure, so the newest one is sufficient.
    const kinds = new Map(
      resources.map((resource) => [`${resource.resourceType} ${resource.id?.replace(/\d+/g, '')}`, resource]),
    );
    const problems = [...kinds.values()].flatMap((resource): unknown[] => {
      try {
        return validateResource(resource);
      } catch (error) {
        return [`${resource.resourceType}/${resource.id}: ${error}`];
      }
    });
    expect(problems).toEqual([]);
  });
});

describe('the demo accounts', () => {
  it('name an existing resource of their own type in their fhirUser claim', () => {
    const claims = demoAccounts().flatMap(({ userType, claims }) => claims.map(({ value }) => [userType, value]));
    expect(claims).toHaveLength(3);
    for (const [userType, value] of claims) {
      expect(value).toMatch(new RegExp(`^${userType}/`));
      expect(keys).toContain(value);
    }
  });

  it('have unique e-mail addresses and passwords of at least 12 characters', () => {
    const accounts = demoAccounts();
    expect(new Set(accounts.map(({ email }) => email)).size).toBe(accounts.length);
    expect(new Set(accounts.map(({ password }) => password)).size).toBe(accounts.length);
    expect(accounts.every(({ password }) => password.length >= 12)).toBe(true);
  });
});

describe('the demo disclaimers', () => {
  it('are one for the portal and one for the sample app, and are shown unchanged', () => {
    expect(demoDisclaimers.map(({ clients = [] }) => clients)).toEqual([
      [],
      [demoClients('http://localhost:3802')[0]?.clientId],
    ]);
    for (const { html } of demoDisclaimers) expect(sanitisedHtml(html)).toBe(html.replace(/h2>/g, 'h3>').trim());
  });
});

describe('the demo clients', () => {
  it('are a public app with PKCE and a back-end service with a secret', () => {
    expect(demoClients('http://localhost:3802')).toMatchObject([
      { clientId: 'demo-app', clientType: 'StandaloneApp', requireClientSecret: false, requirePkce: true },
      { clientId: 'demo-backend', clientType: 'BackendService', clientSecrets: [{ secretType: 'SharedSecret' }] },
    ]);
  });
});

describe('the families of the demo', () => {
  it('are of accounts that exist, and of patients whose ages their bases permit', () => {
    const [, ...lines] = demoFamilies().split('\n');
    const emails = demoAccounts().map(({ email }) => email);
    const families = lines.map((line) => line.split(','));
    expect(families).toHaveLength(3);
    for (const [email, patient] of families) {
      expect(emails).toContain(email);
      expect(keys).toContain(`Patient/${patient}`);
    }
    const ages = families.map(([, patient]) => generatePerson(Number(patient), generateCareProviders()).age);
    expect(ages[0]).toBeGreaterThanOrEqual(13);
    expect(ages[1]).toBeLessThan(13);
    expect(ages[2]).toBeGreaterThanOrEqual(18);
  });
});
