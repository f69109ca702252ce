import type { Config } from '../../platform/config/config.js';

type Members = Record<string, unknown>;

/** The tenants of the portal, as files have them: without credentials. */
export function configuredTenants({ fhir }: Config): Members[] {
  return fhir.tenants.map(({ id, name, baseUrl }) => ({ id, name, baseUrl }));
}

/** The disclaimers of the portal, as files have them: without what is as it is by default. */
export function configuredDisclaimers({ disclaimers }: Config): Members[] {
  return disclaimers.map(({ id, description, html, tenant, clients, everyLogin }) => ({
    ...{ id, description, html },
    ...(tenant !== undefined && { tenant }),
    ...(clients.length > 0 && { clients }),
    ...(everyLogin && { everyLogin }),
  }));
}
