import { Injectable } from '@nestjs/common';
import { type Message, message } from '../../contract/messages/message.js';
import type {
  ReadinessCheck,
  ReadinessCode,
  ReadinessGroup,
  ReadinessReport,
  ReadinessState,
  ReadinessText,
} from '../../contract/readiness.js';
import { Config } from '../../platform/config/config.js';
import { isSchemaMissing } from '../../platform/database/database.js';
import { inEnglish } from '../../platform/language/translator.js';
import { log } from '../../platform/logging/log.js';
import { productVersion } from '../../platform/process/product.js';
import { groups, subjects } from '../domain/checks.js';
import type { Finding } from '../domain/finding.js';
import { ReadinessNotes } from '../domain/readiness-notes.js';
import { type Examination, Examinations } from './examinations.js';

type Examined = Record<ReadinessCode, Examination>;

const patienceSeconds = 5;

/** Checks what an installation should have before it goes live. It changes nothing. */
@Injectable()
export class Readiness {
  constructor(
    private readonly examinations: Examinations,
    private readonly notes: ReadinessNotes,
    private readonly config: Config,
  ) {}

  /** Runs all checks at the same time, each within five seconds. `accountId` names the administrator who asks. */
  async report(accountId?: string): Promise<ReadinessReport> {
    const examinations = this.examinations.start();
    const codes = Object.keys(subjects) as ReadinessCode[];
    const [checks, recipient] = await Promise.all([
      Promise.all(codes.map((code) => check(code, examinations))),
      accountId === undefined ? undefined : this.notes.recipient(accountId).catch(() => undefined),
    ]);
    const inState = (state: ReadinessState) => checks.filter((one) => one.state === state).length;
    const blocking = inState('blocking');
    return {
      ready: blocking === 0,
      counts: { blocking, improve: inState('improve'), unknown: inState('unknown'), pass: inState('pass') },
      checkedAt: new Date().toISOString(),
      checkedBy: recipient?.fullName ?? null,
      issuer: this.config.server.issuer,
      version: productVersion,
      sections: (Object.keys(groups) as ReadinessGroup[]).map((group) => ({
        group,
        title: readinessText(groups[group]),
        checks: checks.filter(({ code }) => subjects[code].group === group),
      })),
    };
  }
}

async function check(code: ReadinessCode, examinations: Examined): Promise<ReadinessCheck> {
  const { title, why } = subjects[code];
  const { state, finding, advice, remedy } = await findingOf(code, examinations);
  return {
    code,
    state,
    title: readinessText(title),
    finding: readinessText(finding),
    why: readinessText(why),
    advice: advice ? readinessText(advice) : null,
    remedy:
      remedy === undefined ? null : remedy.kind === 'page' ? { ...remedy, label: readinessText(remedy.label) } : remedy,
  };
}

/** A check that fails or takes too long has no result, and keeps no other one from having theirs. */
async function findingOf(code: ReadinessCode, examinations: Examined): Promise<Finding> {
  const without = (finding: Message): Finding => ({
    state: 'unknown',
    finding,
    advice: message('readiness-check-again'),
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = message('readiness-late', { duration: patienceSeconds });
    timer = setTimeout(() => resolve(without(finding)), patienceSeconds * 1000);
  });
  try {
    return await Promise.race([Promise.resolve().then(examinations[code]), late]);
  } catch (err) {
    // Before the first start, or before an upgrade.
    if (isSchemaMissing(err) && (await examinations.migrations()).state === 'blocking') {
      return { ...without(message('readiness-no-tables')), advice: message('readiness-no-tables-do') };
    }
    log.error({ err, check: code }, 'readiness check failed');
    return without(message('readiness-failed'));
  } finally {
    clearTimeout(timer);
  }
}

function readinessText(one: Message): ReadinessText {
  return { text: inEnglish(one), ...one };
}
