import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { mended } from '../../contract/rules/damage.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Config } from '../../platform/config/config.js';
import { randomId } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import {
  RepresentedAccess,
  type Represented as RepresentedPatient,
  refusalClauses,
} from '../../representation/application/represented-access.js';
import { RepresentativeResources } from '../../representation/application/server/representative-resources.js';
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
import { contextAt, type EhrContext, type LaunchSources, ownRecord, type Represented } from '../domain/launch.js';
import { patientOfTrial } from '../domain/trial.js';

const model = 'EhrLaunch';
const lifetimeSeconds = 600;
/** As {@link randomId} makes them. */
const valueForm = /^[\w-]{43}$/;

/** EHR launches in the store of the engine, which sweeps them with its own records. */
@Injectable()
export class RegisteredEhrLaunches extends EhrLaunches {
  private admits: LaunchAdmission = async () => true;

  private readonly panel: LaunchSources['panel'];

  constructor(
    private readonly records: OidcRecords,
    private readonly access: RepresentedAccess,
    private readonly resources: RepresentativeResources,
    { fhir }: Config,
  ) {
    super();
    this.panel = fhir.panel === 'all' ? undefined : fhir.panel;
  }

  limitBy(admits: LaunchAdmission): void {
    this.admits = admits;
  }

  async register({ context, clientId, user, tenant, trialId, unread }: EhrLaunch): Promise<string> {
    const id = randomId();
    // Not named `clientId` and `accountId`: revoking a client's grants must not end a launch that has no grant yet.
    const payload = { context, forClient: clientId, forUser: user, tenant, trialId, unread };
    await this.records.upsert(model, id, payload, lifetimeSeconds);
    return id;
  }

  async findForClient(id: string, clientId: string, base: LaunchBase): Promise<EhrLaunch | undefined> {
    const found = await this.records.findById(model, id);
    if (!found || found.payload.consumed !== undefined) return undefined;
    const { context, forClient, forUser, tenant, trialId, unread } = found.payload as {
      context: EhrContext;
      forClient?: string;
      forUser?: string;
      tenant?: string;
      trialId?: string;
      unread?: string;
    };
    if ((forClient !== undefined && forClient !== clientId) || tenant !== base.tenant?.id) return undefined;
    return { context, clientId: forClient, user: forUser, tenant, trialId, unread };
  }

  async fault(id: string, clientId: string, base: LaunchBase): Promise<LaunchFault | undefined> {
    const past = await this.records.findPast(model, id);
    if (!past) return this.unknown(id);
    const { forClient, tenant } = past.payload as { forClient?: string; tenant?: string };
    if (forClient !== undefined && forClient !== clientId) return { reason: 'foreign', clientId: forClient };
    if (tenant !== base.tenant?.id) return { reason: 'other-tenant', tenant };
    if (past.consumedSince !== null) return { reason: 'used', secondsAgo: past.consumedSince };
    return past.expiredSince > 0 ? { reason: 'expired', secondsAgo: past.expiredSince } : undefined;
  }

  /** For a value without a record: the damage of one that has a record, or a form that no value has. */
  private async unknown(id: string): Promise<LaunchFault> {
    for (const { text, damage } of mended(id).filter((one) => valueForm.test(one.text))) {
      if (await this.records.findPast(model, text)) return { reason: 'damaged', damage };
    }
    return valueForm.test(id) ? { reason: 'unknown' } : { reason: 'malformed', length: id.length };
  }

  async sources(request: LaunchRequest): Promise<LaunchSources | undefined> {
    const { launch, clientId, account, base, trial } = request;
    const sources = await this.ownSources(request);
    if (launch === undefined) return trial ? { chosen: patientOfTrial(trial) } : sources;
    const found = await this.findForClient(String(launch), clientId, base);
    if (found?.trialId !== trial?.id) return undefined;
    if (!found) return undefined;
    if (trial) return { ehr: found.context, chosen: [] };
    const { userType, fhirUser = '' } = account;
    const isAdmitted = async () => userType !== 'Practitioner' || this.admits(found.context, fhirUser, base.tenant?.id);
    const acting = await this.actingFor(account, sources.represented, found.context.patient);
    if (acting && isFor(found, account, acting))
      return { ...withoutOwn(sources), acting, ehr: contextAt(found.context, acting.levels) };
    const isUsable = mayUse(found, account);
    if (isUsable && (await isAdmitted())) return { ...sources, ehr: found.context };
    if (request.isQuestion) return undefined;
    if (isUsable) note('announced-patient-outside-panel');
    else await this.noteForeign(found, account, base);
    return undefined;
  }

  /** The user's own record, and the patient for whom the user has chosen to act. */
  private async ownSources({ account, base, chosen }: LaunchRequest): Promise<LaunchSources> {
    const own = ownRecord(account.fhirUser);
    const sources: LaunchSources = { own, chosen, panel: this.panel };
    if (account.userType !== 'Patient' && account.userType !== 'RelatedPerson') return sources;
    const { patients, isUnread } = await this.access.allOf(account.id, base.tenant?.id, new Date());
    const patient = chosen.find(({ type }) => type === 'Patient')?.id;
    const isOther = patient !== undefined && patient !== own;
    if (patients.length === 0 && !isUnread && !isOther) return sources;
    const others = { represented: patients.map(representedOf), ...(isUnread && { isUnread }) };
    const acting = isOther ? await this.actingFor(account, others.represented, patient) : undefined;
    if (acting) return { ...withoutOwn(sources), ...others, acting };
    // The user cannot act for the chosen patient any more: nothing is granted, and never the user's own record instead.
    return isOther ? { ...withoutOwn(sources), ...others, chosen: [], isWithdrawn: true } : { ...sources, ...others };
  }

  /** A user with a record of their own stays that; any other is a resource of the relationship. */
  private async actingFor(
    { fhirUser }: LaunchUser,
    represented: readonly Represented[] = [],
    patient: string | undefined,
  ): Promise<Represented | undefined> {
    const found = represented.find((one) => one.patient === patient);
    const own = found && fhirUser === undefined ? await this.resources.forRelationship(found.relationship) : undefined;
    return found && { ...found, ...(own !== undefined && { fhirUser: own }) };
  }

  private async noteForeign(
    { user, context: { patient } }: EhrLaunch,
    { id, fhirUser }: LaunchUser,
    { tenant }: LaunchBase,
  ): Promise<void> {
    if (user !== undefined && user !== id && user !== fhirUser) {
      return note('announced-other-person', { announced: user, signedIn: fhirUser ?? id });
    }
    const acting =
      patient && (await this.access.forRequest({ account: id, patient, tenant: tenant?.id, at: new Date() }));
    const cause = acting && !acting.permitted ? acting.cause : 'none';
    // Without a relationship the two have nothing to do with each other.
    if (cause === 'none' || cause === 'off') {
      const record = fhirUser ?? 'none';
      return note('announced-other-patient', { announced: `Patient/${patient ?? ''}`, record });
    }
    note('announced-patient-not-represented', { reason: refusalClauses[cause] });
  }

  async basisOf({ relationship, fhirUser }: Represented): Promise<{ id: string; fhirUser?: string | undefined }> {
    if (!(await this.access.lockActive(relationship))) throw new Problem('conflict', message('context-changed'));
    return { id: relationship, fhirUser };
  }

  use(id: string): Promise<boolean> {
    return this.records.consume(model, id);
  }
}

function representedOf({ relationship, levels }: RepresentedPatient): Represented {
  const { id, patient, patientName, basis, relation, end } = relationship;
  const { level, withoutBirthDate, aboveTable, agreedSteps } = relationship;
  const underAges = { level, withoutBirthDate, aboveTable, agreedSteps };
  return { relationship: id, patient, patientName, levels, basis, relation, end, underAges };
}

function withoutOwn({ own: _, ...sources }: LaunchSources): LaunchSources {
  return sources;
}

function isFor({ user }: EhrLaunch, { id, fhirUser }: LaunchUser, acting: Represented): boolean {
  return user === undefined || user === id || user === (fhirUser ?? acting.fhirUser);
}
