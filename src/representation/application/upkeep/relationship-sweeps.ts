import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { clocksAgree } from '../../../platform/database/connection.js';
import { Database } from '../../../platform/database/database.js';
import { Notifications } from '../../../platform/database/notifications.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import { BackgroundWork } from '../../../platform/process/background-work.js';
import { removeInPortions } from '../../../platform/process/portions.js';
import { type Repeated, repeat } from '../../../platform/process/repeat.js';
import { usersChanged } from '../../../users/application/user-directory.js';
import { type DueRelationship, DueRelationships } from '../../domain/due-relationships.js';
import { liveStatuses } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { AppsOfRelationship } from '../levels/apps-of-relationship.js';
import { RelationshipLooks } from './relationship-looks.js';

const everyMs = 60_000;
const removeEveryMs = 3_600_000;
const batch = 50;
const removedAtOnce = 1_000;

/**
 * Looks at relationships when something is due: several nodes share them, and one that a node leaves unfinished is
 * taken by another one after an hour. No decision waits for it.
 */
@Injectable()
export class RelationshipSweeps implements OnModuleInit, OnModuleDestroy {
  private sweeps: Repeated | undefined;
  private removals: Repeated | undefined;
  private readonly background = new BackgroundWork();
  private isStopped = false;

  constructor(
    private readonly due: DueRelationships,
    private readonly relationships: Relationships,
    private readonly looks: RelationshipLooks,
    private readonly apps: AppsOfRelationship,
    private readonly notifications: Notifications,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    if (!this.looks.isOn) return;
    this.sweeps = repeat(everyMs, 'a look at relationships failed; will retry', () => this.sweep(new Date()));
    this.removals = repeat(removeEveryMs, 'removal of old relationships failed; will retry', async () => {
      await this.removeOld(new Date());
    });
    this.notifications.on(usersChanged, (account) => {
      if (account === '') return;
      // Each change by itself: what one has read may be older than the next.
      this.background.begin(
        Symbol(account),
        () => this.afterChangeOf(account),
        (err) => {
          log.warn({ err, account }, 'the relationships of a changed account could not be looked at');
          return true;
        },
      );
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await Promise.all([this.sweeps?.stop(), this.removals?.stop(), this.background.stop()]);
  }

  /** Removes all that is too old at this time; nothing while the clock of this node is wrong. */
  async removeOld(at: Date): Promise<void> {
    if (!(await clocksAgree(this.database))) return;
    await removeInPortions(
      removedAtOnce,
      (most) => this.due.removeOld(at, most),
      () => this.isStopped,
    );
  }

  /** Looks at all that is due at this time; at nothing while the clock of this node is wrong. */
  async sweep(at: Date): Promise<void> {
    if (!(await clocksAgree(this.database))) return;
    for (let found = batch; found === batch && !this.isStopped; ) {
      const due = await this.due.claim(at, batch);
      found = due.length;
      for (const one of due) if (!this.isStopped) await this.look(one, at);
    }
  }

  private async look(one: DueRelationship, at: Date): Promise<void> {
    try {
      const look = await this.looks.look(one, at);
      if (!look) return;
      const { levels, looked } = look;
      if (levels && looked.levels?.join() !== one.looked?.levels?.join()) {
        await this.apps.endUnfit(one.relationship, levels);
      }
      await this.due.finish(one, look.next, looked);
    } catch (err) {
      // Another node or user was faster.
      if (err instanceof Problem && err.kind === 'conflict') return;
      log.warn({ err, relationship: one.relationship.id }, 'a look at a relationship failed; will retry');
    }
  }

  /** An account that has left the tenant of a patient does not act for the patient any more. */
  private async afterChangeOf(account: string): Promise<void> {
    for (const relationship of await this.relationships.ofAccount(account)) {
      if (!liveStatuses.includes(relationship.status) || !(await this.looks.hasLeft(relationship))) continue;
      const at = new Date();
      await this.look({ relationship, looked: null, claimedUntil: at }, at);
    }
  }
}
