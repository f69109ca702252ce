import { archivedEventFilter } from './audit/application/archived-event-filter.js';
import { ArchiveChain } from './audit/infrastructure/archive/archive-chain.js';
import { AuditArchives } from './audit/infrastructure/archive/audit-archives.js';
import { archivedSummary, verifiedSummary } from './audit/infrastructure/audit-summary.js';
import { asCodeCommands } from './cli.as-code.js';
import { backupCommands } from './cli.backup.js';
import {
  type DatabaseCommand,
  type FileCommand,
  type InstallationCommand,
  Lines,
  type PortalCommand,
  pathOf,
} from './cli.command-line.js';
import { databaseCommands } from './cli.database.js';
import { ClientManagement } from './clients/application/client-management.js';
import { AdministratorRescue } from './helpdesk/application/administrator-rescue.js';
import { SigningKeys } from './oidc/engine/keys/signing-keys.js';
import { Config } from './platform/config/config.js';
import { fhirBasesOf } from './platform/config/fhir-bases.js';
import { OperatorNotes } from './readiness/application/operator-notes.js';
import { Readiness } from './readiness/application/readiness.js';
import { reportAsText } from './readiness/application/readiness-text.js';
import { AdminInvitations } from './users/application/admins/admin-invitations.js';

export type Command = PortalCommand | DatabaseCommand | InstallationCommand | FileCommand;

export class CommandFailed extends Error {}

const invitationTexts = {
  invited: 'An administrator was invited, who chooses a password with this link within 72 hours.',
  'invited-again': 'This administrator had not chosen a password yet. There is a new link for it, good for 72 hours.',
  reset: 'This administrator can choose a new password with a link that is good for 60 minutes.',
};

const readOptions = ['--user', '--client', '--patient', '--type', '--from', '--to'] as const;

/** Commands for operators; each is one line here and one use case of a module. */
export const commands: Command[] = [
  {
    usage: 'keys list',
    summary: 'Lists the signing keys with their states and dates.',
    async run(app) {
      return keyTable(await app.get(SigningKeys).list());
    },
  },
  {
    usage: 'keys rotate [--now]',
    summary: 'Replaces the signing keys; with --now the new keys sign at once, without prior publication.',
    async run(app, _args, options) {
      const keys = app.get(SigningKeys);
      await keys.rotate({ immediately: options.has('--now') });
      return keyTable(await keys.list());
    },
  },
  {
    usage: 'keys remove <key>',
    summary: 'Removes a leaked, retired key: tokens that it signed are no longer accepted.',
    async run(app, [kid = '']) {
      const keys = app.get(SigningKeys);
      await keys.remove(kid);
      return keyTable(await keys.list());
    },
  },
  {
    usage: 'client disable <client_id>',
    summary: 'Disables a client and ends all its grants and tokens, also while the FHIR server is unavailable.',
    async run(app, [clientId = '']) {
      await app.get(ClientManagement, { strict: false }).disableClient(clientId);
      return `${clientId} is disabled, and its tokens are no longer accepted.`;
    },
  },
  {
    usage: 'add-admin <email> [--print] [--lost-all]',
    summary:
      'Invites an administrator, or sends a new link to one who cannot sign in; --print shows the link instead, --lost-all also removes passkeys and second factor.',
    async run(app, [email = ''], options) {
      const print = options.has('--print');
      const { done, link } = await (options.has('--lost-all')
        ? app.get(AdministratorRescue).rescue(email, { print })
        : app.get(AdminInvitations, { strict: false }).invite(email, { print }));
      return `${invitationTexts[done]} ${link ?? 'The link goes out by mail.'}`;
    },
  },
  {
    usage: 'audit verify [--alone] [<file>...]',
    summary:
      'Verifies that the audit record is unchanged, and with files its archives, of which none may be missing; with --alone these files only.',
    async run(app, files, options) {
      const alone = options.has('--alone');
      if (alone && files.length === 0) throw new CommandFailed('Name the archives that --alone is to verify.');
      const { events, seals, problems } = await app.get(ArchiveChain).verify(files.map(pathOf), { alone });
      if (!alone) await app.get(OperatorNotes, { strict: false }).auditWasVerified(problems);
      if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
      return verifiedSummary({ events, seals });
    },
  },
  {
    usage: 'audit archive <month> <file>',
    summary:
      'Writes a month (2026-03) of the audit record to a file, verifies it, and removes the month from the database.',
    async run(app, [month = '', file = '']) {
      return archivedSummary(file, month, await app.get(AuditArchives).archive(month, pathOf(file)));
    },
  },
  {
    usage: `audit read <file> ${readOptions.map((name) => `[${name}=<${name.slice(2)}>]`).join(' ')}`,
    summary:
      'Prints the events of an archive as NDJSON: those of a user (id), client (client id), patient (1, Patient/1, an address) or type, and from and to a time (ISO 8601).',
    inspectsOnly: true,
    async run(app, [file = ''], options) {
      return new Lines(
        app.get(ArchiveChain).events(pathOf(file), archivedEventFilter(options, fhirBasesOf(app.get(Config)))),
      );
    },
  },
  {
    usage: 'backup done',
    summary: 'Records that a backup was taken by other means; for the end of the script that takes it.',
    async run(app) {
      await app.get(OperatorNotes, { strict: false }).backupWasTaken();
      return 'The backup is recorded.';
    },
  },
  {
    usage: 'restore done',
    summary:
      'Records that relationships were compared after a restore: ends and blocks that came after the backup are done again.',
    async run(app) {
      await app.get(OperatorNotes, { strict: false }).restoreWasCompared();
      return 'The comparison is recorded.';
    },
  },
  ...backupCommands,
  {
    usage: 'check [--json]',
    summary: 'Prints the readiness report; exit code 0 if nothing blocks going live, 1 if something does.',
    inspectsOnly: true,
    async run(app, _args, options) {
      const report = await app.get(Readiness, { strict: false }).report();
      const text = options.has('--json') ? JSON.stringify(report, null, 2) : reportAsText(report);
      return { text, exitCode: report.ready ? 0 : 1 };
    },
  },
  ...asCodeCommands,
  ...databaseCommands,
];

/** Finds the command that matches these words, and splits its arguments and options. */
export function recognise(
  words: string[],
): { command: Command; args: string[]; options: Map<string, string> } | undefined {
  for (const command of commands) {
    const parts = command.usage.split(' ');
    const known = parts.filter((part) => part.startsWith('[--')).map((part) => part.slice(1, -1).split('='));
    const given = split(words, new Map(known.map(([name = '', value]) => [name, value !== undefined])));
    if (!given) continue;
    const { plain, options } = given;
    const expected = parts.filter((part) => !part.startsWith('['));
    const takesMore = parts.some((part) => part.endsWith('...]'));
    const fits =
      (takesMore ? expected.length <= plain.length : expected.length === plain.length) &&
      expected.every((part, index) => part.startsWith('<') || part === plain[index]);
    if (fits) return { command, args: plain.filter((_, index) => expected[index]?.startsWith('<') ?? true), options };
  }
  return undefined;
}

/** Splits words into plain ones and options; undefined if there is an unknown option or one without its value. */
function split(words: string[], known: ReadonlyMap<string, boolean>) {
  const plain: string[] = [];
  const options = new Map<string, string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('--')) {
      plain.push(word);
      continue;
    }
    const [, name = '', given] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const hasValue = known.get(name);
    if (hasValue === undefined || (!hasValue && given !== undefined)) return undefined;
    const value = hasValue ? (given ?? rest.shift()) : '';
    if (value === undefined) return undefined;
    options.set(name, value);
  }
  return { plain, options };
}

/** Syntax that has a line of its own in the usage text. */
const widest = 40;

/** Commands whose name the words begin with, whatever follows, or whose name begins with the words; all for no word. */
export function named(words: readonly string[]): Command[] {
  const plain = words.filter((word) => !word.startsWith('-'));
  return commands.filter(({ usage }) => {
    const name = usage.replace(/ [<[].*$/, '').split(' ');
    return name.every((part, index) => index >= plain.length || part === plain[index]);
  });
}

/** Usage text: one line per command, two if its syntax is long. */
export function help(shown: readonly Command[] = commands): string {
  const width = Math.max(...shown.map(({ usage }) => (usage.length > widest ? 0 : usage.length)));
  const margin = `\n${' '.repeat(width + 4)}`;
  const lines = shown.map(
    ({ usage, summary }) => `  ${usage.padEnd(width)}${usage.length > widest ? margin : '  '}${summary}\n`,
  );
  return `Usage: npx gatehouse <command>\n\n${lines.join('')}`;
}

type Keys = Awaited<ReturnType<SigningKeys['list']>>;

function keyTable(keys: Keys): string {
  const date = (at: Date | null) => at?.toISOString().replace(/\.\d+Z$/, 'Z') ?? '';
  const rows = keys.map(({ kid, alg, state, signsFrom, retiresAt, removedAt }) => [
    kid,
    alg,
    state,
    date(signsFrom),
    date(retiresAt),
    date(removedAt),
  ]);
  return table([['KEY', 'ALGORITHM', 'STATE', 'SIGNS FROM', 'UNTIL', 'REMOVED'], ...rows]);
}

function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
