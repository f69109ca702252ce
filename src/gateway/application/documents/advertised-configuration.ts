import { Injectable } from '@nestjs/common';
import type { SmartConfiguration } from '../../../contract/smart-configuration.js';
import { FhirServer, FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { Config } from '../../../platform/config/config.js';
import { fhirBasesOf } from '../../../platform/config/fhir-bases.js';
import { smartConfigurationAt } from './smart-configuration.js';

const limits = { maxBytes: 256 * 1024, timeoutMs: 5_000 };

/** The SMART configuration that apps find at the FHIR base they use. */
@Injectable()
export class AdvertisedConfiguration {
  constructor(
    private readonly server: FhirServer,
    private readonly config: Config,
  ) {}

  /** Ours while the gateway is on, else the FHIR server's own. Throws `unavailable` while that server gives none. */
  async document(): Promise<SmartConfiguration> {
    if (this.config.gateway.enabled) return smartConfigurationAt(fhirBasesOf(this.config)[0], this.config);
    const document = await this.server.readJson('/.well-known/smart-configuration', limits);
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
    throw new FhirServerFailure('garbage', new Error('the SMART configuration is not a JSON object'));
  }
}
