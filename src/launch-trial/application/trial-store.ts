import { Injectable } from '@nestjs/common';
import type { TrialKind, TrialResult } from '../../contract/clients/launch-trial.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';

/** A trial as it was started. */
export interface StoredTrial {
  id: string;
  clientRecordId: string;
  clientId: string;
  clientName: string;
  /** The administrator, and the session in which the trial continues. */
  adminId: string;
  sessionUid: string;
  kind: TrialKind;
  scopes: string[];
  patient?: string;
  /** URL of the FHIR base. */
  base: string;
  startedAt: string;
  launchId: string;
  request: Record<string, string>;
}

const model = 'LaunchTrial';
const resultModel = 'LaunchTrialResult';
/** As long as the authorization request of a user waits. */
const waitSeconds = 15 * 60;
const keptSeconds = 60 * 60;
/** Longer than a token request and a request for data take. */
const runningSeconds = 120;

/**
 * Trials in the store of the engine, which sweeps them with its own records. No grant and no client is their owner, so
 * neither's end removes them.
 */
@Injectable()
export class TrialStore {
  constructor(private readonly records: OidcRecords) {}

  add(trial: StoredTrial): Promise<void> {
    return this.records.upsert(model, trial.id, { started: trial }, waitSeconds);
  }

  /** Ends the waiting of a trial: true for exactly one caller, and for none once it has expired. */
  take(id: string): Promise<boolean> {
    return this.records.consume(model, id);
  }

  /** Keeps the result, and with it the trial. */
  async end(trial: StoredTrial, result: TrialResult): Promise<void> {
    await this.records.upsert(resultModel, trial.id, { started: trial, result }, keptSeconds);
  }

  async findById(
    id: string,
  ): Promise<{ trial: StoredTrial; state: TrialState; result: TrialResult | null } | undefined> {
    const ended = await this.records.findById(resultModel, id);
    if (ended) {
      const { started, result } = ended.payload as unknown as { started: StoredTrial; result: TrialResult };
      return { trial: started, state: 'ended', result };
    }
    const past = await this.records.findPast(model, id);
    if (!past) return undefined;
    const { started } = past.payload as unknown as { started: StoredTrial };
    return { trial: started, state: stateOf(past), result: null };
  }
}

type TrialState = 'waiting' | 'running' | 'ended' | 'interrupted' | 'expired';

function stateOf({ consumedSince, expiredSince }: { consumedSince: number | null; expiredSince: number }): TrialState {
  if (consumedSince !== null) return consumedSince > runningSeconds ? 'interrupted' : 'running';
  return expiredSince >= 0 ? 'expired' : 'waiting';
}
