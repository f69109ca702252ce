import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { asUnavailable } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { Refusal } from '../domain/refusal.js';
import { FhirGateway } from './fhir-gateway.js';
import type { GatewayAnswer, GatewayRequest } from './gateway-request.js';
import { OpenDocuments } from './open-documents.js';
import { fhirJson } from './server-exchange.js';

/** The FHIR base that apps see. */
@Injectable()
export class FhirBase {
  constructor(
    private readonly documents: OpenDocuments,
    private readonly gateway: FhirGateway,
    private readonly config: Config,
  ) {}

  /** What follows the FHIR base in an address of it; undefined for any other address. */
  targetOf(url: string): string | undefined {
    const { enabled, path } = this.config.gateway;
    if (!enabled || !url.startsWith(path)) return undefined;
    const target = url.slice(path.length);
    return target === '' || target.startsWith('/') || target.startsWith('?') ? target : undefined;
  }

  /** Always answers: what fails is an OperationOutcome with a plain sentence. */
  async answer(request: GatewayRequest): Promise<GatewayAnswer> {
    try {
      return (await this.documents.answer(request)) ?? (await this.gateway.answer(request));
    } catch (error) {
      const refusal = asRefusal(error);
      const headers = { 'Content-Type': fhirJson, ...refusal.headers };
      return { status: refusal.status, headers, body: refusal.outcome() };
    }
  }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const problem = error instanceof Problem ? error : asUnavailable(error);
  if (problem?.kind === 'unavailable') {
    log.warn({ err: problem.options.cause }, 'the gateway cannot decide at the moment');
    return new Refusal(503, 'transient', problem.message, { 'Retry-After': '2' });
  }
  log.error({ err: error }, 'a request to the gateway failed');
  return new Refusal(500, 'exception', 'Something went wrong.');
}
