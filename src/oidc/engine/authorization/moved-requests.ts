import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';

/** The id that a client's request got with its next step, stored under the id of the step before. */
const model = 'MovedInteraction';

/** Keeps that the request continues under another id: the engine gives it a new one with each step. */
export function keepMove(records: OidcRecords, from: string, to: string, lifetimeSeconds: number): Promise<void> {
  return records.upsert(model, from, { to }, lifetimeSeconds);
}

/** The present id of a client's request, by any id that it had. */
export async function presentIdOf(records: OidcRecords, id: string): Promise<string> {
  const moved = await records.findById(model, id);
  return moved ? presentIdOf(records, String(moved.payload.to)) : id;
}
