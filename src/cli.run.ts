import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NestFactory } from '@nestjs/core';
import { FileProblems } from './as-code/domain/file-problems.js';
import { Lines, type Verdict } from './cli.command-line.js';
import { type Command, CommandFailed, help, named, recognise } from './cli.commands.js';
import { CliModule } from './cli.module.js';
import { Terminal } from './cli.terminal.js';
import { ArchiveProblem } from './platform/audit/archive/archive-file.js';
import { BackupProblem } from './platform/backup/backup-problem.js';
import type { Config } from './platform/config/config.js';
import { asUnavailable } from './platform/database/database.js';
import { RollbackRefused } from './platform/database/roll-back.js';
import { Problem } from './platform/errors.js';
import { log, logToStandardError } from './platform/logging/log.js';
import { NestLog } from './platform/logging/nest-log.js';
import type { Runtime } from './platform/platform.module.js';
import { configuration, databaseServer, explanationOf } from './prerequisites.js';
import { openRuntime } from './runtime.js';

const terminal = new Terminal();
const understood = 0;
const failed = 1;
/** `EX_USAGE` of BSD. A 2 of `plan` means that it found differences. */
const notUnderstood = 64;

/** Their message is for the operator, who needs no stack. */
const knownFailures = [Problem, CommandFailed, ArchiveProblem, FileProblems, RollbackRefused, BackupProblem];

async function main(words: string[]): Promise<number> {
  if (words.length === 0) {
    process.stdout.write(help());
    return notUnderstood;
  }
  const meant = named(words[0] === 'help' ? words.slice(1) : words);
  if (words[0] === 'help' || words.some((word) => word === '--help' || word === '-h')) {
    if (meant.length === 0) return refused(words, meant);
    process.stdout.write(help(meant));
    return understood;
  }
  const asked = recognise(words);
  if (!asked) return refused(words, meant);
  const { command, args, options } = asked;
  // Standard output is for the result of the command.
  logToStandardError();
  log.level = 'error';
  if ('runAlone' in command) return printedVerdict(await command.runAlone(terminal, args, options));
  if ('prepare' in command) {
    const config = configuration();
    const work = await command.prepare(terminal, args, options, config);
    return onRuntime(config, true, async (runtime) => printedVerdict(await work(runtime)));
  }
  if ('runOnDatabase' in command)
    return onRuntime(configuration(), true, async ({ connection }) =>
      printedVerdict(await command.runOnDatabase(connection, (text) => terminal.say(text))),
    );
  const inspectOnly = command.inspectsOnly === true;
  return onRuntime(configuration(), inspectOnly, async (runtime) => {
    const modules = inspectOnly ? CliModule.forInspection(runtime) : CliModule.forRuntime(runtime);
    const app = await NestFactory.createApplicationContext(modules, { logger: new NestLog(), abortOnError: false });
    try {
      const result = await command.run(app, args, options);
      if (!(result instanceof Lines)) return printedVerdict(result);
      await printed(result);
      return understood;
    } finally {
      await app.close();
    }
  });
}

function refused(words: string[], meant: Command[]): number {
  const reason = meant.length > 0 ? 'This is not how the command is called' : 'There is no such command';
  process.stderr.write(`${reason}: ${words.join(' ')}\n\n${help(meant.length > 0 ? meant : undefined)}`);
  return notUnderstood;
}

/** Runs `work` with the database, which is migrated unless it is only inspected. */
async function onRuntime(
  config: Config,
  inspectOnly: boolean,
  work: (runtime: Runtime) => Promise<number>,
): Promise<number> {
  const { runtime, close } = await openRuntime(config, await databaseServer(config), (text) => terminal.say(text), {
    inspectOnly,
  });
  try {
    return await work(runtime);
  } finally {
    await close();
  }
}

function printedVerdict(result: string | Verdict): number {
  const { text, exitCode } = typeof result === 'string' ? { text: result, exitCode: understood } : result;
  process.stdout.write(`${text}\n`);
  return exitCode;
}

/** A reader that goes away, such as `head`, ends the command, which has not failed. */
async function printed({ lines }: Lines): Promise<void> {
  async function* terminated() {
    for await (const line of lines) yield `${line}\n`;
  }
  try {
    await pipeline(Readable.from(terminated()), process.stdout, { end: false });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EPIPE') throw error;
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const failure = asUnavailable(error) ?? error;
    const isKnown = knownFailures.some((kind) => failure instanceof kind);
    const text = isKnown ? `${(failure as Error).message}\n` : explanationOf(error);
    if (text === undefined) log.fatal({ err: error }, 'command failed');
    else process.stderr.write(text);
    process.exit(failed);
  },
);
