import { Injectable } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Disclaimer, type Subject, versionOf } from '../domain/disclaimer.js';
import { hasText, sanitisedHtml } from './sanitised-html.js';

/** The part of an authorization that decides which disclaimers apply. */
type AuthorizationTarget = Pick<Authorization, 'client' | 'tenant'>;

/** The disclaimers of the configuration, in its order; sanitised once, at start. */
@Injectable()
export class ConfiguredDisclaimers {
  private readonly all: Disclaimer[];
  private readonly tenantNames: ReadonlyMap<string, string>;

  /** Throws when of a text nothing is left to agree to. */
  constructor(config: Config) {
    const tenants = fhirBasesOf(config).flatMap(({ tenant }) => tenant ?? []);
    this.tenantNames = new Map(tenants.map(({ id, name }) => [id, name]));
    this.all = config.disclaimers.map(({ id, description, html: source, tenant, clients, everyLogin }) => {
      const html = sanitisedHtml(source);
      if (!hasText(html)) {
        throw new Error(`disclaimers: the html of '${id}' is empty after sanitising`);
      }
      return new Disclaimer({ id, description, source, html, tenantId: tenant ?? null, clients, everyLogin });
    });
  }

  forAuthorization({ client, tenant }: AuthorizationTarget): Disclaimer[] {
    const destination = { clientId: client.clientId, tenantId: tenant ?? null };
    return this.all.filter((disclaimer) => disclaimer.isFor(destination));
  }

  /** Names what an authorization comes under; another one when a disclaimer is added, removed or worded differently. */
  versionFor(authorization: AuthorizationTarget): string {
    return versionOf(this.forAuthorization(authorization));
  }

  bySubject(subject: Subject): Disclaimer | undefined {
    return this.all.find((disclaimer) => disclaimer.isSubjectOf(subject));
  }

  nameOf(tenantId: string | null): string | null {
    return tenantId === null ? null : (this.tenantNames.get(tenantId) ?? null);
  }
}
