import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import type { PresenceReport, PresenceView, PresentAdministrator } from '../../contract/presence.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { RequestQueue } from '../../requests/application/request-queue.js';
import { UserDirectory, userGone } from '../../users/application/user-directory.js';
import { Openings, presentStates } from '../domain/openings.js';

const presenceReported = 'gatehouse_presence';
/** More than these do not help. */
const mostNamed = 20;

/**
 * The administrators who have the same client, user or request open. Each node keeps what all nodes were told, in
 * memory alone; the notifications and the log carry no names (decision 0075).
 */
@Injectable()
export class Presence {
  private readonly openings = new Openings();

  constructor(
    private readonly notifications: Notifications,
    private readonly clients: ClientManagement,
    private readonly users: UserDirectory,
    private readonly requests: RequestQueue,
    revocations: Revocations,
  ) {
    notifications.on(presenceReported, (payload) => this.openings.note(JSON.parse(payload), Date.now()));
    revocations.onSessionsEnded((accountId) => this.openings.forgetAccount(accountId));
  }

  /** Notes what a tab does with a record; returns what others do with it. */
  async report({ kind, id, tab, state }: PresenceReport, caller: SignedInUser): Promise<PresenceView> {
    const opening = { kind, id: id.toLowerCase(), tab, state, accountId: caller.id };
    const hasLeft = state === 'left';
    if (!hasLeft && !this.openings.isKnown(opening, Date.now())) await this.assertExists(kind, opening.id);
    if (this.openings.isNews(opening, Date.now())) {
      await this.notifications.send(presenceReported, JSON.stringify(opening));
    }
    if (hasLeft) return { others: [], ownTabs: null };
    const { others, ownTabs } = this.openings.inOtherTabs(opening, Date.now());
    return { others: await this.withNames(others.slice(0, mostNamed)), ownTabs };
  }

  private async assertExists(kind: PresenceReport['kind'], id: string): Promise<void> {
    if (kind === 'client') await this.clients.getClient(id);
    else if (kind === 'request') await this.requests.assertExists(id);
    else if (!(await this.users.findById(id))) throw new Problem('not-found', userGone);
  }

  /** Without those who are no longer administrators. */
  private async withNames(
    others: readonly { accountId: string; state: PresentAdministrator['state'] }[],
  ): Promise<PresentAdministrator[]> {
    const named: PresentAdministrator[] = [];
    for (const { accountId, state } of others) {
      const user = await this.users.findById(accountId);
      if (user?.userType === 'Admin') named.push({ name: user.fullName, state });
    }
    return named.sort(
      (a, b) => presentStates.indexOf(a.state) - presentStates.indexOf(b.state) || a.name.localeCompare(b.name),
    );
  }
}
