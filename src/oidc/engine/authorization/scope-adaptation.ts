import { Injectable } from '@nestjs/common';
import type { Configuration } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import type { EngineAdaptation } from '../engine-adaptation.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { RequestedBases } from '../shared/requested-base.js';
import { scopeGrants } from './scope-grants.js';
import { ScopeNotes } from './scope-notes.js';

/** The scopes of requests, and the FHIR bases that they are for. */
@Injectable()
export class ScopeAdaptation implements EngineAdaptation {
  constructor(
    private readonly keys: SigningKeys,
    private readonly bases: RequestedBases,
    private readonly notes: ScopeNotes,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return { features: { resourceIndicators: scopeGrants(this.config, this.keys, this.bases, this.notes) } };
  }
}
