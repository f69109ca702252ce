import { Injectable } from '@nestjs/common';
import type { AccessLogFilter } from '../../contract/own-record/access-log.js';
import { AccessLog, type ExportedAccess } from '../domain/access-log.js';
import { LogPatients } from './log-patients.js';
import { LogPeriods } from './log-periods.js';

const batch = 500;
/** Days whose accesses are listed at once. */
const mostDays = 31;

/** The single accesses of a log, read as they are needed: they can be more than memory holds. */
@Injectable()
export class ExportedAccesses {
  constructor(
    private readonly log: AccessLog,
    private readonly patients: LogPatients,
    private readonly periods: LogPeriods,
  ) {}

  /** The latest first. */
  async *forAccount(accountId: string, filter: AccessLogFilter): AsyncGenerator<ExportedAccess[]> {
    const patient = await this.patients.forAccount(accountId);
    if (!patient) return;
    for await (const days of this.periods.inParts(filter, { mostDays })) {
      const ids = await this.log.eventIds(patient, filter, days);
      for (let begin = 0; begin < ids.length; begin += batch) {
        yield await this.log.events(patient, ids.slice(begin, begin + batch), days);
      }
    }
  }
}
