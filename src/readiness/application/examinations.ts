import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ReadinessCode } from '../../contract/readiness.js';
import { FhirServerProbes } from '../../fhir-server/application/fhir-server-probes.js';
import { hasDataOf } from '../../platform/config/brands.js';
import { Config } from '../../platform/config/config.js';
import { senderOf } from '../../platform/config/email.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { isLoopback } from '../../platform/config/load-config.js';
import { algorithmsInUse } from '../../platform/config/signing-algorithms.js';
import { clockOffset } from '../../platform/database/connection.js';
import { Database } from '../../platform/database/database.js';
import { migrationState } from '../../platform/database/migrate.js';
import { mostConnections } from '../../platform/workers/worker-count.js';
import { RepresentationHealth } from '../../representation/application/administration/representation-health.js';
import { brands, type PublishedBrands } from '../domain/brand-rules.js';
import * as clients from '../domain/client-rules.js';
import * as database from '../domain/database-rules.js';
import * as fhir from '../domain/fhir-rules.js';
import type { Finding } from '../domain/finding.js';
import { InstallationFacts } from '../domain/installation-facts.js';
import * as mail from '../domain/mail-rules.js';
import * as network from '../domain/network-rules.js';
import * as people from '../domain/people-rules.js';
import { ReadinessNotes } from '../domain/readiness-notes.js';
import * as representation from '../domain/representation-rules.js';

export type Examination = () => Finding | Promise<Finding>;

/** The checks of the report: each gathers its facts and applies its rule. */
@Injectable()
export class Examinations {
  constructor(
    private readonly config: Config,
    private readonly facts: InstallationFacts,
    private readonly notes: ReadinessNotes,
    private readonly servers: FhirServerProbes,
    private readonly representation: RepresentationHealth,
    private readonly database: Database,
  ) {}

  /** The checks of one report. Facts that several checks need are gathered once. */
  start(): Record<ReadinessCode, Examination> {
    return { ...this.ofPeople(), ...this.ofFhirServers(), ...this.ofMail(), ...this.ofRest() };
  }

  private ofPeople() {
    const { account, limits, identityProviders: providers } = this.config;
    const administrators = gatheredOnce(() => this.facts.administrators());
    const enabled = gatheredOnce(() => this.facts.clients());
    return {
      'admin-second-factor': async () => people.secondFactor(await administrators()),
      'admin-sign-in': () => people.adminSignIn(account.adminsNeed),
      'second-admin': async () => people.secondAdmin(await administrators()),
      'password-rule': () =>
        people.passwordRule({ localLogin: account.localLogin, length: account.password.requiredLength }),
      'sign-in-limits': () => people.signInLimits(limits.startsPerMinute),
      'identity-providers': async () => {
        const failures = await this.notes.providerFailures(providers.map(({ scheme }) => scheme));
        const nameOf = (of: string) => providers.find(({ scheme }) => scheme === of)?.displayName ?? of;
        return people.identityProviders(
          providers.length,
          failures.map(({ scheme, ...failure }) => ({ name: nameOf(scheme), ...failure })),
        );
      },
      'client-secrets': async () => clients.clientSecrets(await enabled()),
      'client-wildcards': async () => clients.clientWildcards(await enabled()),
      'client-offline-access': async () => clients.clientOfflineAccess(await enabled()),
      'client-use': async () => clients.clientUse(await enabled()),
    };
  }

  private ofFhirServers() {
    const seen = gatheredOnce(async () => {
      const sights = await this.servers.all();
      return sights.map((sight) => ({ ...sight, isLocal: isLoopback(new URL(sight.baseUrl).hostname) }));
    });
    const acting = gatheredOnce(() => this.representation.examine());
    const isOn = this.config.representation !== undefined;
    return {
      'fhir-capabilities': async () => fhir.fhirCapabilities(await seen()),
      'fhir-direct-access': async () => fhir.fhirDirectAccess(await seen(), this.config.gateway.enabled),
      'fhir-transport': async () => fhir.fhirTransport(await seen()),
      'fhir-clock': async () => fhir.fhirClock(await seen()),
      'fhir-names': async () => fhir.fhirNames(await seen()),
      'represented-patients': async () => fhir.representedPatients(await this.facts.goneRelationships()),
      'representation-labels': async () => representation.representationLabels(await acting()),
      'representation-nodes': async () => representation.representationNodes(await acting()),
      'representation-time-zone': async () => representation.representationTimeZone(await acting()),
      'representation-restored': async () =>
        representation.representationRestored(isOn ? await this.restore() : undefined),
      'late-requests': async () => representation.lateRequests(isOn ? await this.facts.lateRequests() : undefined),
      brands: () => brands(this.publishedBrands, new Date()),
    };
  }

  private async restore() {
    const [restored, compared] = await Promise.all([
      this.notes.findByName('restored'),
      this.notes.findByName('restore-compared'),
    ]);
    return { restored: restored?.secondsAgo, compared: compared?.secondsAgo };
  }

  private ofMail() {
    const { smtp, from } = this.config.email;
    const server = smtp && { host: smtp.host, isLocal: isLoopback(smtp.host), usesTls: smtp.security !== 'none' };
    const { hostname } = new URL(this.config.server.issuer);
    const sender = smtp && senderOf(from ?? '')?.address;
    return {
      'mail-server': () => mail.mailServer(server, this.isTrial),
      'mail-queue': async () => mail.mailQueue(await this.facts.waitingMails()),
      'mail-test': async () => mail.mailTest(await this.notes.testMail(), smtp !== undefined),
      'mail-sender': () => mail.mailSender(sender, hostname, this.isTrial),
    };
  }

  private ofRest() {
    const { server, keys, dataDir } = this.config;
    const { rotationDays } = keys;
    const address = { issuer: server.issuer, isTrial: this.isTrial };
    const algorithms = algorithmsInUse(keys);
    const settings = gatheredOnce(() => this.facts.databaseSettings());
    return {
      issuer: () => network.issuer(address),
      'trusted-proxies': () => network.trustedProxies(server.trustedProxies, address),
      'master-key': () => network.masterKey(keys.masterKey ? undefined : join(dataDir, 'master.key'), address),
      'signing-keys': async () =>
        network.signingKeys(await this.facts.signingKeys({ algorithms, rotationDays }), rotationDays),
      'database-version': async () => database.databaseVersion(await settings(), new Date()),
      'database-durability': async () => database.databaseDurability(await settings()),
      'database-transport': async () => database.databaseTransport(await settings()),
      'database-connections': async () => database.databaseConnections(await settings(), mostConnections(this.config)),
      'database-clock': async () => database.databaseClock(await clockOffset(this.database)),
      migrations: async () => database.migrations(await migrationState(this.database)),
      backups: async () => database.backups(await this.notes.findByName('backup'), await settings()),
      'audit-seals': async () => database.auditSeals(await this.facts.oldestUnsealed()),
      'audit-archives': async () => {
        const { keepMonths } = this.config.audit;
        const due = keepMonths === undefined ? undefined : await this.facts.dueMonths(keepMonths);
        return database.auditArchives(due, keepMonths);
      },
      'audit-verified': async () => database.auditVerified(await this.notes.findByName('audit-verified')),
    };
  }

  private get publishedBrands(): PublishedBrands {
    const { organizations, updatedAt } = this.config.brands;
    const bases = fhirBasesOf(this.config).map((base) => ({
      url: base.url,
      hasServer: base.server.baseUrl !== undefined,
      isPublished: organizations.some((one) => hasDataOf(one, base)),
    }));
    return {
      organizations: organizations.map(({ name, website, logo, portals, addresses }) => ({
        name,
        website,
        addresses,
        logos: [logo, ...portals.map((portal) => portal.logo)].filter((one) => one !== undefined),
        portals: portals.map(({ url }) => url),
      })),
      endpoints: bases.filter(({ isPublished }) => isPublished),
      basesWithout: bases.filter((base) => base.hasServer && !base.isPublished).map(({ url }) => url),
      updatedAt,
    };
  }

  /** True if the portal can be reached from its own machine only. */
  private get isTrial(): boolean {
    return isLoopback(new URL(this.config.server.issuer).hostname);
  }
}

function gatheredOnce<T>(gather: () => Promise<T>): () => Promise<T> {
  let gathered: Promise<T> | undefined;
  return () => {
    gathered ??= gather();
    return gathered;
  };
}
