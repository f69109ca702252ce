import { counted } from '../../contract/messages/counted.js';
import type { BackupFile } from './backup-file.js';
import type { BackupContents } from './content-frames.js';
import type { EndedAccess } from './issued-access.js';
import type { RestoredBackup } from './restore-backup.js';
import type { TakenBackup } from './take-backup.js';

/** The last lines of a command. */
export function backupSummary(file: string, { tables, rows, fileBytes }: TakenBackup, hasMasterKey: boolean): string {
  return [
    `${file} has ${counted(rows, 'row')} of ${counted(tables, 'table')}, in ${inBytes(fileBytes)}.`,
    hasMasterKey
      ? 'It contains the master key. Keep the passphrase in another place than the file: without it the file is worthless, with it the file is all data.'
      : 'It does not contain the master key, because the configuration names it. A restored database needs that key.',
  ].join('\n');
}

export function examinedSummary({ name, header }: BackupFile, contents: BackupContents, rows: number): string {
  return [
    `${name} is as it was written on ${header.madeAt} by release ${header.product}.`,
    `It has ${counted(rows, 'row')} of ${counted(contents.tables.length, 'table')}, and ${contents.masterKey === null ? 'not ' : ''}the master key (${header.masterKeyId}).`,
  ].join('\n');
}

export function restoreSummary(madeAt: string, restored: RestoredBackup): string {
  const { tables, rows, ended, skipped, migrated, keptKey, waitingDeletions } = restored;
  const lines = [`Restored, as of ${madeAt}: ${counted(rows, 'row')} of ${counted(tables, 'table')}.`];
  if (skipped.length > 0) lines.push(`Not restored, because they are not tables of Gatehouse: ${skipped.join(', ')}.`);
  if (migrated.length > 0) lines.push(`The schema was migrated: ${migrated.join(', ')}.`);
  if (keptKey !== undefined)
    lines.push(`The master key is that of the backup; the one that was there is now ${keptKey}.`);
  lines.push('', ...(ended ? endedLines(ended) : keptLines(madeAt)), '', ...changedLines(madeAt, waitingDeletions));
  return lines.join('\n');
}

export function endedSummary(ended: EndedAccess): string {
  return endedLines(ended).join('\n');
}

function endedLines({ sessions, grants, links, mails }: EndedAccess): string[] {
  return [
    `Everything that was issued has ended: ${counted(sessions, 'session')}, ${counted(grants, 'grant')}, ${counted(links, 'link')} by mail, and all`,
    'codes and tokens, also those that this database does not know. All users sign in again, apps and services get new tokens, and the',
    'next start makes new signing keys.',
    ...(mails > 0 ? [`${counted(mails, 'mail')} that waited will not be sent.`] : []),
  ];
}

function keptLines(madeAt: string): string[] {
  return [
    `What was issued before ${madeAt} is accepted again until it expires, also if it has ended since:`,
    '- sessions that have ended by a sign-out, by an administrator or by a change of the password',
    '- grants and refresh tokens that were taken back, refresh tokens that were replaced, and access tokens that were revoked',
    '- links by mail that were used, and recoveries of accounts that were ended',
    '- mails that waited, which are sent again',
    'JWT access tokens of services that were issued since are accepted until they expire, also if they were revoked.',
    'All of this can still be ended, while no node runs: npx gatehouse end-issued',
  ];
}

function changedLines(madeAt: string, waitingDeletions: number): string[] {
  return [
    `The database does not know what was changed after ${madeAt}. Before the portal serves, look into the log and the audit record of the`,
    'earlier installation, and do these again:',
    '- clients that were disabled or deleted: npx gatehouse client disable <client_id>',
    '- users who were disabled or deleted',
    '- passwords, passkeys, authenticator apps, recovery codes, and secrets and keys of clients are those of the backup: what was replaced',
    '  since because it had leaked is accepted again, and what was set since is not',
    ...(waitingDeletions > 0
      ? [
          `- ${counted(waitingDeletions, 'account')} will be deleted on the day that the user has asked for; a user who has taken this back since`,
          '  keeps the account by signing in',
        ]
      : []),
  ];
}

/** A size for a reader. */
export function inBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toPrecision(3)} ${units[step]}`;
}
