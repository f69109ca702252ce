import { Injectable, type OnModuleInit } from '@nestjs/common';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { Interactions, type OwnRequest } from '../../oidc/application/interactions.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { meansPatient } from '../../oidc/domain/launch.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { type PausedAccess, PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { AppsOfUser } from './apps-of-user.js';
import type { NamedPatient } from './granted-patients.js';

/**
 * A user stops an app for a while, and lets it continue: for the user's own record, or for one patient for whom the
 * user acts. A new request of a paused app asks whether to resume it.
 */
@Injectable()
export class AppPauses implements Step, OnModuleInit {
  readonly name = 'paused';

  constructor(
    private readonly paused: PausedApps,
    private readonly access: AppsOfUser,
    private readonly interactions: Interactions,
    private readonly steps: Steps,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  /** Of a user who acts for others the question comes after the choice of the patient. */
  async isDue({ accountId, client, launch, scopes }: Authorization): Promise<boolean> {
    if (isOpen(launch) && scopes.some(isOfPatient)) return false;
    return this.paused.isPaused(accountId, client.clientId, () => launch.acting?.relationship);
  }

  /** Pausing twice is not an error: the answer to the first call may have been lost. */
  async pause(accountId: string, clientId: string, patient?: NamedPatient): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const access = await this.access.find(accountId, clientId, patient);
      if (await this.paused.pause(access)) await this.record('app.paused', access);
    });
  }

  async resume(accountId: string, clientId: string, patient?: NamedPatient): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      for (const access of await this.access.named(accountId, clientId, patient)) await this.end(access);
    });
  }

  /** Resumes the app whose request waits for it. */
  async resumeFor(request: OwnRequest): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const { authorization } = await this.interactions.waiting(request);
      await this.interactions.goOnAfter(request, 'paused');
      const { client, launch } = authorization;
      const representation = launch.acting?.relationship ?? null;
      await this.end({ accountId: request.accountId, clientId: client.clientId, representation });
      this.database.afterCommit(() => note('app-resumed'));
    });
  }

  private async end(access: PausedAccess): Promise<void> {
    if (await this.paused.resume(access)) await this.record('app.resumed', access);
  }

  private async record(type: 'app.paused' | 'app.resumed', { clientId, representation }: PausedAccess): Promise<void> {
    const detail = representation === null ? {} : { detail: { representation } };
    await this.audit.record({ type, outcome: 'success', clientId, ...detail });
  }
}

/** True until the user has chosen between the own record and those of others. */
function isOpen({ represented, chosen, ehr }: Authorization['launch']): boolean {
  return represented !== undefined && ehr?.patient === undefined && !chosen.some(({ type }) => type === 'Patient');
}

function isOfPatient(text: string): boolean {
  const scope = parseScope(text);
  return scope !== undefined && meansPatient(scope);
}
