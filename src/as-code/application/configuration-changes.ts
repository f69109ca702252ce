import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Plan } from '../domain/plan.js';
import { ConfigurationPlans, type PlanOptions } from './configuration-plans.js';
import { FileContent } from './file-content.js';
import { type PlannedChange, problemsOf } from './planned-change.js';

export interface ApplyOptions extends PlanOptions {
  allowDelete: boolean;
  /** Id of the plan that was read; another one is refused. */
  plan: string | undefined;
}

/** More would make an event of the audit record too large; each client and user has an event of its own. */
const mostRecorded = 1000;

/** Makes the stored objects what a file says. */
@Injectable()
export class ConfigurationChanges {
  constructor(
    private readonly plans: ConfigurationPlans,
    private readonly managed: ManagedObjects,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async plan(file: string, options: PlanOptions): Promise<Plan> {
    return (await this.plans.plan(await FileContent.read(file), options)).plan;
  }

  /**
   * All or nothing. Of two at the same time one is refused; so is one whose objects an administrator changes in
   * between.
   */
  async apply(file: string, { allowDelete, plan: expected, ...options }: ApplyOptions): Promise<Plan> {
    return this.database.repeatableTransaction(async () => {
      if (!(await this.managed.lockForApply())) throw new Problem('conflict', message('apply-under-way'));
      const content = await FileContent.read(file);
      const { plan, changes } = await this.plans.plan(content, options);
      if (expected !== undefined && expected !== plan.id) {
        throw new Problem('conflict', message('plan-outdated', { expected, plan: plan.id }));
      }
      for (const change of changes) refuseUnasked(content, change, allowDelete);
      content.refuse();
      for (const change of changes) await carryOut(content, change);
      // A client that was disabled by hand is shown in the plan, and not changed.
      const made = changes.filter(({ action }) => action !== 'stopped');
      if (made.length > 0) await this.record(file, plan, made);
      return plan;
    });
  }

  private async record(file: string, plan: Plan, changes: readonly PlannedChange[]): Promise<void> {
    const recorded = changes.slice(0, mostRecorded).map(({ kind, action, id, name, fields }) => ({
      ...{ kind, action, id },
      // Clients, users and relationships have events with their values. The name of a user is an address, which no
      // record needs twice.
      ...(kind !== 'user' && kind !== 'relationship' && { name }),
      ...(kind === 'tag' && { fields }),
    }));
    const detail = { file: basename(file), plan: plan.id, count: changes.length, changes: recorded };
    await this.audit.record({ type: 'configuration.applied', outcome: 'success', detail });
  }
}

function refuseUnasked(content: FileContent, { kind, action, path, name, note }: PlannedChange, allowDelete: boolean) {
  if (action === 'adoption-needed') {
    content.add(path, `This ${kind} exists and is managed by hand; --adopt takes it over.`);
  } else if (action === 'configured-otherwise') {
    content.add(path, `The ${kind} ${name} differs from the configuration of the portal, which apply does not change.`);
  } else if (action === 'delete' && !allowDelete) {
    content.add(path, `The ${kind} ${name} is not in the file; --allow-delete deletes it (${note}).`);
  }
}

/**
 * A refusal by the database (a value that another object has, a change in between) is shown at its place in the file.
 */
async function carryOut(content: FileContent, { path, carryOut: change }: PlannedChange): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === 'unavailable') throw error;
    content.addAll(path, problemsOf(error));
    content.refuse();
  }
}
