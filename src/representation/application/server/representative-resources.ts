import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { namesOf, resourceAt } from '../../../fhir-server/application/resource-at.js';
import { log } from '../../../platform/logging/log.js';
import { isAbout } from '../../domain/related-person.js';
import type { Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';

const keptMs = 5 * 60_000;

/**
 * The resource that a user is for a patient. A RelatedPerson belongs to one patient, so that one of another patient
 * would tell an app of that patient.
 */
@Injectable()
export class RepresentativeResources {
  private readonly known = new LRUCache<string, { reference: string | undefined }>({ max: 20_000, ttl: keptMs });

  constructor(
    private readonly relationships: Relationships,
    private readonly servers: FhirServers,
  ) {}

  /**
   * `RelatedPerson/{id}` of the account whose patient it is on the FHIR server, else `Person/{id}` of the account;
   * undefined if there is none, or the server does not answer. It is looked for again after five minutes.
   */
  async forRelationship(id: string): Promise<string | undefined> {
    const known = this.known.get(id);
    if (known) return known.reference;
    try {
      const relationship = await this.relationships.findById(id);
      const reference = relationship && (await this.find(relationship));
      this.known.set(id, { reference });
      return reference;
    } catch (error) {
      if (!(error instanceof FhirServerFailure)) throw error;
      log.warn({ err: error, relationship: id }, 'the RelatedPerson of a user could not be read');
      return undefined;
    }
  }

  private async find({ accountId, tenant, patient, relatedPerson }: Relationship): Promise<string | undefined> {
    const named = accountId === null ? [] : await this.relationships.referencesOf(accountId);
    const ofTenant = named.filter((one) => one.tenant === tenant).map(({ reference }) => reference);
    const all = [...new Set([...(relatedPerson === null ? [] : [relatedPerson]), ...ofTenant])];
    const { server } = this.servers.forTenant(tenant);
    const ofType = (type: string) => all.filter((one) => one.startsWith(`${type}/`));
    for (const reference of [...ofType('RelatedPerson'), ...ofType('Person')]) {
      if (isAbout(await resourceAt(server, reference), patient, namesOf(server))) return reference;
    }
    return undefined;
  }
}
