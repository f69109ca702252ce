import type { Config } from './config.js';

/** A FHIR base that clients name in `aud`, and the FHIR server behind it. */
export interface FhirBase {
  /** The tenant of the base; undefined for the base of `fhir.baseUrl`. */
  tenant: { id: string; name: string } | undefined;
  /** URL of the base for clients: Gatehouse's while the gateway is on, otherwise the FHIR server's own. */
  url: string;
  /** Path under the issuer at which the gateway serves the base. */
  path: string;
  server: ServerBehind;
  /** Ids of patients who are not real persons. */
  testPatients: readonly string[];
}

type ServerBehind = Pick<Config['fhir'], 'baseUrl' | 'aliases' | 'credentials' | 'exportStores'>;
type Configured = ServerBehind & Pick<Config['fhir'], 'testPatients'>;

/** All bases; the base without a tenant comes first. */
export function fhirBasesOf({ fhir, gateway, server: { issuer } }: Config): [FhirBase, ...FhirBase[]] {
  const base = (tenant: FhirBase['tenant'], configured: Configured): FhirBase => {
    const { baseUrl, aliases, credentials, exportStores, testPatients } = configured;
    const path = tenant === undefined ? gateway.path : `${gateway.path}/${tenant.id}`;
    const own = gateway.enabled ? undefined : baseUrl;
    return {
      tenant,
      url: (own ?? issuer + path).replace(/\/$/, ''),
      path,
      server: { baseUrl, aliases, credentials, exportStores },
      testPatients,
    };
  };
  const tenants = fhir.tenants.map((tenant) => base({ id: tenant.id, name: tenant.name }, tenant));
  return [base(undefined, fhir), ...tenants];
}
