import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerStatus } from '../../contract/dashboard.js';
import type { Served } from '../../contract/rules/scopes/scope-effect.js';
import { log } from '../../platform/logging/log.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { type Capabilities, readCapabilities, type ServedOperation } from '../domain/capabilities.js';
import { FhirServerFailure } from '../domain/connection.js';
import {
  backOffSeconds,
  type Check,
  checkAgainSeconds,
  checkEverySeconds,
  failuresUntilLost,
  type ServerState,
  ServerStates,
} from '../domain/server-states.js';
import { FhirServer } from './fhir-server.js';

const tickMs = 5_000;
/** While a server that was available misses checks. */
const closeTickMs = 1_000;
const probeTimeoutMs = 5_000;
const stopWithinMs = 2_000;
/** A CapabilityStatement costs a busy server seconds, and changes with its releases only. */
const capabilitiesEveryMs = 10 * 60_000;
/** After one that was not answered, while the server answers probes. */
const capabilitiesAgainMs = 60_000;
/** Known capabilities serve for what is validated against them, while the server cannot be asked. */
const capabilitiesServeMs = 24 * 3_600_000;
/** Real CapabilityStatements have 1 to 3 MB; parsing ten times that would hold up every other request. */
export const maxCapabilityStatementBytes = 16 * 1024 * 1024;

/**
 * Keeps an eye on a FHIR server, from start to stop, without ever holding anything up.
 *
 * Every node looks at the shared state each five seconds. The one that finds a check due takes it (the others see that
 * it is taken), asks the server, and records the outcome for all. It asks for the CapabilityStatement rarely, and
 * between for the base URL, where any answer but an error of the server (5xx) will do. Requests read this node's memory
 * only. Without the database a node checks for itself (decision 0101).
 */
export class FhirServerStatus {
  private state: ServerState | undefined;
  private watching: Repeated | undefined;
  private stopped = false;
  /** Checks that failed since the last one that did not, as far as this node knows. */
  private missed = 0;
  private capabilitiesDueAt = 0;
  private lastServed: { from: Capabilities | undefined; served: Served } | undefined;

  constructor(
    private readonly server: FhirServer,
    private readonly states: ServerStates,
    /** Longest wait for the CapabilityStatement. */
    private readonly metadataTimeoutMs: number,
  ) {}

  watch(): void {
    const { baseUrl } = this.server;
    if (baseUrl === undefined) log.warn('no FHIR server is configured: set fhir.baseUrl');
    else {
      // Nodes that were started together must not check at the same times.
      const tick = () =>
        (this.missed > 0 && this.state?.available ? closeTickMs : tickMs) * (0.9 + 0.1 * Math.random());
      this.watching = repeat(tick, 'watching the FHIR server failed; will retry', () => this.update(baseUrl));
      this.watching.runNow();
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    // A check that waits for a slow server ends with the connection, and records nothing.
    await Promise.race([this.watching?.stop(), sleep(stopWithinMs, undefined, { ref: false })]);
  }

  status(): ServerStatus {
    return {
      isFirelyServerAvailable: this.state?.available ?? false,
      firelyServerUrl: this.server.baseUrl ?? null,
      isAllDataLoaded: this.state?.capabilities !== undefined,
      checkedAt: this.state?.checkedAt.toISOString() ?? null,
    };
  }

  /**
   * True if what is known of the server may be validated against: while it is available, and for a day after its last
   * CapabilityStatement.
   */
  capabilitiesServe(): boolean {
    const { available, capabilities } = this.state ?? {};
    const readAt = Date.parse(capabilities?.readAt ?? '');
    return available === true || Date.now() - readAt < capabilitiesServeMs;
  }

  /** The types and operations that the server lists: the same object until its CapabilityStatement is read again. */
  served(): Served {
    const capabilities = this.state?.capabilities;
    if (this.lastServed?.from !== capabilities || !this.lastServed) {
      const { operations } = capabilities ?? {};
      this.lastServed = { from: capabilities, served: { types: this.resourceTypes(), operations } };
    }
    return this.lastServed.served;
  }

  /** Undefined until a CapabilityStatement was read. */
  resourceTypes(): string[] | undefined {
    return this.state?.capabilities?.resourceTypes.map(({ type }) => type);
  }

  /** The types for which the server supports profiles of US Core. */
  usCoreTypes(): string[] {
    return this.state?.capabilities?.resourceTypes.filter(({ usCore }) => usCore).map(({ type }) => type) ?? [];
  }

  searchParametersOf(type: string): string[] {
    return this.state?.capabilities?.resourceTypes.find((resource) => resource.type === type)?.searchParameters ?? [];
  }

  /** The interactions with a type that the server carries out conditionally. */
  conditionalOn(type: string): string[] {
    return this.state?.capabilities?.resourceTypes.find((resource) => resource.type === type)?.conditional ?? [];
  }

  /** True if an update of this type makes what does not exist. */
  makesByUpdate(type: string): boolean {
    return this.state?.capabilities?.resourceTypes.find((resource) => resource.type === type)?.updateCreate === true;
  }

  operations(): ServedOperation[] {
    return this.state?.capabilities?.operations ?? [];
  }

  /**
   * The whole CapabilityStatement that any node has read in the last day; undefined while the database does not answer.
   */
  async keptStatement(): Promise<object | undefined> {
    const { baseUrl } = this.server;
    if (baseUrl === undefined) return undefined;
    return this.states.keptStatement(baseUrl, capabilitiesServeMs / 1000).catch((err: unknown) => {
      log.debug({ err }, 'no kept CapabilityStatement: the database does not answer');
      return undefined;
    });
  }

  private async update(baseUrl: string): Promise<void> {
    const before = this.state?.available;
    this.state = await this.readState(baseUrl);
    if (this.stopped) return;
    if (this.state?.available !== before) {
      if (this.state?.available) log.info({ baseUrl }, 'FHIR server available');
      else log.warn({ baseUrl }, 'FHIR server not available');
    }
  }

  private async readState(baseUrl: string): Promise<ServerState | undefined> {
    try {
      const lease = (this.metadataTimeoutMs + probeTimeoutMs) / 1000 + 1;
      const failures = await this.states.claimCheck(baseUrl, lease);
      if (failures !== undefined) {
        const check = await this.check();
        if (this.stopped) return this.state;
        this.missed = check.isUp ? 0 : failures + 1;
        await this.states.record(baseUrl, check, this.nextCheckSeconds(check, failures));
        if (check.statement) await this.states.keepStatement(baseUrl, check.statement);
      }
      return (await this.states.read(baseUrl, this.state)) ?? this.state;
    } catch (err) {
      if (this.stopped) return this.state;
      log.debug({ err }, 'FHIR server state not shared: the database does not answer');
      const { isUp, capabilities } = await this.check();
      this.missed = isUp ? 0 : this.missed + 1;
      return {
        available: isUp || (this.state?.available === true && this.missed < failuresUntilLost),
        capabilities: capabilities ?? this.state?.capabilities,
        loadedAt: undefined,
        checkedAt: new Date(),
      };
    }
  }

  private nextCheckSeconds({ isUp }: Check, failures: number): number {
    if (isUp) return checkEverySeconds;
    const isLost = this.state?.available !== true || failures + 1 >= failuresUntilLost;
    return isLost ? backOffSeconds(failures, Math.random()) : checkAgainSeconds;
  }

  private async check(): Promise<Check> {
    const isKnown = this.state?.capabilities !== undefined;
    if (isKnown && this.state?.available && Date.now() < this.capabilitiesDueAt) return this.probe();
    const read = await this.capabilities();
    this.capabilitiesDueAt = Date.now() + (read ? capabilitiesEveryMs : capabilitiesAgainMs);
    if (read) return { isUp: true, ...read };
    return isKnown ? this.probe() : { isUp: false, capabilities: undefined };
  }

  /** Undefined if the server gives none. */
  private async capabilities(): Promise<{ capabilities: Capabilities; statement: object } | undefined> {
    try {
      const limits = { maxBytes: maxCapabilityStatementBytes, timeoutMs: this.metadataTimeoutMs };
      const statement = await this.server.readJson('/metadata', limits);
      const capabilities = { ...readCapabilities(statement), readAt: new Date().toISOString() };
      return { capabilities, statement: statement as object };
    } catch (error) {
      this.note(error, 'no CapabilityStatement from the FHIR server');
      return undefined;
    }
  }

  private async probe(): Promise<Check> {
    try {
      const deadline = performance.now() + probeTimeoutMs;
      const headers = { accept: 'application/fhir+json' };
      const answer = await this.server.send({ method: 'GET', path: '', headers, deadline });
      answer.discard();
      if (answer.status < 500) return { isUp: true, capabilities: undefined };
      log.warn({ status: answer.status }, 'the FHIR server answers with an error');
    } catch (error) {
      this.note(error, 'no answer from the FHIR server');
    }
    return { isUp: false, capabilities: undefined };
  }

  /** Anything else than a failure of the server is a fault of our own, but no reason to stop watching. */
  private note(error: unknown, text: string): void {
    if (!(error instanceof FhirServerFailure)) log.error({ err: error }, 'check of the FHIR server failed');
    else if (this.state?.available !== false) log.warn({ err: error.options.cause, reason: error.reason }, text);
  }
}
