import { Injectable } from '@nestjs/common';
import type { ChangeLevelRequest } from '../../contract/representation.js';
import { OwnerConfirmation } from '../../own-data/application/owner-confirmation.js';
import type { Browser } from '../../platform/request/browser.js';
import { LevelChanges } from '../../representation/application/levels/level-changes.js';

/** The levels that patients give their representatives: more needs a proof of the patient, less does not. */
@Injectable()
export class HelperLevels {
  constructor(
    private readonly changes: LevelChanges,
    private readonly confirmation: OwnerConfirmation,
  ) {}

  async change(browser: Browser, id: string, { currentPassword, ...asked }: ChangeLevelRequest): Promise<void> {
    const owner = await this.confirmation.ownerOf(browser);
    await this.changes.change(owner.account.id, id, asked, () =>
      this.confirmation.assertRecent(owner, currentPassword, 'representation.changed'),
    );
  }
}
