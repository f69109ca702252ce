import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { readCapabilities } from '../domain/capabilities.js';
import { type FhirServerAddress, FhirServerConnections, FhirServerFailure } from '../domain/connection.js';
import { ServerNames } from '../domain/server-names.js';
import { FhirServer, type FhirServerAnswer, isJson } from './fhir-server.js';
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

/** Probes the FHIR servers on its own connections, bypassing the cache. */
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
    const [{ capabilities, clockOffset, own }, statusWithoutCredentials, inSearch] = await Promise.all([
      this.withServer(address, readMetadata),
      this.withServer({ baseUrl, credentials: { type: 'none' } }, statusOfSearch),
      this.withServer(address, readNames),
    ]);
    const found = [...own, ...inSearch];
    const others = found.filter((name) => names.local(`${name}/Patient/1`) !== 'Patient/1');
    const otherNames = found.length > 0 ? [...new Set(others)] : undefined;
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

interface Metadata extends Pick<FhirServerProbe, 'capabilities' | 'clockOffset'> {
  /** Base URLs by which the server describes itself. */
  own: string[];
}

async function readMetadata(server: FhirServer): Promise<Metadata> {
  let clockOffset: number | undefined;
  let own: string[] = [];
  try {
    const answer = await server.askForJson('/metadata', deadline());
    const { status } = answer;
    const date = Date.parse(answer.headers.get('date') ?? '');
    clockOffset = Number.isNaN(date) ? undefined : (date - Date.now()) / 1000;
    own = namesIn(answer);
    if (status !== 200 || !isJson(answer)) {
      answer.discard();
      return { capabilities: `HTTP ${status}`, clockOffset, own };
    }
    const statement: unknown = JSON.parse(await answer.text(maxCapabilityStatementBytes));
    const { implementation } = (statement ?? {}) as { implementation?: { url?: unknown } | null };
    own.push(...baseIn(String(implementation?.url), /^(https?:\/\/[^\s?#]+?)\/*$/));
    const { fhirVersion, resourceTypes } = readCapabilities(statement);
    return { capabilities: { version: fhirVersion, types: resourceTypes.length }, clockOffset, own };
  } catch (error) {
    return { capabilities: reasonOf(error), clockOffset, own };
  }
}

/** The base URLs in the addresses that an answer has in its head. */
function namesIn({ headers }: FhirServerAnswer): string[] {
  return ['location', 'content-location'].flatMap((name) => baseIn(headers.get(name) ?? '', beforeTarget));
}

/** The base URL in an address, which the expression finds. */
function baseIn(address: string, pattern: RegExp): string[] {
  const base = pattern.exec(address)?.[1];
  return base === undefined ? [] : [base];
}

/** Before a type, a document of the server, or a query. */
const beforeTarget = /^(https?:\/\/.+?)\/+(?:Patient(?:[/?]|$)|metadata(?:\?|$)|\?)/;

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

/** The base URLs of absolute addresses in the answer to a search. The resources are not read. */
async function readNames(server: FhirServer): Promise<string[]> {
  try {
    const answer = await server.askForJson('/Patient?_count=1', deadline());
    const found = namesIn(answer);
    if (answer.status !== 200 || !isJson(answer)) {
      answer.discard();
      return found;
    }
    const { link, entry } = (JSON.parse(await answer.text(maxCapabilityStatementBytes)) ?? {}) as Record<
      string,
      unknown
    >;
    const links = listOf(link).map(({ url }) => String(url));
    const urls = listOf(entry).map(({ fullUrl }) => String(fullUrl));
    return [...found, ...[...links, ...urls].flatMap((address) => baseIn(address, beforeTarget))];
  } catch {
    return [];
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
