import { Injectable } from '@nestjs/common';
import { PresentedRecords } from '../../oidc-store/infrastructure/presented-records.js';
import { currentReference, identifyLaunch, launchIdOfDay, note } from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { log } from '../../platform/logging/log.js';
import { callerKey } from '../../platform/request/caller-key.js';
import { addressOfEndpoint, type MeantEndpoint, meantEndpoint } from '../domain/engine-paths.js';
import { RefusedTokens } from '../domain/refused/refused-tokens.js';
import { presentedWith } from '../engine/refusals/presented-credentials.js';

export interface MisdirectedRequest {
  method: string;
  /** Without the query. */
  path: string;
  authorization: string | undefined;
  /** Those of its address and of its form. */
  parameters: Readonly<Record<string, unknown>>;
  /** Its address with the query, and its body. */
  carried: { address: string; body: string };
}

const presents = { code: 'AuthorizationCode', refresh_token: 'RefreshToken' } as const;
const longestPath = 100;

/**
 * Requests to the addresses that endpoints have in other products. They are told the right address, and an
 * administrator sees them: what was issued here leads to its launch, and a client that they name to its record.
 */
@Injectable()
export class MisdirectedRequests {
  constructor(
    private readonly records: PresentedRecords,
    private readonly stray: StrayRecords,
    private readonly secrets: Secrets,
    private readonly config: Config,
    private readonly refused: RefusedTokens,
  ) {}

  /** True for requests to an address that is another product's. */
  areFor(method: string, path: string): boolean {
    return meantEndpoint(path, method) !== undefined;
  }

  /** Records the request. Returns the error and the sentence for its sender, and the reference of the record. */
  async refuse(
    request: MisdirectedRequest,
  ): Promise<{ error: string; sentence: string; reference: string | undefined }> {
    const { method, path, authorization, parameters, carried } = request;
    const meant = meantEndpoint(path, method);
    if (!meant) throw new Error('a request that is not misdirected was taken for one');
    const { clientId } = presentedWith(authorization, parameters);
    const launchId = await this.launchOf(parameters, clientId);
    const named = await this.refused.identifyClient({ authorization, ...carried });
    const day = launchIdOfDay(this.secrets, 'elsewhere', callerKey(), method, path, named);
    if (launchId === undefined) identifyLaunch({ kind: 'unknown' });
    identifyLaunch({ id: launchId ?? this.stray.idFor('endpoint', day) });
    const sentence = this.noteMeant(meant, { method, sent: path.slice(0, longestPath) });
    const isRegistration = meant === 'endpoint for registrations';
    const error = isRegistration ? 'registration_not_supported' : 'invalid_request';
    return { error, sentence, reference: currentReference() };
  }

  private noteMeant(meant: MeantEndpoint, sent: { method: string; sent: string }): string {
    const { issuer } = this.config.server;
    const right = addressOfEndpoint(meant, { issuer, fhirBase: fhirBasesOf(this.config)[0].url });
    if (right !== undefined) {
      note('endpoint-elsewhere', { ...sent, endpoint: meant, right });
      return `There is nothing at this address. The ${meant} is at ${right}.`;
    }
    if (meant === 'endpoint for registrations') {
      note('registration-not-offered');
      return 'There is no dynamic registration here: an administrator registers clients.';
    }
    const instead =
      'Send the user to the authorization endpoint in a browser: there is no device flow here (RFC 8628).';
    note('endpoint-not-offered', { ...sent, endpoint: meant, instead });
    return `There is no ${meant} here.`;
  }

  /** The launch of the code or refresh token, which must be the client's if the request names one. */
  private async launchOf(
    parameters: MisdirectedRequest['parameters'],
    clientId: string | undefined,
  ): Promise<string | undefined> {
    const name = (['code', 'refresh_token'] as const).find((one) => typeof parameters[one] === 'string');
    if (name === undefined || !this.stray.mayLookUp()) return undefined;
    const found = await this.records
      .findByValue(presents[name], String(parameters[name]))
      .catch((err: unknown) => log.warn({ err }, 'launch lookup for a misdirected request failed'));
    const isOfClient = clientId === undefined || found?.clientId === clientId;
    return (isOfClient && found?.launchId) || undefined;
  }
}
