import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { type FhirServerConnection, FhirServerConnections } from '../domain/connection.js';
import { ServerNames } from '../domain/server-names.js';
import { ServerStates } from '../domain/server-states.js';
import { FhirServer } from './fhir-server.js';
import { FhirServerStatus } from './fhir-server-status.js';

/** A FHIR server and what is known of it. */
export interface WatchedServer {
  server: FhirServer;
  status: FhirServerStatus;
  /** The stores in which it keeps files of exports, by their origins. */
  stores: ReadonlyMap<string, FhirServer>;
}

/** The FHIR servers behind the portal: each tenant's, and the one of no tenant. */
@Injectable()
export class FhirServers implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly watched = new Map<string | undefined, WatchedServer>();
  private readonly connections: FhirServerConnection[] = [];

  constructor(config: Config, connections: FhirServerConnections, states: ServerStates) {
    const bases = fhirBasesOf(config);
    for (const base of bases) {
      const connection = connections.connectionTo(base.server, config.fhir.timeoutMs);
      this.connections.push(connection);
      const server = new FhirServer(connection, namesOf(base, bases));
      const status = new FhirServerStatus(server, states, config.fhir.metadataTimeoutMs);
      const stores = new Map(
        base.server.exportStores.map((origin) => [origin, this.storeAt(origin, connections, config)]),
      );
      this.watched.set(base.tenant?.id, { server, status, stores });
    }
  }

  private storeAt(origin: string, connections: FhirServerConnections, config: Config): FhirServer {
    const connection = connections.connectionToStore(origin, config.fhir.timeoutMs);
    this.connections.push(connection);
    return new FhirServer(connection);
  }

  onApplicationBootstrap(): void {
    for (const { status } of this.watched.values()) status.watch();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.watched.values()].map(({ status }) => status.stop()));
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  /** All of them, by the id of their tenant. */
  all(): [tenant: string | undefined, server: WatchedServer][] {
    return [...this.watched];
  }

  /** Finds the server by the id of a configured tenant. */
  forTenant(tenant: string | undefined): WatchedServer {
    const found = this.watched.get(tenant);
    if (!found) throw new Error(`there is no tenant ${tenant}`);
    return found;
  }
}

function namesOf({ server, url }: FhirBase, bases: readonly FhirBase[]): ServerNames | undefined {
  const others = bases.filter((base) => base.server !== server).flatMap(baseUrlsOf);
  const [own, ...aliases] = baseUrlsOf({ server });
  return own === undefined ? undefined : new ServerNames(own, aliases, url, others);
}

function baseUrlsOf({ server: { baseUrl, aliases } }: Pick<FhirBase, 'server'>): string[] {
  return baseUrl === undefined ? [] : [baseUrl, ...aliases].map((url) => url.replace(/\/+$/, ''));
}
