import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { referenceOf } from '../../contract/activity/reference.js';
import { auditEventOf } from '../../contract/audit/fhir-audit-event.js';
import type { AccessLogExportQuery, AccessLogFilter, Accessor } from '../../contract/own-record/access-log.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import type { Language } from '../../platform/language/language.js';
import { accessCsvHead, accessCsvLine, ownPartOf } from '../domain/access-export.js';
import { AccessLog, type ExportedAccess } from '../domain/access-log.js';
import { AccessParties } from './access-parties.js';
import { daysInParts } from './log-periods.js';

const batch = 500;
/** Days whose accesses are listed at once. */
const mostDays = 31;

/** The log of a patient as a file, in pieces: it can be longer than memory. */
@Injectable()
export class AccessLogExports {
  private readonly fhirBases: Map<string | undefined, string>;

  constructor(
    private readonly log: AccessLog,
    private readonly parties: AccessParties,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {
    this.fhirBases = new Map(fhirBasesOf(config).map(({ tenant, url }) => [tenant?.id, url]));
  }

  /** Is recorded before anything is given away; looking at the log is not. */
  async export(accountId: string, query: AccessLogExportQuery, language: Language): Promise<AsyncGenerator<string>> {
    const { timeZone: _, ui_locales: __, ...detail } = query;
    await this.audit.record({ type: 'access-log.exported', outcome: 'success', subject: accountId, detail });
    const accesses = this.forAccount(accountId, query);
    return query.format === 'csv' ? this.csv(accesses, language) : this.bundle(accesses);
  }

  /** The single accesses, the latest first, read as they are needed: they can be more than memory holds. */
  async *forAccount(accountId: string, filter: AccessLogFilter): AsyncGenerator<ExportedAccess[]> {
    const patient = await this.parties.patientOf(accountId, filter);
    if (!patient) return;
    for await (const days of daysInParts(this.log, filter, { mostDays })) {
      const ids = await this.log.eventIds(patient, filter, days);
      for (let begin = 0; begin < ids.length; begin += batch) {
        yield await this.log.events(patient, ids.slice(begin, begin + batch), days);
      }
    }
  }

  private async *csv(accesses: AsyncGenerator<ExportedAccess[]>, language: Language): AsyncGenerator<string> {
    yield accessCsvHead(language);
    for await (const some of accesses) {
      const lines = await Promise.all(
        some.map(async ({ recordedAt, by, userId, clientId, detail, verb, kinds }) => {
          const app = clientId === null ? null : await this.parties.nameOfClient(clientId);
          const person = userId === null ? null : await this.personOf(by, userId, detail.representation);
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

  /** The user of an access; null for the patient. A representative with the relation to the patient in brackets. */
  private async personOf(by: Accessor, userId: string, representation: string | undefined) {
    if (by === 'person') return this.parties.nameOfUser(userId);
    if (by !== 'representative' || representation === undefined) return null;
    const { name, relation } = await this.parties.nameOfRepresentative(representation, userId);
    return { name: name !== null && relation !== '' ? `${name} (${relation})` : name };
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
