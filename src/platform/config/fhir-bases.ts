import type { Config } from './config.js';

/** A FHIR base that apps name in `aud`, and the server behind it. */
export interface FhirBase {
  /** Whose it is; the base of `fhir.baseUrl` is nobody's. */
  tenant: { id: string; name: string } | undefined;
  /** As apps see it: ours while the gateway is on, the server's own otherwise. */
  url: string;
  /** Where the gateway serves it, under the issuer. */
  path: string;
  server: ServerBehind;
}

type ServerBehind = Pick<Config['fhir'], 'baseUrl' | 'credentials'>;

/** The one of no tenant comes first. */
export function fhirBasesOf({ fhir, gateway, server: { issuer } }: Config): [FhirBase, ...FhirBase[]] {
  const base = (tenant: FhirBase['tenant'], { baseUrl, credentials }: ServerBehind): FhirBase => {
    const path = tenant === undefined ? gateway.path : `${gateway.path}/${tenant.id}`;
    const own = gateway.enabled ? undefined : baseUrl;
    return { tenant, url: (own ?? issuer + path).replace(/\/$/, ''), path, server: { baseUrl, credentials } };
  };
  const tenants = fhir.tenants.map(({ id, name, baseUrl, credentials }) =>
    base({ id, name }, { baseUrl, credentials }),
  );
  return [base(undefined, { baseUrl: fhir.baseUrl, credentials: fhir.credentials }), ...tenants];
}
