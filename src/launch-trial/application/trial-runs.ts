import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { ClientView } from '../../contract/clients/clients.js';
import type {
  ShownToken,
  TrialKind,
  TrialLimit,
  TrialRead,
  TrialResult,
  TrialReturn,
} from '../../contract/clients/launch-trial.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { GatewayBases } from '../../gateway/application/gateway-bases.js';
import { LaunchTrials, type TrialTokens } from '../../oidc/application/launch-trials.js';
import { EhrLaunches } from '../../oidc/domain/ehr-launches.js';
import { currentLaunchId, identifyLaunch, note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { readByTrial } from './trial-reads.js';
import { type StoredTrial, TrialStore } from './trial-store.js';

/** The client as it is now; undefined once it was deleted. */
type PresentClient = ClientView | undefined;

/** A trial as an administrator asks for it. */
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

/**
 * A trial from its start to its end. It is a launch of its own, recorded before anything is requested: tokens, one
 * request for data, and the end of the tokens, whatever that request came to.
 */
@Injectable()
export class TrialRuns {
  constructor(
    private readonly launches: LaunchTrials,
    private readonly ehr: EhrLaunches,
    private readonly gateway: GatewayBases,
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

  /** The answer to the authorization request has arrived. */
  async receiveAnswer(
    trial: StoredTrial,
    client: PresentClient,
    { code, error, errorDescription }: TrialReturn,
  ): Promise<void> {
    if (code === undefined) {
      const refused = { code: error ?? 'invalid_request', description: errorDescription ?? '' };
      return this.end(trial, { ...nothing, error: refused, limits: limitsOf(client, []) });
    }
    return this.useTokens(trial, client, await this.launches.redeem(clientOf(trial, client), code));
  }

  async ofService(trial: StoredTrial, client: PresentClient): Promise<void> {
    const resource = client?.clientType === 'ManagementApi' ? undefined : trial.base;
    const tokens = await this.launches.ofService(clientOf(trial, client), trial.scopes.join(' '), resource);
    return this.useTokens(trial, client, tokens);
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

  private async useTokens(trial: StoredTrial, client: PresentClient, tokens: TrialTokens): Promise<void> {
    const { status, body } = tokens;
    const { access_token: accessToken, id_token: idToken, ...response } = body;
    if (status !== 200 || typeof accessToken !== 'string') {
      const refused = { code: String(body.error), description: String(body.error_description ?? '') };
      return this.end(trial, { ...nothing, error: refused, limits: limitsOf(client, []) });
    }
    const granted = splitScopes(String(body.scope ?? ''));
    let read: TrialRead;
    try {
      read =
        client?.clientType === 'ManagementApi'
          ? { none: 'management' }
          : await readByTrial(this.gateway, trial, tokens);
    } finally {
      await this.launches.end(accessToken);
    }
    return this.end(trial, {
      outcome: 'completed',
      error: null,
      granted,
      response,
      accessToken: shownToken(accessToken),
      idToken: typeof idToken === 'string' ? shownToken(idToken) : null,
      read,
      limits: limitsOf(client, granted),
    });
  }

  private async end(trial: StoredTrial, result: TrialResult): Promise<void> {
    const { id: subject, clientId } = trial;
    const { outcome, error, granted: scopes, read } = result;
    await this.database.transaction(async () => {
      await this.store.end(trial, result);
      await this.audit.record({
        type: 'launch-trial.ended',
        outcome: outcome === 'completed' ? 'success' : 'failure',
        clientId,
        subject,
        detail: { scopes, ...(error && { error: error.code }), ...('status' in read && { read: read.status }) },
      });
    });
  }
}

const nothing = {
  outcome: 'refused',
  granted: [],
  response: {},
  accessToken: null,
  idToken: null,
  read: { none: 'no-token' },
} satisfies Partial<TrialResult>;

function clientOf({ id, clientId }: StoredTrial, client: PresentClient) {
  return { trialId: id, clientId, bound: client?.requireDpop === true };
}

/** Without its signature a JWT is only a text, and without its value another token is nothing. */
function shownToken(token: string): ShownToken {
  if (token.split('.').length !== 3) return { format: 'opaque', header: null, claims: null };
  return { format: 'jwt', header: { ...decodeProtectedHeader(token) }, claims: { ...decodeJwt(token) } };
}

/** The parts of a launch that the trial left out. */
function limitsOf(client: PresentClient, granted: string[]): TrialLimit[] {
  if (!client) return [];
  const isService = !client.allowedGrantTypes.includes('authorization_code');
  return [
    ...(client.requireClientSecret ? (['client-authentication'] as const) : []),
    ...(client.requirePar || client.requireSignedRequestObject ? (['request-object'] as const) : []),
    ...(client.require2fa ? (['second-factor'] as const) : []),
    ...(isService ? [] : (['sign-in'] as const)),
    ...(granted.some((scope) => /^o(ff|n)line_access$/.test(scope)) ? (['refresh-token'] as const) : []),
  ];
}
