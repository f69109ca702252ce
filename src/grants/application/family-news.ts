import { Injectable } from '@nestjs/common';
import type { EndedNews, FamilyNews } from '../../contract/representation/news.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { type EndedRelationship, PatientNews } from '../../representation/application/upkeep/patient-news.js';
import { AppAccess } from './app-access.js';

/** News that a patient is told once, with the apps that have ended and those that continue. */
@Injectable()
export class FamilyNewsPage {
  constructor(
    private readonly news: PatientNews,
    private readonly access: AppAccess,
    private readonly receipts: AccessReceipts,
  ) {}

  async forPatient(accountId: string): Promise<FamilyNews> {
    const { ended, stillActing, ...news } = await this.news.forPatient(accountId);
    const own = ended.length === 0 ? [] : await this.appsOf(accountId, null);
    const endedNews = ended.map(
      async ({ relationship, ...shown }): Promise<EndedNews> => ({
        ...shown,
        apps: await this.endedApps(relationship),
      }),
    );
    return { ...news, ended: await Promise.all(endedNews), continues: { representatives: stillActing, apps: own } };
  }

  /** Those whose access has ended with the relationship, or has to: it may not be stored yet. */
  private async endedApps({ id, accountId, endedAt }: EndedRelationship): Promise<string[]> {
    if (accountId === null) return [];
    if (endedAt === null) return this.appsOf(accountId, id);
    return this.receipts.appsEndedWith(accountId, id, endedAt);
  }

  private async appsOf(accountId: string, representation: string | null): Promise<string[]> {
    const apps = (await this.access.ofAccount(accountId)).filter((one) => one.representation === representation);
    const names = await Promise.all(apps.map(async ({ clientId }) => (await this.access.view(clientId)).clientName));
    return [...new Set(names)].toSorted((one, other) => one.localeCompare(other));
  }
}
