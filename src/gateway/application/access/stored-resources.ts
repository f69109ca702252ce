import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import type { GatewayRequest } from '../server/gateway-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { unusableAnswer } from '../server/server-failures.js';
import type { Current } from './checked-version.js';
import type { Resource } from './separated-answer.js';

/** The 404 of an address at which there is nothing. */
export class FreeId extends Refusal {
  constructor() {
    const { status, code, message } = notFound();
    super(status, code, message);
  }
}

/** Resources as the FHIR server has them, before anything is known of what the token may see. */
export class StoredResources {
  constructor(private readonly exchange: ServerExchange) {}

  /** As {@link read}; undefined if the server does not have it. */
  readIfThere(fhir: FhirRequest, request: GatewayRequest): Promise<Current | undefined> {
    return this.read(fhir, request).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
  }

  /** Throws {@link FreeId} if the server has nothing there, and 404 for each other refusal of a read. */
  async read(fhir: FhirRequest, { cancellation }: GatewayRequest): Promise<Current> {
    const { answer, text } = await this.exchange
      .sendAndRead({ method: 'GET', path: pathOf(fhir), cancellation })
      .catch((error: unknown) => {
        // The server's refusal may depend on the resource (gone, invalid id, locked), so it becomes a 404.
        if (!(error instanceof Refusal) || error.status >= 500) throw error;
        throw error.status === 404 || error.status === 410 ? new FreeId() : notFound();
      });
    let resource: Resource | null;
    try {
      resource = JSON.parse(text);
    } catch {
      throw unusableAnswer('a read was answered with broken JSON');
    }
    if (resource?.resourceType !== fhir.type || resource.id !== fhir.id) throw notFound();
    return { resource, text, headers: this.exchange.headersOf(answer) };
  }
}
