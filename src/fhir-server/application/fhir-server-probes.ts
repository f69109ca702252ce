import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { readCapabilities } from '../domain/capabilities.js';
import { type FhirServerAddress, FhirServerConnections, FhirServerFailure } from '../domain/connection.js';
import { ServerNames } from '../domain/server-names.js';
import { FhirServer, isJson } from './fhir-server.js';
import { maxCapabilityStatementBytes } from './fhir-server-status.js';

/** The state of a configured FHIR server as this node sees it now. */
export interface FhirServerProbe {
  baseUrl: string;
  /** A text if there is no usable CapabilityStatement: the reason, for the operator. */
  capabilities: { version: string; types: number } | string;
  /** Seconds that its `Date` header is ahead of this machine's clock; undefined without one. */
  clockOffset: number | undefined;
  /** The status of a search without credentials; undefined without an answer. */
  statusWithoutCredentials: number | undefined;
  /** Base URLs in its answers that are not known to be its own; undefined if no answer names the server. */
  otherNames: string[] | undefined;
}

const patienceMs = 4_000;
const headers = { accept: 'application/fhir+json' };

/** Looks at the FHIR servers with connections of its own, whatever the portal has cached about them. */
@Injectable()
export class FhirServerProbes {
  constructor(
    private readonly config: Config,
    private readonly connections: FhirServerConnections,
  ) {}

  async all(): Promise<FhirServerProbe[]> {
    return Promise.all(
      fhirBasesOf(this.config).flatMap(({ server: { baseUrl, aliases, credentials }, url }) => {
        if (baseUrl === undefined) return [];
        const [base = baseUrl, ...others] = [baseUrl, ...aliases].map((one) => one.replace(/\/+$/, ''));
        return [this.examine({ baseUrl, credentials }, new ServerNames(base, others, url))];
      }),
    );
  }

  private async examine(
    address: FhirServerAddress & { baseUrl: string },
    names: ServerNames,
  ): Promise<FhirServerProbe> {
    const { baseUrl } = address;
    const [{ capabilities, clockOffset }, statusWithoutCredentials, found] = await Promise.all([
      this.withServer(address, readMetadata),
      this.withServer({ baseUrl, credentials: { type: 'none' } }, statusOfSearch),
      this.withServer(address, readNames),
    ]);
    const otherNames = found && [...new Set(found.filter((name) => names.local(`${name}/Patient/1`) !== 'Patient/1'))];
    return { baseUrl: withoutPassword(baseUrl), capabilities, clockOffset, statusWithoutCredentials, otherNames };
  }

  private async withServer<T>(address: FhirServerAddress, look: (server: FhirServer) => Promise<T>): Promise<T> {
    const connection = this.connections.connectionTo(address, patienceMs);
    try {
      return await look(new FhirServer(connection));
    } finally {
      await connection.close();
    }
  }
}

async function readMetadata(server: FhirServer): Promise<Pick<FhirServerProbe, 'capabilities' | 'clockOffset'>> {
  let clockOffset: number | undefined;
  try {
    const answer = await server.askForJson('/metadata', deadline());
    const { status } = answer;
    const date = Date.parse(answer.headers.get('date') ?? '');
    clockOffset = Number.isNaN(date) ? undefined : (date - Date.now()) / 1000;
    if (status !== 200 || !isJson(answer)) {
      answer.discard();
      return { capabilities: `HTTP ${status}`, clockOffset };
    }
    const { fhirVersion, resourceTypes } = readCapabilities(JSON.parse(await answer.text(maxCapabilityStatementBytes)));
    return { capabilities: { version: fhirVersion, types: resourceTypes.length }, clockOffset };
  } catch (error) {
    return { capabilities: reasonOf(error), clockOffset };
  }
}

/** The resources of an answer are not read: its status tells enough. */
async function statusOfSearch(server: FhirServer): Promise<number | undefined> {
  try {
    const answer = await server.send({ method: 'GET', path: '/Patient?_count=1', headers, deadline: deadline() });
    answer.discard();
    return answer.status;
  } catch {
    return undefined;
  }
}

/** The base URLs of absolute addresses in the answer to a search; undefined if there is none. The resources are not read. */
async function readNames(server: FhirServer): Promise<string[] | undefined> {
  try {
    const limits = { maxBytes: maxCapabilityStatementBytes, timeoutMs: patienceMs };
    const { link, entry } = ((await server.readJson('/Patient?_count=1', limits)) ?? {}) as Record<string, unknown>;
    const links = listOf(link).map(({ url }) => /^(https?:\/\/.+?)\/+(?:Patient(?:[/?]|$)|\?)/.exec(String(url))?.[1]);
    const urls = listOf(entry).map(({ fullUrl }) => /^(https?:\/\/.+?)\/+Patient\//.exec(String(fullUrl))?.[1]);
    const found = [...links, ...urls].filter((name) => name !== undefined);
    return found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? value : []).filter((one) => typeof one === 'object' && one !== null);
}

/** Reports are passed on. */
function withoutPassword(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

function deadline(): number {
  return performance.now() + patienceMs;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof FhirServerFailure)) return error instanceof Error ? error.message : String(error);
  const { cause } = error.options;
  return cause instanceof Error && cause.message ? cause.message : error.reason;
}
