import { Injectable, type OnModuleInit } from '@nestjs/common';
import { auditEventOf } from '../../../contract/audit/fhir-audit-event.js';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import type { EventJob } from '../../../platform/audit/audit-batch.js';
import { Config } from '../../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../platform/config/fhir-bases.js';
import type { Job, JobFailure, JobKind, JobOutcomes } from '../../../platform/jobs/job-kind.js';
import { JobRunner } from '../../../platform/jobs/job-runner.js';
import { type AccessEvent, AccessEvents } from '../../domain/access-events.js';

/** Shorter than the lease of an attempt. */
const timeoutMs = 5_000;
const longestAnswer = 1024 * 1024;

/**
 * AuditEvents that wait for the FHIR server; a kind for each tenant, so that a server that is down delays only its own.
 */
export function accessPostJobs(tenant: string | undefined): JobKind<EventJob> {
  return {
    name: tenant === undefined ? 'audit-event' : `audit-event/${tenant}`,
    batchSize: 50,
    leaseSeconds: 30,
    lookEveryMs: 2_000,
    firstPauseSeconds: 30,
    longestPauseSeconds: 3_600,
  };
}

/**
 * Sends AuditEvents for accesses to the FHIR server, where that is configured. Every recorded access is sent at least
 * once, by any node, however long the server is unavailable.
 */
@Injectable()
export class AccessPosts implements OnModuleInit {
  private readonly bases: FhirBase[];

  constructor(
    private readonly config: Config,
    private readonly servers: FhirServers,
    private readonly events: AccessEvents,
    private readonly runner: JobRunner,
  ) {
    this.bases = fhirBasesOf(config);
  }

  onModuleInit(): void {
    const { enabled, postAuditEvents } = this.config.gateway;
    if (!enabled || !postAuditEvents) return;
    for (const { tenant } of this.bases) {
      this.runner.register(accessPostJobs(tenant?.id), { attempt: (jobs) => this.postAll(jobs) });
    }
  }

  /** The events tell their tenant: nodes of an earlier version added them all as jobs of no tenant. */
  private async postAll(jobs: Job<EventJob>[]): Promise<JobOutcomes> {
    const ids = new Set(jobs.map(({ payload }) => payload.eventId));
    const events = new Map((await this.events.findByIds([...ids])).map((event) => [event.id, event]));
    const failures = new Map<EventJob, JobFailure | undefined>();
    for (const base of this.bases) {
      const own = jobs.flatMap(({ payload }) => {
        const event = events.get(payload.eventId);
        return event && event.detail.tenant === base.tenant?.id ? [{ payload, event }] : [];
      });
      if (own.length === 0) continue;
      const about = own.map(({ payload: { patient }, event }) => ({ ...event, patient }));
      const statuses = await this.post(about, base);
      for (const [index, { payload }] of own.entries()) failures.set(payload, failureOf(statuses[index] ?? ''));
    }
    return jobs.map(({ payload }) =>
      failures.has(payload) ? failures.get(payload) : { reason: 'the tenant of the access is not configured' },
    );
  }

  /** Returns the status of each entry in the answer (FHIR R4 §3.1.0.11.2). */
  private async post(events: AccessEvent[], { url, tenant }: FhirBase): Promise<string[]> {
    const { issuer } = this.config.server;
    const entry = events.map((event) => ({
      resource: auditEventOf(event, url, issuer),
      request: { method: 'POST', url: 'AuditEvent' },
    }));
    const answer = await this.servers.forTenant(tenant?.id).server.send({
      method: 'POST',
      path: '',
      headers: { 'content-type': 'application/fhir+json', accept: 'application/fhir+json', prefer: 'return=minimal' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
      deadline: performance.now() + timeoutMs,
    });
    if (answer.status !== 200) {
      answer.discard();
      throw new Error(`a batch of AuditEvents was answered ${answer.status}`);
    }
    return statusesIn(await answer.text(longestAnswer), events.length);
  }
}

function failureOf(status: string): JobFailure | undefined {
  return /^2\d\d/.test(status) ? undefined : { reason: `the FHIR server refused an AuditEvent: ${status.slice(0, 3)}` };
}

function statusesIn(text: string, count: number): string[] {
  const { entry } = (JSON.parse(text) ?? {}) as { entry?: { response?: { status?: unknown } }[] };
  if (!Array.isArray(entry) || entry.length !== count) {
    throw new Error('a batch of AuditEvents was answered without an entry for each of them');
  }
  return entry.map((one) => String(one?.response?.status ?? ''));
}
