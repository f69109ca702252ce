import { createHash } from 'node:crypto';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { maxCapabilityStatementBytes } from '../../../fhir-server/application/fhir-server-status.js';
import type { Config } from '../../../platform/config/config.js';
import { behindGateway } from '../../domain/capability-statement.js';
import { Refusal } from '../../domain/refusal.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { smartConfiguration } from './smart-configuration.js';

const freshMs = 30_000;
const timeoutMs = 5_000;

export interface Document {
  body: string;
  etag: string;
}

/** The CapabilityStatement that apps see, kept for some seconds: it is asked for without a token. */
export class Metadata {
  private kept: { document: Promise<Document>; until: number } | undefined;

  constructor(
    private readonly exchange: ServerExchange,
    private readonly config: Config,
  ) {}

  /** Throws a {@link Refusal} while the server gives none. */
  async document(now: number): Promise<Document> {
    if (!this.kept || this.kept.until <= now) {
      const document = this.load();
      this.kept = { document, until: now + freshMs };
      document.catch(() => {
        this.kept = undefined;
      });
    }
    return this.kept.document;
  }

  private async load(): Promise<Document> {
    const limits = { maxBytes: maxCapabilityStatementBytes, timeoutMs };
    const statement = await this.exchange.server.readJson('/metadata', limits).catch((error: unknown) => {
      if (error instanceof FhirServerFailure) throw unavailable();
      throw error;
    });
    if ((statement as { resourceType?: unknown } | null)?.resourceType !== 'CapabilityStatement') throw unavailable();
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
