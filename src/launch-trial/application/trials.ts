import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import { referenceOf } from '../../contract/activity/reference.js';
import type { ClientView } from '../../contract/clients/clients.js';
import {
  type StartedTrial,
  type TrialBase,
  type TrialKind,
  type TrialOptions,
  type TrialRequest,
  type TrialReturn,
  type TrialView,
  trialKinds,
} from '../../contract/clients/launch-trial.js';
import { message } from '../../contract/messages/message.js';
import { NamedPatients } from '../../launch-context/application/named-patients.js';
import { identifyLaunch } from '../../platform/activity/launch-notes.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';
import { portalPath } from '../../platform/http/base-path.js';
import { scopesToTry } from '../domain/trial-scopes.js';
import { TrialAccess, type TrialCaller } from './trial-access.js';
import { TrialRuns } from './trial-runs.js';

/** Launches of clients that administrators try (decision 0074). */
@Injectable()
export class Trials {
  private readonly bases: readonly FhirBase[];

  constructor(
    private readonly clients: ClientManagement,
    private readonly patients: NamedPatients,
    private readonly access: TrialAccess,
    private readonly runs: TrialRuns,
    config: Config,
  ) {
    this.bases = fhirBasesOf(config);
  }

  async options(clientRecordId: string): Promise<TrialOptions> {
    const client = await this.clients.getClient(clientRecordId);
    const { clientId, clientName } = client;
    return {
      clientId,
      clientName,
      obstacle: obstacleOf(client),
      kinds: kindsOf(client),
      scopes: Object.fromEntries(trialKinds.map((kind) => [kind, scopesToTry(client, kind)])) as TrialOptions['scopes'],
      bases: await this.describeBases(client),
    };
  }

  /** Starts a trial; that of a service ends with the call. */
  async start(
    clientRecordId: string,
    { kind, scopes, patient, tenant }: TrialRequest,
    caller: TrialCaller,
  ): Promise<StartedTrial> {
    const client = await this.clients.getClient(clientRecordId);
    const obstacle = obstacleOf(client);
    if (obstacle) throw new Problem('conflict', message(obstacle === 'disabled' ? 'trial-disabled' : 'trial-no-type'));
    if (!kindsOf(client).includes(kind)) throw new Problem('invalid', message('request-invalid'));
    const base = this.basesOf(client).find((one) => tenant === undefined || one.tenant?.id === tenant);
    if (!base) throw new Problem('invalid', message('trial-no-base'));
    if (patient !== undefined) {
      if (!base.testPatients.includes(patient)) throw new Problem('invalid', message('trial-patient'));
      await this.nameOf(patient, base.tenant?.id);
    }
    const { trial, authorize } = await this.runs.begin({
      ...{ clientRecordId, clientId: client.clientId, clientName: client.clientName },
      ...{ adminId: caller.adminId, sessionUid: await this.access.sessionOf(caller) },
      ...{ kind, scopes: [...new Set(scopes)], ...(patient !== undefined && { patient }) },
      base: { url: base.url, tenant: base.tenant?.id },
    });
    if (authorize === undefined && (await this.access.take(trial.id))) await this.runs.ofService(trial, client);
    return { id: trial.id, authorize: authorize === undefined ? null : portalPath(authorize) };
  }

  /** The answer to the authorization request, once and in the session of the start. */
  async acceptAnswer(id: string, answer: TrialReturn, caller: TrialCaller): Promise<void> {
    const { trial, state } = await this.access.inItsSession(id, caller);
    const { launchId, clientId, clientRecordId, adminId, kind } = trial;
    const isWaiting = kind !== 'service' && state === 'waiting';
    if (!isWaiting || !(await this.access.take(id))) throw new Problem('conflict', message('trial-answered'));
    identifyLaunch({ id: launchId, kind: 'trial', clientId, accountId: adminId });
    await this.runs.receiveAnswer(trial, await this.presentClient(clientRecordId), answer);
  }

  async view(id: string, caller: TrialCaller): Promise<TrialView> {
    const { trial, state, result } = await this.access.ownWithReasons(id, caller);
    const { clientRecordId, clientId, clientName, kind, patient = null, startedAt, launchId, scopes, request } = trial;
    return {
      ...{ id, state, clientRecordId, clientId, clientName, kind, patient, startedAt, scopes, request, result },
      reference: referenceOf(launchId),
    };
  }

  /** The bases that the client may use. */
  private basesOf({ allowedTenants }: Pick<ClientView, 'allowedTenants'>): readonly FhirBase[] {
    return this.bases.filter(
      ({ tenant }) => allowedTenants.length === 0 || (tenant !== undefined && allowedTenants.includes(tenant.id)),
    );
  }

  /** Names the test patients, as far as the FHIR servers answer. */
  private async describeBases(client: Pick<ClientView, 'allowedTenants'>): Promise<TrialBase[]> {
    return Promise.all(
      this.basesOf(client).map(async ({ tenant, testPatients }) => ({
        tenant: tenant?.id ?? null,
        name: tenant?.name ?? null,
        patients: await Promise.all(
          testPatients.map(async (id) => ({
            id,
            name: await this.nameOf(id, tenant?.id).catch(undefinedIfUnavailable),
          })),
        ).then((patients) => patients.map(({ id, name }) => ({ id, name: name ?? null }))),
      })),
    );
  }

  /** Throws `unavailable` while the patient cannot be read. */
  private async nameOf(patient: string, tenant: string | undefined): Promise<string | undefined> {
    const launch = { chosen: [{ type: 'Patient', id: patient }] };
    return (await this.patients.forRequest({ tenant, launch }))?.name;
  }

  /** Undefined for a client that was deleted since: the token endpoint refuses it. */
  private async presentClient(clientRecordId: string): Promise<ClientView | undefined> {
    try {
      return await this.clients.getClient(clientRecordId);
    } catch (error) {
      if (error instanceof Problem && error.kind === 'not-found') return undefined;
      throw error;
    }
  }
}

function obstacleOf({ clientType, enabled }: ClientView): TrialOptions['obstacle'] {
  return clientType === 'Invalid' ? 'no-type' : enabled ? null : 'disabled';
}

function kindsOf({ clientType, allowedGrantTypes }: ClientView): TrialKind[] {
  if (clientType === 'Invalid') return [];
  return allowedGrantTypes.includes('authorization_code') ? ['standalone', 'ehr'] : ['service'];
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof Problem) || error.kind !== 'unavailable') throw error;
}
