import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TrialKind } from '../../contract/clients/launch-trial.js';
import { LaunchTrials } from '../../oidc/application/launch-trials.js';
import { EhrLaunches } from '../../oidc/domain/ehr-launches.js';
import { currentLaunchId, identifyLaunch, note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { type StoredTrial, TrialStore } from './trial-store.js';

/** A try as an administrator asks for it. */
export interface AskedTrial
  extends Pick<
    StoredTrial,
    'clientRecordId' | 'clientId' | 'clientName' | 'adminId' | 'sessionUid' | 'kind' | 'scopes' | 'patient'
  > {
  base: { url: string; tenant: string | undefined };
}

const how: Record<TrialKind, string> = {
  standalone: 'As if a user opened the app',
  ehr: 'As if an EHR launched the app',
  service: 'As the back-end service itself',
};

/** The start of a try: a launch of its own, recorded before anything is requested. */
@Injectable()
export class TrialStarts {
  constructor(
    private readonly launches: LaunchTrials,
    private readonly ehr: EhrLaunches,
    private readonly store: TrialStore,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** `authorize`: the address at which the browser continues; undefined for a service. */
  async begin({ base, ...asked }: AskedTrial): Promise<{ trial: StoredTrial; authorize: string | undefined }> {
    const { kind, clientId, adminId, patient, scopes } = asked;
    const launchId = currentLaunchId();
    identifyLaunch({ kind: 'trial', clientId, accountId: adminId });
    return this.database.transaction(async () => {
      const started = { ...asked, id: randomUUID(), base: base.url, startedAt: new Date().toISOString(), launchId };
      const { authorize, request } = await this.requestOf(started, base.tenant);
      const trial: StoredTrial = { ...started, request };
      await this.store.add(trial);
      await this.audit.record({
        type: 'launch-trial.started',
        outcome: 'success',
        clientId,
        subject: trial.id,
        detail: { kind, scopes, patient, tenant: base.tenant },
      });
      this.database.afterCommit(() => {
        note('trial-begun', { how: how[kind] });
        if (kind !== 'service') {
          note('request-received', { how: kind === 'ehr' ? 'Launched from the EHR' : 'Opened by itself' });
        }
      });
      return { trial, authorize };
    });
  }

  private async requestOf(
    { id, kind, clientId, adminId, sessionUid, patient, scopes, base, launchId }: Omit<StoredTrial, 'request'>,
    tenant: string | undefined,
  ): Promise<{ authorize: string | undefined; request: Record<string, string> }> {
    const scope = scopes.join(' ');
    if (kind === 'service') {
      return { authorize: undefined, request: { grant_type: 'client_credentials', client_id: clientId, scope } };
    }
    const isEhr = kind === 'ehr';
    const launch = isEhr
      ? await this.ehr.register({
          context: { ...(patient !== undefined && { patient }) },
          clientId,
          tenant,
          trialId: id,
        })
      : undefined;
    const trial = { id, accountId: adminId, sessionUid, ...(!isEhr && patient !== undefined && { patient }) };
    const asked = { trial, clientId, scope, base, launchId, ...(launch !== undefined && { launch }) };
    const request = { ...this.launches.parametersOf(asked), ...(isEhr && { launch: '…' }) };
    return { authorize: await this.launches.store(asked), request };
  }
}
