import type { INestApplicationContext } from '@nestjs/common';
import { ClientManagement } from './clients/application/client-management.js';
import { SigningKeys } from './oidc/engine/keys/signing-keys.js';
import { AuditSeals } from './platform/audit/audit-seals.js';
import { OperatorNotes } from './readiness/application/operator-notes.js';
import { Readiness } from './readiness/application/readiness.js';
import { reportAsText } from './readiness/application/readiness-text.js';
import { AdminInvitations } from './users/application/admin-invitations.js';

export interface Command {
  /** Command line syntax: `<argument>` is required, `[--option]` is optional. */
  usage: string;
  summary: string;
  /** True for a command that must neither migrate the database nor register what the configuration names. */
  inspectsOnly?: true;
  /** Returns the text to print; throws a `Problem` or a {@link CommandFailed} when the command fails. */
  run(app: INestApplicationContext, args: string[], options: ReadonlySet<string>): Promise<string | Verdict>;
}

/** The result of a command whose exit code says what it has found. */
interface Verdict {
  text: string;
  isGood: boolean;
}

export class CommandFailed extends Error {}

const said = {
  invited: 'An administrator was invited, who chooses a password with this link within 72 hours.',
  'invited-again': 'This administrator had not chosen a password yet. There is a new link for it, good for 72 hours.',
  reset: 'This administrator can choose a new password with a link that is good for 60 minutes.',
};

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
    usage: 'add-admin <email> [--print]',
    summary: 'Invites an administrator, or sends a new link to one who cannot sign in; --print shows the link instead.',
    async run(app, [email = ''], options) {
      const print = options.has('--print');
      const { done, link } = await app.get(AdminInvitations, { strict: false }).invite(email, { print });
      return `${said[done]} ${link ?? 'The link goes out by mail.'}`;
    },
  },
  {
    usage: 'audit verify',
    summary: 'Verifies that the audit record is unchanged.',
    async run(app) {
      const { events, seals, problems } = await app.get(AuditSeals).verify();
      await app.get(OperatorNotes, { strict: false }).auditWasVerified(problems.length);
      if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
      return `${events} events under ${seals} seals are as they were recorded.`;
    },
  },
  {
    usage: 'backup done',
    summary: 'Records that a backup was taken; for the end of the script that takes it.',
    async run(app) {
      await app.get(OperatorNotes, { strict: false }).backupWasTaken();
      return 'The backup is recorded.';
    },
  },
  {
    usage: 'check [--json]',
    summary: 'Prints the readiness report; exit code 0 if nothing blocks going live, 1 if something does.',
    inspectsOnly: true,
    async run(app, _args, options) {
      const report = await app.get(Readiness, { strict: false }).report();
      const text = options.has('--json') ? JSON.stringify(report, null, 2) : reportAsText(report);
      return { text, isGood: report.ready };
    },
  },
];

/** Finds the command that matches these words, and splits its arguments and options. */
export function recognise(words: string[]): { command: Command; args: string[]; options: Set<string> } | undefined {
  const given = words.filter((word) => !word.startsWith('--'));
  const options = new Set(words.filter((word) => word.startsWith('--')));
  for (const command of commands) {
    const parts = command.usage.split(' ');
    const known = new Set(parts.filter((part) => part.startsWith('[')).map((part) => part.slice(1, -1)));
    const expected = parts.filter((part) => !part.startsWith('['));
    const fits =
      expected.length === given.length &&
      expected.every((part, index) => part.startsWith('<') || part === given[index]) &&
      [...options].every((option) => known.has(option));
    if (fits) return { command, args: given.filter((_, index) => expected[index]?.startsWith('<')), options };
  }
  return undefined;
}

/** Usage text with one line per command. */
export function help(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}\n`);
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
