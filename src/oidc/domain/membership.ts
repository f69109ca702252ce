import type { Claim } from '../../contract/session.js';

/**
 * True if an account may use a FHIR base at all. `Patient/1` is a different patient in every FHIR server: an account
 * belongs to the tenants that its `tenant` claims name, and without one to the base without a tenant.
 */
export function belongsTo(
  { claims }: { claims: readonly Claim[] },
  { tenant }: { tenant: { id: string } | undefined },
): boolean {
  const own = claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
  return tenant === undefined ? own.length === 0 : own.includes(tenant.id);
}
