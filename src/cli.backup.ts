import { readFileSync } from 'node:fs';
import process from 'node:process';
import { NestFactory } from '@nestjs/core';
import {
  type DatabaseCommand,
  type FileCommand,
  type InstallationCommand,
  type Options,
  pathOf,
} from './cli.command-line.js';
import { CliModule } from './cli.module.js';
import type { Terminal } from './cli.terminal.js';
import { counted } from './contract/messages/counted.js';
import { Audit } from './platform/audit/audit.js';
import { BackupFile, refuseExisting } from './platform/backup/backup-file.js';
import { BackupProblem } from './platform/backup/backup-problem.js';
import {
  backupSummary,
  endedSummary,
  examinedSummary,
  inBytes,
  restoreSummary,
} from './platform/backup/backup-summary.js';
import { endAllIssued } from './platform/backup/issued-access.js';
import { examine, refuseNewer, restoreBackup } from './platform/backup/restore-backup.js';
import { type Progress, type TakenBackup, takeBackup } from './platform/backup/take-backup.js';
import type { Config } from './platform/config/config.js';
import { hasMasterKey, ownMasterKey } from './platform/crypto/master-key.js';
import { Database } from './platform/database/database.js';
import { failureReason } from './platform/database/first-contact.js';
import { NestLog } from './platform/logging/nest-log.js';
import type { Runtime } from './platform/platform.module.js';
import { OperatorNotes } from './readiness/application/operator-notes.js';

const progressMs = 5_000;
const shortestPassphrase = 16;
/** Also with the end `_FILE`. */
const variable = 'GATEHOUSE_BACKUP_PASSPHRASE';

/** Commands that copy the database into a file and back. */
export const backupCommands: (InstallationCommand | FileCommand | DatabaseCommand)[] = [
  {
    usage: 'backup check <file>',
    summary: 'Reads a backup from beginning to end, without a database, and says what it has.',
    async runAlone(terminal, [name = '']) {
      const file = await BackupFile.open(pathOf(name));
      const backup = await file.unlock(await knownPassphrase(terminal));
      const { contents, rows } = await watched(terminal, (progress) => examine(backup, progress));
      return examinedSummary(file, contents, rows);
    },
  },
  {
    usage: 'backup <file> [--force]',
    summary:
      'Writes the whole database to a file, encrypted with a passphrase, while nodes continue; --force replaces a file of this name.',
    prepare: prepareBackup,
  },
  {
    usage: 'restore <file> [--end-issued] [--keep-issued]',
    summary:
      'Restores a backup into an installation without data that does not run; --end-issued ends all sessions, tokens, grants and links, so that nothing comes back that was ended since, --keep-issued keeps them.',
    prepare: prepareRestore,
  },
  {
    usage: 'end-issued',
    summary:
      'Ends all sessions, tokens, grants and links, and removes all signing keys, of an installation that does not run: after a restore by other means, or when nothing that was issued can be trusted.',
    runsWithAnyKey: true,
    async runOnDatabase(connection) {
      return endedSummary(await endAllIssued(connection));
    },
  },
];

async function prepareBackup(terminal: Terminal, [name = '']: string[], options: Options) {
  const file = pathOf(name);
  const overwrite = options.has('--force');
  if (!overwrite) await refuseExisting(file);
  const passphrase = await newPassphrase(terminal);
  return async (runtime: Runtime) => {
    const { config, connection, secrets } = runtime;
    const masterKey = await ownMasterKey(config);
    const request = { file, overwrite, passphrase, masterKeyId: secrets.keyId, masterKey };
    const taken = await watched(terminal, (progress) => takeBackup(connection, request, progress));
    await noteBackup(runtime, taken).catch((error: unknown) => {
      terminal.say(`The backup could not be recorded in the database: ${failureReason(error)}`);
    });
    return backupSummary(file, taken, masterKey !== undefined);
  };
}

/** For the readiness report and the audit record. */
async function noteBackup(runtime: Runtime, { rows, fileBytes }: TakenBackup): Promise<void> {
  const app = await NestFactory.createApplicationContext(CliModule.forInspection(runtime), {
    logger: new NestLog(),
    abortOnError: false,
  });
  try {
    await app.get(Database).transaction(async () => {
      await app.get(OperatorNotes, { strict: false }).backupWasTaken();
      await app.get(Audit).record({ type: 'backup.taken', outcome: 'success', detail: { rows, fileBytes } });
    });
  } finally {
    await app.close();
  }
}

async function prepareRestore(terminal: Terminal, [name = '']: string[], options: Options, config: Config) {
  const file = await BackupFile.open(pathOf(name));
  refuseNewer(file.header);
  const given = givenChoice(terminal, options);
  const backup = await file.unlock(await knownPassphrase(terminal));
  terminal.say(`Reading ${file.name}, of ${file.header.madeAt}`);
  const { contents } = await watched(terminal, (progress) => examine(backup, progress));
  const endsIssued =
    given ??
    (await terminal.choice(
      'End all sessions, tokens, grants and links, so that nothing that was ended since the backup is accepted again?',
      ['yes', 'no'],
    )) === 'yes';
  // Opening the database makes a key where there is none, which has protected nothing.
  const keepsKey = await hasMasterKey(config);
  return async (runtime: Runtime) => {
    const { header } = file;
    terminal.say('The file is whole. Restoring it');
    const restored = await watched(terminal, (progress) =>
      restoreBackup(runtime, backup, { header, contents, endsIssued, keepsKey }, progress),
    );
    return restoreSummary(header.madeAt, restored);
  };
}

/** Undefined if the operator can be asked. */
function givenChoice(terminal: Terminal, options: Options): boolean | undefined {
  const [ends, keeps] = [options.has('--end-issued'), options.has('--keep-issued')];
  if (ends !== keeps) return ends;
  if (ends) throw new BackupProblem('Name one of --end-issued and --keep-issued.');
  if (terminal.isInteractive) return undefined;
  throw new BackupProblem(
    'Say by --end-issued or --keep-issued what happens to sessions, tokens, grants and links: without a terminal the command cannot ask.',
  );
}

async function newPassphrase(terminal: Terminal): Promise<string> {
  const given = passphraseOfEnvironment();
  if (given !== undefined) return assertLongEnough(given);
  refuseWithoutTerminal(terminal);
  const passphrase = assertLongEnough(await terminal.secret(`Passphrase (${shortestPassphrase} characters or more): `));
  if ((await terminal.secret('The same again: ')) !== passphrase)
    throw new BackupProblem('The two passphrases are not the same.');
  return passphrase;
}

async function knownPassphrase(terminal: Terminal): Promise<string> {
  const given = passphraseOfEnvironment();
  if (given !== undefined) return given;
  refuseWithoutTerminal(terminal);
  return terminal.secret('Passphrase of the backup: ');
}

/** Removed from the environment: the embedded PostgreSQL, which may outlive the command, would inherit it. */
function passphraseOfEnvironment(): string | undefined {
  const [value, file] = [process.env[variable], process.env[`${variable}_FILE`]];
  delete process.env[variable];
  if (value !== undefined && file !== undefined)
    throw new BackupProblem(`Set one of ${variable} and ${variable}_FILE, not both.`);
  if (file === undefined) return value;
  try {
    return readFileSync(pathOf(file), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new BackupProblem(`${variable}_FILE: ${failureReason(error)}`, { cause: error });
  }
}

function assertLongEnough(passphrase: string): string {
  if ([...passphrase].length < shortestPassphrase)
    throw new BackupProblem(`The passphrase needs ${shortestPassphrase} characters or more.`);
  return passphrase;
}

function refuseWithoutTerminal(terminal: Terminal): void {
  if (terminal.isInteractive) return;
  throw new BackupProblem(
    `Set ${variable} or ${variable}_FILE: without a terminal the command cannot ask for the passphrase.`,
  );
}

/** Says how far long work is. */
async function watched<T>(terminal: Terminal, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress: Progress = { table: '', rows: 0, bytes: 0 };
  const timer = setInterval(() => {
    const { table, rows, bytes } = progress;
    terminal.say(`  ${counted(rows, 'row')}, ${inBytes(bytes)}; now ${table}`);
  }, progressMs);
  try {
    return await work(progress);
  } finally {
    clearInterval(timer);
  }
}
