import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { NewsSeenRequest } from '../../contract/representation/news.js';
import { Interactions } from '../../oidc/application/interactions.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { PatientNews } from '../../representation/application/upkeep/patient-news.js';
import { UserDirectory } from '../../users/application/user-directory.js';

/** The user has to be told who acts, or does no more. A request that may show no page does not wait for it. */
@Injectable()
export class FamilyNewsStep implements Step, OnModuleInit {
  readonly name = 'family-news';

  constructor(
    private readonly news: PatientNews,
    private readonly interactions: Interactions,
    private readonly accounts: UserDirectory,
    private readonly steps: Steps,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue({ accountId, fhirUser, isSilent }: Authorization): Promise<boolean> {
    if (isSilent || !fhirUser?.startsWith('Patient/')) return false;
    return this.news.areDue(await this.accounts.findById(accountId));
  }

  /** The user has seen the page; the request that waits for it continues. */
  async seen(accountId: string, browser: Browser, { relationships, returnUrl }: NewsSeenRequest): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      await this.news.tell(accountId, relationships);
      if (returnUrl === undefined) return;
      await this.interactions.goOnAfter({ accountId, browser, returnUrl }, 'family-news');
      this.database.afterCommit(() => note('family-news-read'));
    });
  }
}
