import { Injectable } from '@nestjs/common';
import { referenceOf } from '../../contract/activity/reference.js';
import {
  type AccessLogEntry,
  type AccessLogFilter,
  type AccessLogPage,
  type AccessLogQuery,
  type AccessLogSummary,
  entriesPerPage,
  type NamedAccessor,
  requestsPerPage,
  type VisitQuery,
  type VisitRequests,
} from '../../contract/own-record/access-log.js';
import { Config } from '../../platform/config/config.js';
import { AccessLog, type FoundEnd, type FoundVisit, type LogPatient, type LogPlace } from '../domain/access-log.js';
import { decisionOf, type FoundDecision } from '../domain/relationship-decision.js';
import { AccessParties } from './access-parties.js';
import { AccessReasons } from './access-reasons.js';
import { daysInParts, wholePeriod } from './log-periods.js';

/** The accesses to a patient's record, for the patient: by visits, and each with its requests. */
@Injectable()
export class AccessLogs {
  constructor(
    private readonly log: AccessLog,
    private readonly parties: AccessParties,
    private readonly reasons: AccessReasons,
    private readonly config: Config,
  ) {}

  /** Reads as many days as the page needs, the latest first. */
  async page(accountId: string, query: AccessLogQuery): Promise<AccessLogPage> {
    const patient = await this.parties.patientOf(accountId, query);
    const { before: place, clientId, personId, show, kind } = query;
    const before = place === undefined ? undefined : placeOf(place);
    const wanted = { before, length: entriesPerPage + 1 };
    const withEnds =
      show !== 'family' && show !== 'staff' && show !== 'refused' && personId === undefined && kind === undefined;
    const isNarrowed = clientId !== undefined || personId !== undefined || kind !== undefined;
    const withDecisions = !isNarrowed && (show === undefined || show === 'family');
    const relationships = patient && withDecisions ? await this.parties.relationshipsOf(patient) : [];
    const found: Found[] = [];
    for await (const days of daysInParts(this.log, query, { last: before?.at })) {
      const [visits, ends, decisions] = await Promise.all([
        patient ? this.log.visits(patient, query, days, wanted) : [],
        patient && withEnds ? this.log.endedAccesses(patient, clientId, days, wanted) : [],
        relationships.length > 0 ? this.log.decisions(relationships, days, wanted) : [],
      ]);
      found.push(...[...visits, ...ends, ...decisions].sort(latestFirst));
      if (found.length > entriesPerPage) break;
    }
    const shown = found.slice(0, entriesPerPage);
    const last = shown.at(-1);
    return {
      entries: await Promise.all(shown.map((one) => this.entryOf(one, accountId))),
      next: found.length > shown.length && last ? nextAfter({ at: beginOf(last), id: last.id }) : null,
      reportAddress: this.config.audit.reportAddress ?? null,
    };
  }

  async summary(accountId: string, filter: AccessLogFilter): Promise<AccessLogSummary> {
    const patient = await this.parties.patientOf(accountId, filter);
    const days = patient && (await wholePeriod(this.log, filter));
    if (!days) return { visits: 0, refused: 0, apps: [], people: [], kinds: [] };
    const { visits, refused, family, clientIds, personIds, kinds } = await this.log.summary(patient, filter, days);
    const [apps, people] = await Promise.all([
      Promise.all(clientIds.map((id) => this.parties.nameOfClient(id))),
      Promise.all(personIds.map((id) => this.parties.nameOfUser(id))),
    ]);
    return {
      visits,
      refused,
      ...(family > 0 && { family }),
      apps: byName(apps),
      people: byName(people),
      kinds: kinds.sort(),
    };
  }

  async visit(accountId: string, query: VisitQuery): Promise<VisitRequests> {
    const patient = await this.parties.patientOf(accountId, query);
    if (!patient) return { reason: { kind: 'unknown' }, requests: [], next: null };
    const key = { ...query, start: new Date(query.start), end: new Date(query.end) };
    const after = query.after === undefined ? undefined : placeOf(query.after);
    const [found, reason] = await Promise.all([
      this.log.requests(patient, key, { after, length: requestsPerPage + 1 }),
      this.reasons.forVisit(patient as LogPatient, key),
    ]);
    const shown = found.slice(0, requestsPerPage);
    const last = shown.at(-1);
    return {
      reason,
      requests: shown.map((one) => ({ ...one, at: one.at.toISOString() })),
      next: found.length > shown.length && last ? nextAfter(last) : null,
    };
  }

  private async entryOf(found: Found, accountId: string): Promise<AccessLogEntry> {
    if ('relationship' in found) return this.decisionEntry(found, accountId);
    const app = found.clientId === null ? null : await this.parties.nameOfClient(found.clientId);
    const { id } = found;
    if (!('by' in found)) {
      const { at, type, byPatient, receiptId } = found;
      return { type: 'taken-back', what: whatOf[type], id, start: at.toISOString(), app, byPatient, receiptId };
    }
    const { by, requests, refused, failed, did, exportId, unattended, trial, launch, personId, representation } = found;
    const isActing = by === 'representative' && representation !== null && personId !== null;
    const acting = isActing ? await this.parties.nameOfRepresentative(representation, personId) : undefined;
    return {
      ...{ type: 'visit', id, start: found.start.toISOString(), end: found.end.toISOString(), by, app },
      ...{ requests, refused, failed, did, exportId, unattended, trial },
      person: acting
        ? { id: acting.id, name: acting.name }
        : personId === null
          ? null
          : await this.parties.nameOfUser(personId),
      ...(acting && { relation: acting.relation }),
      reference: launch === null ? null : referenceOf(launch),
    };
  }

  private async decisionEntry(found: FoundDecision, accountId: string): Promise<AccessLogEntry> {
    const { id, at, relationship, level } = found;
    return {
      ...{ type: 'decision', id, start: at.toISOString(), relationship },
      ...decisionOf(found, accountId),
      ...(await this.parties.namesOfRelationship(relationship, level)),
    };
  }
}

type Found = FoundVisit | FoundEnd | FoundDecision;

const whatOf = {
  'app.revoked': 'access',
  'permission.revoked': 'permission',
  'app.paused': 'paused',
  'app.resumed': 'resumed',
} as const;

function beginOf(found: Found): Date {
  return 'start' in found ? found.start : found.at;
}

/** Ids are whole numbers in text. */
function latestFirst(a: Found, b: Found): number {
  return beginOf(b).getTime() - beginOf(a).getTime() || (BigInt(a.id) < BigInt(b.id) ? 1 : -1);
}

function placeOf(text: string): LogPlace {
  const [at = '', id = ''] = text.split('_');
  return { at: new Date(Number(at)), id };
}

function nextAfter({ at, id }: LogPlace): string {
  return `${at.getTime()}_${id}`;
}

function byName(all: NamedAccessor[]): NamedAccessor[] {
  return all.sort((a, b) => (a.name ?? a.id).localeCompare(b.name ?? b.id));
}
