import type { Capabilities } from './capabilities.js';

/** The state of the FHIR server, shared by all nodes. */
export interface ServerState {
  available: boolean;
  /** From the last good answer, however long ago; undefined until there was one. */
  capabilities: Capabilities | undefined;
  /** Changes with the capabilities. */
  loadedAt: string | undefined;
  /** By the database's clock. */
  checkedAt: Date;
}

/** The outcome of a check. */
export interface Check {
  /** True if the server has answered. */
  isUp: boolean;
  /** Undefined for a check that has not read them. */
  capabilities: Capabilities | undefined;
  /** The whole CapabilityStatement that they are from. */
  statement?: object;
}

/**
 * The state shared by all nodes, so that they answer alike and the FHIR server is asked once, not once per node.
 * The database's clock decides when the next check is due.
 */
export abstract class ServerStates {
  /**
   * Claims the next check when it is due: returns the number of failures in a row so far to the one node that gets it,
   * else undefined.
   */
  abstract claimCheck(baseUrl: string, leaseSeconds: number): Promise<number | undefined>;
  /** A server that was available stays so until {@link failuresUntilLost} checks in a row have failed. */
  abstract record(baseUrl: string, check: Check, nextCheckSeconds: number): Promise<void>;
  /** The state; `known` spares reading the capabilities again while they are the same. */
  abstract read(baseUrl: string, known: ServerState | undefined): Promise<ServerState | undefined>;
  /** Keeps the CapabilityStatement that was just read. */
  abstract keepStatement(baseUrl: string, statement: object): Promise<void>;
  /** The CapabilityStatement that was kept last, unless that is longer ago. */
  abstract keptStatement(baseUrl: string, maxAgeSeconds: number): Promise<object | undefined>;
}

/** Seconds until a check that is due while the server is well. */
export const checkEverySeconds = 4;

/** A busy server misses a check now and then. */
export const failuresUntilLost = 3;
/** Seconds until the check after one that failed, before the server counts as lost. */
export const checkAgainSeconds = 1;

/**
 * Doubles from 5 s to 60 s with every failure in a row; `random` in [0, 1) keeps installations from calling in step.
 */
export function backOffSeconds(failures: number, random: number): number {
  return Math.min(60, 5 * 2 ** failures) * (0.8 + 0.2 * random);
}
