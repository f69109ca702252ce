import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import { parseReference } from '../../contract/activity/reference.js';
import {
  countedLaunches,
  countedPerOutcome,
  type LaunchDay,
  type LaunchesQuery,
  type LaunchList,
  type LaunchView,
  launchOutcomes,
} from '../../contract/activity.js';
import { ClientListQuery } from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import { UserListQuery } from '../../contract/users/users.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { periodOf } from '../../platform/values/period.js';
import { UserManagement } from '../../users/application/user-management.js';
import { type Launch, Launches, type LaunchFilter } from '../domain/launch.js';
import { launchRow, launchView } from '../domain/launch-views.js';

const daysShown = 14;
/** Apps and people of a search whose launches are looked for. */
const mostFound = 50;
const weekMs = 7 * 86_400_000;

/** The launches of all apps, for administrators. */
@Injectable()
export class LaunchLists {
  constructor(
    private readonly launches: Launches,
    private readonly clients: ClientManagement,
    private readonly users: UserManagement,
    private readonly config: Config,
  ) {}

  async list(query: LaunchesQuery): Promise<LaunchList> {
    const filter = await this.filterOf(query);
    const { outcome: outcomes, page, pageSize, sortDirection } = query;
    const offset = (page - 1) * pageSize;
    const length = Math.min(pageSize, countedLaunches - offset);
    const wanted = { outcomes: [...new Set(outcomes)], newestFirst: sortDirection === 1, offset, length };
    const [launches, counts] = await Promise.all([
      length > 0 ? this.launches.list(filter, wanted) : [],
      this.launches.count(filter, countedPerOutcome),
    ]);
    const counted = launchOutcomes.filter((one) => outcomes.length === 0 || outcomes.includes(one));
    const isExact = counted.every((one) => counts[one] < countedPerOutcome);
    const totalCount = isExact
      ? counted.reduce((sum, one) => sum + counts[one], 0)
      : await this.launches.total(filter, counted, countedLaunches);
    return { launches: launches.map(launchRow), totalCount, counts };
  }

  lastDays(): Promise<LaunchDay[]> {
    return this.launches.days(daysShown);
  }

  /** One launch with everything that happened in it. */
  async byReference(reference: string): Promise<LaunchView> {
    const idPrefix = parseReference(reference);
    if (idPrefix === undefined) throw new Problem('invalid', message('launch-reference-invalid'));
    const launch = await this.launches.findByPrefix(idPrefix);
    if (!launch)
      throw new Problem('not-found', message('launch-gone', { duration: this.config.activity.keepDays * 86_400 }));
    return launchView(launch, await this.sameCause(launch));
  }

  async filterOf({ searchTerm, clientId, accountId, cause, from, to }: LaunchesQuery): Promise<LaunchFilter> {
    const period = periodOf(from, to);
    return {
      clientId: clientId && (await this.clients.clientIdNamed(clientId)),
      accountId: accountId && (await this.users.accountIdNamed(accountId)),
      cause,
      ...period,
      ...(await this.searchFilter(searchTerm.trim())),
    };
  }

  /** A reference finds its launch; any other text, and a reference that has none, finds apps and people. */
  private async searchFilter(searchTerm: string): Promise<Pick<LaunchFilter, 'idPrefix' | 'anyOf'>> {
    if (searchTerm === '') return {};
    const idPrefix = parseReference(searchTerm);
    if (idPrefix !== undefined && (await this.launches.findByPrefix(idPrefix))) return { idPrefix };
    const [clients, users] = await Promise.all([
      this.clients.listClients(Object.assign(new ClientListQuery(), { searchTerm, pageSize: mostFound })),
      this.users.listUsers(
        Object.assign(new UserListQuery(), { searchTerm, pageSize: mostFound, notIncludeClaims: 'true' }),
      ),
    ]);
    // The term itself may be the id of a client that is not registered.
    const clientIds = [...new Set([...clients.clients.map((client) => client.clientId), searchTerm])];
    return { anyOf: { clientIds, accountIds: users.users.map(({ id }) => id) } };
  }

  /** This launch counts, also if it is older. */
  private async sameCause(launch: Launch): Promise<number> {
    if (launch.cause === null) return 0;
    const since = new Date(Date.now() - weekMs);
    return (await this.launches.countOfCause(launch, since)) + (launch.startedAt < since ? 1 : 0);
  }
}
