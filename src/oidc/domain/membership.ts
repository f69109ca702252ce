import type { Claim, UserType } from '../../contract/session.js';

/**
 * True if an account may use a FHIR base at all. `Patient/1` is a different patient in every FHIR server: an account
 * belongs to the tenants that its `tenant` claims name, and without one to the base without a tenant. An administrator,
 * who authorizes clients in trials only, may use all of them.
 */
export function belongsTo(
  { claims, userType }: { claims: readonly Claim[]; userType?: UserType },
  { tenant }: { tenant: { id: string } | undefined },
): boolean {
  if (userType === 'Admin') return true;
  const own = claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
  return tenant === undefined ? own.length === 0 : own.includes(tenant.id);
}
