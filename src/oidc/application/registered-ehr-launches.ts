import { Injectable } from '@nestjs/common';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Config } from '../../platform/config/config.js';
import { randomId } from '../../platform/crypto/secrets.js';
import {
  type EhrLaunch,
  EhrLaunches,
  type LaunchAdmission,
  type LaunchBase,
  type LaunchFault,
  type LaunchRequest,
  type LaunchUser,
  mayUse,
} from '../domain/ehr-launches.js';
import { type EhrContext, type LaunchSources, ownRecord } from '../domain/launch.js';
import { patientOfTrial } from '../domain/trial.js';

const model = 'EhrLaunch';
const lifetimeSeconds = 600;

/** EHR launches in the store of the engine, which sweeps them with its own records. */
@Injectable()
export class RegisteredEhrLaunches extends EhrLaunches {
  private admits: LaunchAdmission = async () => true;

  private readonly panel: LaunchSources['panel'];

  constructor(
    private readonly records: OidcRecords,
    { fhir }: Config,
  ) {
    super();
    this.panel = fhir.panel === 'all' ? undefined : fhir.panel;
  }

  limitBy(admits: LaunchAdmission): void {
    this.admits = admits;
  }

  async register({ context, clientId, user, tenant, trialId }: EhrLaunch): Promise<string> {
    const id = randomId();
    // Not named `clientId` and `accountId`: revoking a client's grants must not end a launch that has no grant yet.
    const payload = { context, forClient: clientId, forUser: user, tenant, trialId };
    await this.records.upsert(model, id, payload, lifetimeSeconds);
    return id;
  }

  async findForClient(id: string, clientId: string, base: LaunchBase): Promise<EhrLaunch | undefined> {
    const found = await this.records.findById(model, id);
    if (!found || found.payload.consumed !== undefined) return undefined;
    const { context, forClient, forUser, tenant, trialId } = found.payload as {
      context: EhrContext;
      forClient?: string;
      forUser?: string;
      tenant?: string;
      trialId?: string;
    };
    if ((forClient !== undefined && forClient !== clientId) || tenant !== base.tenant?.id) return undefined;
    return { context, clientId: forClient, user: forUser, tenant, trialId };
  }

  async fault(id: string, clientId: string, base: LaunchBase): Promise<LaunchFault | undefined> {
    const past = await this.records.findPast(model, id);
    if (!past) return { reason: 'unknown' };
    const { forClient, tenant } = past.payload as { forClient?: string; tenant?: string };
    if (forClient !== undefined && forClient !== clientId) return { reason: 'foreign', clientId: forClient };
    if (tenant !== base.tenant?.id) return { reason: 'other-tenant', tenant };
    if (past.consumedSince !== null) return { reason: 'used', secondsAgo: past.consumedSince };
    return past.expiredSince > 0 ? { reason: 'expired', secondsAgo: past.expiredSince } : undefined;
  }

  async sources(request: LaunchRequest): Promise<LaunchSources | undefined> {
    const { launch, clientId, account, base, chosen, trial } = request;
    const sources: LaunchSources = { own: ownRecord(account.fhirUser), chosen, panel: this.panel };
    if (launch === undefined) return trial ? { chosen: patientOfTrial(trial) } : sources;
    const found = await this.findForClient(String(launch), clientId, base);
    if (found?.trialId !== trial?.id) return undefined;
    if (!found) return undefined;
    if (trial) return { ehr: found.context, chosen: [] };
    const { userType, fhirUser = '' } = account;
    const isAdmitted = async () => userType !== 'Practitioner' || this.admits(found.context, fhirUser, base.tenant?.id);
    if (!mayUse(found, account)) noteForeign(found, account);
    else if (!(await isAdmitted())) note('announced-patient-outside-panel');
    else return { ...sources, ehr: found.context };
    return undefined;
  }

  use(id: string): Promise<boolean> {
    return this.records.consume(model, id);
  }
}

function noteForeign({ user }: EhrLaunch, { id, fhirUser }: LaunchUser): void {
  const isOtherUser = user !== undefined && user !== id && user !== fhirUser;
  if (isOtherUser) note('announced-other-person', { announced: user, signedIn: fhirUser ?? id });
  else note('announced-other-patient');
}
