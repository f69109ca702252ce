import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { maxCapabilityStatementBytes } from '../../../fhir-server/application/fhir-server-status.js';
import type { Config } from '../../../platform/config/config.js';
import { behindGateway } from '../../domain/capability-statement.js';
import { Refusal } from '../../domain/refusal.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { smartConfiguration } from './smart-configuration.js';

const freshMs = 30_000;
/** Without an answer the server is asked again after this time; apps get the last document meanwhile. */
const againMs = 10_000;
/** Longest wait for a newer document than the last one. */
const patienceMs = 1_000;

/** A CapabilityStatement as JSON, with its `ETag` (RFC 9110 §8.8.3). */
export interface Document {
  body: string;
  etag: string;
}

/**
 * The CapabilityStatement that apps see, kept for some seconds: it is asked for without a token. While the server gives
 * none, the last one serves, also after a restart: it is about what the server can do, which changes with its releases
 * only.
 */
export class Metadata {
  private kept: { document: Promise<Document>; until: number } | undefined;
  private last: Document | undefined;
  private restoring: Promise<void> | undefined;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly config: Config,
  ) {}

  /** Throws a {@link Refusal} while the server gives none and has given none in the last day. */
  async document(now: number): Promise<Document> {
    if (!this.last) await this.restored();
    if (!this.kept || this.kept.until <= now) {
      const document = this.load();
      this.kept = { document, until: now + freshMs };
      document.then(
        (read) => {
          this.last = read;
        },
        () => {
          this.kept = this.last && { document: Promise.resolve(this.last), until: Date.now() + againMs };
        },
      );
    }
    const fresh = this.kept.document;
    const { last } = this;
    // A known document does not wait for a slow server.
    return last ? Promise.race([fresh.catch(() => last), sleep(patienceMs, last, { ref: false })]) : fresh;
  }

  private async load(): Promise<Document> {
    const limits = { maxBytes: maxCapabilityStatementBytes, timeoutMs: this.config.fhir.metadataTimeoutMs };
    const statement = await this.exchange.server.readJson('/metadata', limits).catch((error: unknown) => {
      if (error instanceof FhirServerFailure) throw unavailable();
      throw error;
    });
    if ((statement as { resourceType?: unknown } | null)?.resourceType !== 'CapabilityStatement') throw unavailable();
    return this.shown(statement as object);
  }

  /** Reads what another node, or this one before its start, has kept. */
  private restored(): Promise<void> {
    this.restoring ??= (async () => {
      const statement = await this.exchange.status.keptStatement();
      if (statement) this.last ??= this.shown(statement);
    })().finally(() => {
      this.restoring = undefined;
    });
    return this.restoring;
  }

  private shown(statement: object): Document {
    const rewritten = behindGateway(statement as Record<string, unknown>, smartConfiguration(this.config));
    const body = this.exchange.forApp(JSON.stringify(rewritten));
    return { body, etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
  }
}

function unavailable(): Refusal {
  return new Refusal(503, 'transient', 'The FHIR server is not available. Please try again later.', {
    'Retry-After': '5',
  });
}
