import type { ServerStatus } from '../../contract/dashboard.js';
import { log } from '../../platform/logging/log.js';
import { type Repeated, repeat } from '../../platform/repeat.js';
import { readCapabilities, type ServedOperation } from '../domain/capabilities.js';
import { FhirServerFailure } from '../domain/connection.js';
import {
  backOffSeconds,
  type Check,
  checkEverySeconds,
  type ServerState,
  ServerStates,
} from '../domain/server-states.js';
import { FhirServer } from './fhir-server.js';

const tickMs = 5_000;
const checkTimeoutMs = 5_000;
/** Real CapabilityStatements have 1 to 3 MB; parsing ten times that would hold up every other request. */
export const maxCapabilityStatementBytes = 16 * 1024 * 1024;

/**
 * Keeps an eye on a FHIR server, from start to stop, without ever holding anything up.
 *
 * Every node looks at the shared state each five seconds. The one that finds a check due takes it (the others see that it is
 * taken), asks the server for its CapabilityStatement within five seconds, and records the outcome for all. Requests read
 * this node's memory only. Without the database a node checks for itself.
 */
export class FhirServerStatus {
  private state: ServerState | undefined;
  private watching: Repeated | undefined;
  private stopped = false;

  constructor(
    private readonly server: FhirServer,
    private readonly states: ServerStates,
  ) {}

  watch(): void {
    const { baseUrl } = this.server;
    if (baseUrl === undefined) log.warn('no FHIR server is configured: set fhir.baseUrl');
    else {
      // Nodes that were started together must not check at the same times.
      const tick = () => tickMs * (0.9 + 0.1 * Math.random());
      this.watching = repeat(tick, 'watching the FHIR server failed; will retry', () => this.update(baseUrl));
      this.watching.runNow();
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.watching?.stop();
  }

  status(): ServerStatus {
    return {
      isFirelyServerAvailable: this.state?.available ?? false,
      firelyServerUrl: this.server.baseUrl ?? null,
      isAllDataLoaded: this.state?.capabilities !== undefined,
      checkedAt: this.state?.checkedAt.toISOString() ?? null,
    };
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

  operations(): ServedOperation[] {
    return this.state?.capabilities?.operations ?? [];
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
      const failures = await this.states.claimCheck(baseUrl, checkTimeoutMs / 1000 + 1);
      if (failures !== undefined) {
        const check = await this.check();
        await this.states.record(baseUrl, check, check ? checkEverySeconds : backOffSeconds(failures, Math.random()));
      }
      return (await this.states.read(baseUrl, this.state)) ?? this.state;
    } catch (err) {
      if (this.stopped) return this.state;
      log.debug({ err }, 'FHIR server state not shared: the database does not answer');
      const check = await this.check();
      return {
        available: check !== undefined,
        capabilities: check ?? this.state?.capabilities,
        loadedAt: undefined,
        checkedAt: new Date(),
      };
    }
  }

  private async check(): Promise<Check> {
    try {
      const limits = { maxBytes: maxCapabilityStatementBytes, timeoutMs: checkTimeoutMs };
      return readCapabilities(await this.server.readJson('/metadata', limits));
    } catch (error) {
      // Anything else than a failure of the server is a fault of our own, but no reason to stop watching.
      if (!(error instanceof FhirServerFailure)) log.error({ err: error }, 'check of the FHIR server failed');
      else if (this.state?.available !== false)
        log.warn({ err: error.options.cause, reason: error.reason }, 'no CapabilityStatement from the FHIR server');
      return undefined;
    }
  }
}
