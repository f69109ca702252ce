import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import { KeySets } from '../../clients/application/key-sets.js';
import { catalogue } from '../../contract/activity/catalogue.js';
import { referenceOf } from '../../contract/activity/reference.js';
import type { ClientActivity } from '../../contract/activity.js';
import type { ClientSecretView } from '../../contract/clients/clients.js';
import { statesOfSecret, unusedDays } from '../../contract/rules/clients/client-secrets.js';
import { Problem } from '../../platform/errors.js';
import { type Launch, Launches } from '../domain/launch.js';
import { codeOfKey, decidedBy, launchRow } from '../domain/launch-views.js';

const dayMs = 86_400_000;
const launchesShown = 5;
const launchesCounted = 1_000;

type Refusal = ClientActivity['refusals'][number];

/** The activity of a client, next to its settings. */
@Injectable()
export class ClientActivities {
  constructor(
    private readonly launches: Launches,
    private readonly clients: ClientManagement,
    private readonly keySets: KeySets,
  ) {}

  async activityOf(id: string): Promise<ClientActivity> {
    const { clientId, clientSecrets } = await this.clients.getClient(id);
    const lastOnes = { newestFirst: true, offset: 0 };
    const [launches, [success], refusals, emptiedSearches, keySets] = await Promise.all([
      this.launches.list({ clientId }, { ...lastOnes, outcomes: [], length: launchesShown }),
      this.launches.list({ clientId }, { ...lastOnes, outcomes: ['completed'], length: 1 }),
      this.refusalsOf(clientId),
      this.launches.emptiedSearches(clientId, aWeekAgo(), launchesCounted),
      this.checkKeySets(clientSecrets),
    ]);
    const now = new Date();
    return {
      launches: launches.map(launchRow),
      lastSuccessAt: success ? successAt(success) : null,
      refusals,
      emptiedSearches,
      credentials: clientSecrets.flatMap((secret) => warningAbout(secret, now)),
      keySets,
    };
  }

  private async refusalsOf(clientId: string): Promise<Refusal[]> {
    const since = aWeekAgo();
    const [found, services] = await Promise.all([
      this.launches.refusals(clientId, since),
      this.launches.refusedServices(clientId, since),
    ]);
    const refusals = new Map<string, Refusal>();
    for (const { cause, count, lastId } of found) {
      const last = await this.launches.findByPrefix(lastId);
      const reason = last && decidedBy(last);
      if (reason) refusals.set(cause, { cause, decidedBy: reason, count, lastReference: referenceOf(lastId) });
    }
    for (const refusal of services.flatMap(refusalsIn)) {
      const before = refusals.get(refusal.cause);
      refusals.set(refusal.cause, before ? { ...before, count: before.count + refusal.count } : refusal);
    }
    return [...refusals.values()].sort((a, b) => b.count - a.count);
  }

  private checkKeySets(secrets: readonly ClientSecretView[]): Promise<ClientActivity['keySets']> {
    const urls = new Set(secrets.flatMap(({ secretUrl }) => secretUrl ?? []));
    return Promise.all(
      [...urls].map((url) =>
        this.keySets.check(url).then(
          () => ({ url, readable: true, reason: null }),
          (error: unknown) => {
            if (!(error instanceof Problem)) throw error;
            return { url, readable: false, reason: error.message };
          },
        ),
      ),
    );
  }
}

/** A day of a service has refusals of several causes. */
function refusalsIn({ id, entries }: Launch): Refusal[] {
  return Object.entries(entries).flatMap(([key, { count }]) => {
    const cause = codeOfKey(key);
    const { severity = 'step' } = Object.hasOwn(catalogue, cause) ? catalogue[cause as keyof typeof catalogue] : {};
    const reason = severity === 'step' || severity === 'notice' ? null : decidedBy({ cause: key, entries });
    return reason === null ? [] : [{ cause, decidedBy: reason, count, lastReference: referenceOf(id) }];
  });
}

function aWeekAgo(): Date {
  return new Date(Date.now() - 7 * dayMs);
}

function successAt({ startedAt, entries }: Launch): string {
  const last = entries['tokens-refreshed']?.last ?? entries['tokens-issued']?.last;
  return (last === undefined ? startedAt : new Date(last)).toISOString();
}

/** The most urgent warning about a secret or key. */
function warningAbout(secret: ClientSecretView, now: Date): ClientActivity['credentials'] {
  const { description, secretType: type, expires, lastUsed } = secret;
  const [state] = statesOfSecret(secret, now);
  const isUnused = lastUsed !== null && now.getTime() - Date.parse(lastUsed) > unusedDays * dayMs;
  const shown = state ?? (isUnused ? 'unused' : undefined);
  return shown === undefined ? [] : [{ description, type, expires, lastUsed, state: shown }];
}
