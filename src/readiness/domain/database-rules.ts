import { message } from '../../contract/messages/message.js';
import { command, day, type Finding, minute, pass, printable, roughly, setting } from './finding.js';

export interface DatabaseSettings {
  /** Such as 180004 for 18.4. */
  versionNumber: number;
  version: string;
  fsync: boolean;
  fullPageWrites: boolean;
  synchronousCommit: boolean;
  usesTls: boolean;
  /** The address of the server; null for a Unix socket. */
  address: string | null;
  isLocal: boolean;
  /** Connections that are not reserved for superusers. */
  acceptedConnections: number;
  archiving: { lastSecondsAgo: number | null; isFailing: boolean } | null;
}

/** An entry that an operator or a command has left. */
export interface Note {
  secondsAgo: number;
  /** Only of a verification: the number of broken seals and strange events. */
  problems?: number;
}

const testedVersion = 18;
const largestShare = 0.8;
const clockTolerance = { passes: 5, works: minute };
const oldBackup = 7 * day;
const oldVerification = 90 * day;
const lateSeal = 10 * minute;

export function databaseVersion({ versionNumber, version }: DatabaseSettings, now: Date): Finding {
  const major = Math.floor(versionNumber / 10_000);
  const texts = { version: printable(version), tested: testedVersion };
  if (now >= endOfFixes(major)) {
    return {
      state: 'blocking',
      finding: message('readiness-database-version-ended', { version: texts.version }),
      advice: message('readiness-database-version-ended-do', { tested: testedVersion }),
      remedy: setting('database.url'),
    };
  }
  if (major !== testedVersion) {
    return {
      state: 'improve',
      finding: message('readiness-database-version-other', texts),
      advice: message('readiness-database-version-other-do', { tested: testedVersion }),
      remedy: setting('database.url'),
    };
  }
  return pass(message('readiness-database-version-pass', { version: texts.version }));
}

export function databaseDurability({ fsync, fullPageWrites, synchronousCommit }: DatabaseSettings): Finding {
  const off = [...(fsync ? [] : ['fsync']), ...(fullPageWrites ? [] : ['full_page_writes'])];
  if (off.length > 0) {
    return {
      state: 'blocking',
      finding: message('readiness-database-durability-off', { settings: off.join(', ') }),
      advice: message('readiness-database-durability-do'),
    };
  }
  if (synchronousCommit) return pass(message('readiness-database-durability-pass'));
  return {
    state: 'improve',
    finding: message('readiness-database-durability-late'),
    advice: message('readiness-database-durability-do'),
  };
}

export function databaseTransport({ usesTls, isLocal, address }: DatabaseSettings): Finding {
  if (isLocal) return pass(message('readiness-database-transport-local'));
  if (usesTls) return pass(message('readiness-database-transport-pass'));
  return {
    state: 'improve',
    finding: message('readiness-database-transport-plain', { address: address ?? '' }),
    advice: message('readiness-database-transport-do'),
    remedy: setting('database.url'),
  };
}

/** `needed`: the connections of all processes on this machine. */
export function databaseConnections({ acceptedConnections: accepted }: DatabaseSettings, needed: number): Finding {
  if (needed <= accepted * largestShare) {
    return pass(message('readiness-database-connections-pass', { needed, accepted }));
  }
  return {
    state: needed > accepted ? 'blocking' : 'improve',
    finding:
      needed > accepted
        ? message('readiness-database-connections-few', { needed, accepted })
        : message('readiness-database-connections-tight', { needed, accepted }),
    advice: message('readiness-database-connections-do'),
    remedy: setting('database.poolSize'),
  };
}

export function databaseClock(offsetSeconds: number): Finding {
  const seconds = Math.abs(offsetSeconds);
  if (seconds <= clockTolerance.passes) return pass(message('readiness-database-clock-pass'));
  return {
    state: seconds > clockTolerance.works ? 'blocking' : 'improve',
    finding: message('readiness-database-clock-differs', { duration: roughly(seconds) }),
    advice: message('readiness-database-clock-do'),
  };
}

export function migrations({
  pending,
  unknown,
  isEmpty,
}: {
  pending: number;
  unknown: number;
  isEmpty: boolean;
}): Finding {
  if (isEmpty) {
    return {
      state: 'blocking',
      finding: message('readiness-migrations-none'),
      advice: message('readiness-migrations-none-do'),
    };
  }
  if (pending > 0) {
    return {
      state: 'blocking',
      finding: message('readiness-migrations-pending', { count: pending }),
      advice: message('readiness-migrations-pending-do'),
    };
  }
  if (unknown > 0) {
    return {
      state: 'improve',
      finding: message('readiness-migrations-newer', { count: unknown }),
      advice: message('readiness-migrations-newer-do'),
    };
  }
  return pass(message('readiness-migrations-pass'));
}

export function backups(recorded: Note | undefined, { archiving }: DatabaseSettings): Finding {
  if (archiving?.isFailing) {
    return {
      state: 'improve',
      finding: message('readiness-backups-failing'),
      advice: message('readiness-backups-failing-do'),
    };
  }
  if (recorded && recorded.secondsAgo <= oldBackup) {
    return pass(message('readiness-backups-pass', { duration: roughly(recorded.secondsAgo) }));
  }
  if (archiving?.lastSecondsAgo !== undefined && archiving.lastSecondsAgo !== null) {
    return pass(message('readiness-backups-archive', { duration: roughly(archiving.lastSecondsAgo) }));
  }
  return {
    state: recorded ? 'improve' : 'unknown',
    finding: recorded
      ? message('readiness-backups-old', { duration: roughly(recorded.secondsAgo) })
      : message('readiness-backups-unseen'),
    advice: message('readiness-backups-do'),
    remedy: command('backup <file>'),
  };
}

/** `oldestSeconds`: the age of the oldest event without a seal; 0 without any. */
export function auditSeals(oldestSeconds: number): Finding {
  if (oldestSeconds <= lateSeal) return pass(message('readiness-audit-seals-pass'));
  return {
    state: 'improve',
    finding: message('readiness-audit-seals-late', { duration: roughly(oldestSeconds) }),
    advice: message('readiness-audit-seals-do'),
  };
}

export function auditVerified(last: Note | undefined): Finding {
  const remedy = command('audit verify');
  const advice = message('readiness-audit-verified-do');
  if (!last) return { state: 'improve', finding: message('readiness-audit-verified-never'), advice, remedy };
  const duration = roughly(last.secondsAgo);
  if (last.problems) {
    return {
      state: 'blocking',
      finding: message('readiness-audit-verified-broken', { duration, problems: last.problems }),
      advice: message('readiness-audit-verified-broken-do'),
      remedy,
    };
  }
  if (last.secondsAgo <= oldVerification) return pass(message('readiness-audit-verified-pass', { duration }));
  return { state: 'improve', finding: message('readiness-audit-verified-old', { duration }), advice, remedy };
}

/** Months in the database that are older than those that it keeps. */
export interface DueMonths {
  /** `YYYY-MM` of the first one. */
  first: string;
  months: number;
}

export function auditArchives(due: DueMonths | undefined, keep: number | undefined): Finding {
  if (keep === undefined) return pass(message('readiness-audit-archives-kept'));
  if (!due) return pass(message('readiness-audit-archives-pass', { keep }));
  const { first, months } = due;
  return {
    state: 'improve',
    finding: message('readiness-audit-archives-due', { months, first }),
    advice: message('readiness-audit-archives-do'),
    remedy: command(`audit archive ${first} audit-${first}.ndjson.gz`),
  };
}

/** PostgreSQL fixes a major version for five years; version 18 appeared in 2025 (postgresql.org/support/versioning). */
function endOfFixes(major: number): Date {
  const novemberIndex = 10;
  return new Date(Date.UTC(2012 + major, novemberIndex, 12));
}
