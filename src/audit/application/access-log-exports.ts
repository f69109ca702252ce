import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { referenceOf } from '../../contract/activity/reference.js';
import { auditEventOf } from '../../contract/audit/fhir-audit-event.js';
import type { AccessLogExportQuery } from '../../contract/own-record/access-log.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import type { Language } from '../../platform/language/language.js';
import { accessCsvHead, accessCsvLine } from '../domain/access-csv.js';
import type { ExportedAccess } from '../domain/access-log.js';
import { ownPartOf } from '../domain/own-part.js';
import { AccessorNames } from './accessor-names.js';
import { ExportedAccesses } from './exported-accesses.js';

/** The log of a patient as a file, in pieces: it can be longer than memory. */
@Injectable()
export class AccessLogExports {
  private readonly fhirBases: Map<string | undefined, string>;

  constructor(
    private readonly accesses: ExportedAccesses,
    private readonly names: AccessorNames,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {
    this.fhirBases = new Map(fhirBasesOf(config).map(({ tenant, url }) => [tenant?.id, url]));
  }

  /** Is recorded before anything is given away; looking at the log is not. */
  async export(accountId: string, query: AccessLogExportQuery, language: Language): Promise<AsyncGenerator<string>> {
    const { timeZone: _, ui_locales: __, ...detail } = query;
    await this.audit.record({ type: 'access-log.exported', outcome: 'success', subject: accountId, detail });
    const accesses = this.accesses.forAccount(accountId, query);
    return query.format === 'csv' ? this.csv(accesses, language) : this.bundle(accesses);
  }

  private async *csv(accesses: AsyncGenerator<ExportedAccess[]>, language: Language): AsyncGenerator<string> {
    yield accessCsvHead(language);
    for await (const some of accesses) {
      const lines = await Promise.all(
        some.map(async ({ recordedAt, by, userId, clientId, detail, verb, kinds }) => {
          const app = clientId === null ? null : await this.names.ofClient(clientId);
          const person = by === 'person' && userId !== null ? await this.names.ofPerson(userId) : null;
          const access = {
            ...{ at: recordedAt, person, app, verb, kinds, status: detail.status },
            unattended: detail.unattended === true,
            trial: detail.trial === true,
            export: detail.export !== undefined,
            reference: detail.launch === undefined ? null : referenceOf(detail.launch),
          };
          return accessCsvLine(access, language);
        }),
      );
      yield lines.join('');
    }
  }

  /** AuditEvents of IHE BALP, as the FHIR server gets them. */
  private async *bundle(accesses: AsyncGenerator<ExportedAccess[]>): AsyncGenerator<string> {
    const { issuer } = this.config.server;
    yield `{"resourceType":"Bundle","type":"collection","timestamp":"${new Date().toISOString()}"`;
    let isFirst = true;
    for await (const some of accesses) {
      const entries = some.map((access) => {
        const base = this.fhirBases.get(access.detail.tenant) ?? issuer;
        const resource = auditEventOf(ownPartOf(access), base, issuer);
        return JSON.stringify({ fullUrl: `urn:uuid:${randomUUID()}`, resource });
      });
      if (entries.length === 0) continue;
      yield `${isFirst ? ',"entry":[' : ','}${entries.join(',')}`;
      isFirst = false;
    }
    yield isFirst ? '}' : ']}';
  }
}
