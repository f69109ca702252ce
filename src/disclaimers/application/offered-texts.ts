import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import type { Disclaimer } from '../domain/disclaimer.js';

const model = 'DisclaimerOffer';
/** The longest life of the request that they belong to. */
const lifetimeSeconds = 15 * 60;

/**
 * Remembers the wordings that a request was shown: nothing else can be agreed to in it (security L-03), also while
 * nodes with an older and a newer configuration run side by side.
 */
@Injectable()
export class OfferedTexts {
  constructor(private readonly records: OidcRecords) {}

  async keep(interactionId: string, disclaimers: Disclaimer[]): Promise<void> {
    const texts = Object.fromEntries(disclaimers.map(({ id, textHash }) => [id, textHash]));
    await this.records.upsert(model, interactionId, { texts }, lifetimeSeconds);
  }

  /** Hashes by id. */
  async forInteraction(interactionId: string): Promise<ReadonlyMap<string, string>> {
    const found = await this.records.find(model, interactionId);
    return new Map(Object.entries((found?.payload.texts as Record<string, string> | undefined) ?? {}));
  }
}
