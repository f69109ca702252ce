import { createHash } from 'node:crypto';
import { hasDataOf, identifierOf } from '../../../platform/config/brands.js';
import type { Config } from '../../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../platform/config/fhir-bases.js';

type Organization = Config['brands']['organizations'][number];

/** Below a FHIR base. */
export const brandsPath = '/.well-known/user-access-brands';

const definitions = 'http://hl7.org/fhir/StructureDefinition';
const terminology = 'http://terminology.hl7.org/CodeSystem';

/**
 * The organizations that a FHIR base publishes: those with its data, and the first base those of all tenants as well.
 */
function brandsOf({ brands }: Config, { tenant }: FhirBase): Organization[] {
  return brands.organizations.filter(({ tenants }) => tenant === undefined || tenants.includes(tenant.id));
}

/**
 * The members of the SMART configuration that lead to the brands (SMART App Launch 2.2 §brands); none without an
 * organization.
 */
export function brandMembers(config: Config, base: FhirBase) {
  const published = brandsOf(config, base);
  const primary = published.find((one) => hasDataOf(one, base)) ?? published[0];
  if (!primary) return {};
  return {
    user_access_brand_bundle: base.url + brandsPath,
    user_access_brand_identifier: identifierOf(primary),
  };
}

/**
 * The User Access Brands Bundle of a FHIR base (SMART App Launch 2.2 §brands), which is the list of service base URLs
 * as well (45 CFR 170.404): each organization with the endpoints that have its data. Undefined without an organization.
 */
export function brandBundle(config: Config, base: FhirBase): { body: string; etag: string } | undefined {
  const published = brandsOf(config, base);
  if (published.length === 0) return undefined;
  const { brands, server } = config;
  const bases = fhirBasesOf(config).filter((one) => published.some((brand) => hasDataOf(brand, one)));
  const organizations = published.map((brand) =>
    organizationOf(
      brand,
      bases.filter((one) => hasDataOf(brand, one)),
    ),
  );
  const endpoints = bases.map((one) => ({
    resourceType: 'Endpoint',
    id: endpointId(one),
    extension: [{ url: `${definitions}/endpoint-fhir-version`, valueCode: brands.fhirVersion }],
    status: 'active',
    connectionType: { system: `${terminology}/endpoint-connection-type`, code: 'hl7-fhir-rest' },
    name: `FHIR endpoint of ${one.tenant?.name ?? published.find((brand) => hasDataOf(brand, one))?.name}`,
    contact: [{ system: 'url', value: brands.developers ?? server.issuer }],
    payloadType: [{ coding: [{ system: `${terminology}/endpoint-payload-type`, code: 'none' }] }],
    address: one.url,
  }));
  const entry = [...organizations, ...endpoints].map((resource) => ({
    fullUrl: `${base.url}/${resource.resourceType}/${resource.id}`,
    resource,
  }));
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'collection', timestamp: brands.updatedAt, entry });
  return { body, etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

function organizationOf(brand: Organization, bases: readonly FhirBase[]) {
  const { name, aliases, website, identifiers, addresses, logo, logoLicense, portals } = brand;
  const endpoints = bases.map((base) => ({ reference: `Endpoint/${endpointId(base)}` }));
  const branding = [...urlPart('brandLogo', logo), ...urlPart('brandLogoLicense', logoLicense)];
  const extension = [
    ...(branding.length > 0 ? [{ url: `${definitions}/organization-brand`, extension: branding }] : []),
    ...portals.map((portal) => ({
      url: `${definitions}/organization-portal`,
      extension: [
        { url: 'portalName', valueString: portal.name },
        ...(portal.description === undefined ? [] : [{ url: 'portalDescription', valueMarkdown: portal.description }]),
        ...urlPart('portalUrl', portal.url),
        ...urlPart('portalLogo', portal.logo),
        ...endpoints.map((valueReference) => ({ url: 'portalEndpoint', valueReference })),
      ],
    })),
  ];
  return {
    resourceType: 'Organization',
    id: idOf(identifierOf(brand).value),
    ...(extension.length > 0 && { extension }),
    identifier: [identifierOf(brand), ...identifiers],
    active: true,
    type: [{ coding: [{ system: `${terminology}/organization-type`, code: 'prov' }] }],
    name,
    ...(aliases.length > 0 && { alias: aliases }),
    telecom: [{ system: 'url', value: website }],
    address: addresses.map(({ line, ...address }) => ({ ...(line !== undefined && { line: [line] }), ...address })),
    endpoint: endpoints,
  };
}

function urlPart(url: string, valueUrl: string | undefined) {
  return valueUrl === undefined ? [] : [{ url, valueUrl }];
}

/** Ids have at most 64 letters, digits, hyphens and dots (FHIR R4 §2.24.0.1). */
function idOf(website: string): string {
  return createHash('sha256').update(website).digest('hex').slice(0, 32);
}

function endpointId({ tenant }: FhirBase): string {
  return tenant === undefined ? 'fhir-base' : `fhir-base-${tenant.id}`.slice(0, 64);
}
