import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';

/** Row ids by resource type. */
export type Offered = Record<string, string[]>;

const model = 'LaunchOffer';
/** As long as the request that it belongs to may wait. */
const lifetimeSeconds = 15 * 60;

/**
 * Which resources a request was offered: nothing else can be chosen in it (security O-01). What depends on a patient is
 * kept apart for each patient that was looked at, so that no offer overwrites another.
 */
@Injectable()
export class Offers {
  constructor(private readonly records: OidcRecords) {}

  async keep(interactionId: string, patient: string | undefined, offered: Offered): Promise<void> {
    await this.records.upsert(model, key(interactionId, patient), { offered }, lifetimeSeconds);
  }

  async of(interactionId: string, patient: string | undefined): Promise<Offered> {
    const found = await this.records.find(model, key(interactionId, patient));
    return (found?.payload.offered as Offered | undefined) ?? {};
  }
}

function key(interactionId: string, patient = ''): string {
  return `${interactionId}\n${patient}`;
}
