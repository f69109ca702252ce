import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { Database } from '../../platform/database/database.js';

/** Row ids by resource type. */
export type Offered = Record<string, string[]>;

const model = 'LaunchOffer';
/** The longest life of the request that they belong to: 15 minutes at this step, and again at the consent step. */
const lifetimeSeconds = 30 * 60;
/** Per type; more than a user looks through. The rows shown first are dropped first. */
const mostRows = 2_000;

/**
 * Remembers the resources that a request was offered: nothing else can be chosen in it (security O-01). Resources that
 * depend on a patient are kept separately for each patient that was looked at, so that no offer overwrites another;
 * pages and searches add up.
 */
@Injectable()
export class OfferedResources {
  constructor(
    private readonly records: OidcRecords,
    private readonly database: Database,
  ) {}

  async add(interactionId: string, patient: string | undefined, offered: Offered): Promise<void> {
    const id = key(interactionId, patient);
    // Concurrent pages need an existing row to lock.
    await this.records.insertOnce(model, id, lifetimeSeconds);
    await this.database.transaction(async () => {
      const found = await this.records.findLocked(model, id);
      const before = (found?.payload.offered as Offered | undefined) ?? {};
      const types = [...new Set([...Object.keys(before), ...Object.keys(offered)])];
      const all = types.map((type) => {
        const recent = offered[type] ?? [];
        const earlier = (before[type] ?? []).filter((row) => !recent.includes(row));
        return [type, [...earlier, ...recent].slice(-mostRows)];
      });
      await this.records.upsert(model, id, { offered: Object.fromEntries(all) }, lifetimeSeconds);
    });
  }

  async forInteraction(interactionId: string, patient: string | undefined): Promise<Offered> {
    const found = await this.records.findById(model, key(interactionId, patient));
    return (found?.payload.offered as Offered | undefined) ?? {};
  }
}

function key(interactionId: string, patient = ''): string {
  return `${interactionId}\n${patient}`;
}
