import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NestFactory } from '@nestjs/core';
import { FileProblems } from './as-code/domain/file-problems.js';
import { ArchiveProblem } from './audit/domain/archived-event.js';
import { Lines, type Verdict } from './cli.command-line.js';
import { type Command, CommandFailed, help, named, recognise } from './cli.commands.js';
import { CliModule } from './cli.module.js';
import { Terminal } from './cli.terminal.js';
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

const understood = 0;
const failed = 1;
/** `EX_USAGE` of BSD. A 2 of `plan` means that it found differences. */
const notUnderstood = 64;

/** Their message is for the operator, who needs no stack. */
const knownFailures = [Problem, CommandFailed, ArchiveProblem, FileProblems, RollbackRefused, BackupProblem];

async function answer(words: string[], terminal: Terminal): Promise<number> {
  if (words.length === 0) {
    terminal.result.write(help());
    return notUnderstood;
  }
  const meant = named(words[0] === 'help' ? words.slice(1) : words);
  if (words[0] === 'help' || words.some((word) => word === '--help' || word === '-h')) {
    if (meant.length === 0) return refused(words, meant, terminal);
    terminal.result.write(help(meant));
    return understood;
  }
  const asked = recognise(words);
  if (!asked) return refused(words, meant, terminal);
  const { command, args, options } = asked;
  if ('runAlone' in command) return printedVerdict(await command.runAlone(terminal, args, options), terminal);
  if ('prepare' in command) {
    const config = configuration();
    const work = await command.prepare(terminal, args, options, config);
    return onRuntime(config, { inspectOnly: true, terminal }, async (runtime) =>
      printedVerdict(await work(runtime), terminal),
    );
  }
  if ('runOnDatabase' in command)
    return onRuntime(
      configuration(),
      { inspectOnly: true, withAnyKey: command.runsWithAnyKey === true, terminal },
      async ({ connection }) =>
        printedVerdict(await command.runOnDatabase(connection, (text) => terminal.say(text)), terminal),
    );
  const inspectOnly = command.inspectsOnly === true;
  return onRuntime(configuration(), { inspectOnly, terminal }, async (runtime) => {
    const modules = inspectOnly ? CliModule.forInspection(runtime) : CliModule.forRuntime(runtime);
    const app = await NestFactory.createApplicationContext(modules, { logger: new NestLog(), abortOnError: false });
    try {
      const result = await command.run(app, args, options);
      if (!(result instanceof Lines)) return printedVerdict(result, terminal);
      await printed(result, terminal);
      return understood;
    } finally {
      await app.close();
    }
  });
}

function refused(words: string[], meant: Command[], terminal: Terminal): number {
  const reason = meant.length > 0 ? 'This is not how the command is called' : 'There is no such command';
  terminal.say(`${reason}: ${words.join(' ')}\n\n${help(meant.length > 0 ? meant : undefined).trimEnd()}`);
  return notUnderstood;
}

/** Runs `work` with the database, which is migrated unless it is only inspected. */
async function onRuntime(
  config: Config,
  { inspectOnly, withAnyKey = false, terminal }: { inspectOnly: boolean; withAnyKey?: boolean; terminal: Terminal },
  work: (runtime: Runtime) => Promise<number>,
): Promise<number> {
  const { runtime, close } = await openRuntime(config, await databaseServer(config), (text) => terminal.say(text), {
    inspectOnly,
    withAnyKey,
  });
  try {
    return await work(runtime);
  } finally {
    await close();
  }
}

function printedVerdict(result: string | Verdict, terminal: Terminal): number {
  const { text, exitCode } = typeof result === 'string' ? { text: result, exitCode: understood } : result;
  terminal.result.write(`${text}\n`);
  return exitCode;
}

/** A reader that goes away, such as `head`, ends the command, which has not failed. */
async function printed({ lines }: Lines, terminal: Terminal): Promise<void> {
  async function* terminated() {
    for await (const line of lines) yield `${line}\n`;
  }
  try {
    await pipeline(Readable.from(terminated()), terminal.result, { end: false });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EPIPE') throw error;
  }
}

/** Runs the command that these words are. Returns the exit code. */
export async function run(words: string[], terminal: Terminal): Promise<number> {
  try {
    return await answer(words, terminal);
  } catch (error) {
    const failure = asUnavailable(error) ?? error;
    const isKnown = knownFailures.some((kind) => failure instanceof kind);
    const text = isKnown ? (failure as Error).message : explanationOf(error)?.trimEnd();
    if (text === undefined) log.fatal({ err: error }, 'command failed');
    else terminal.say(text);
    return failed;
  }
}

/** Runs the command that is the whole work of this process. */
export async function runAndExit(): Promise<never> {
  // Standard output is for the result of the command.
  logToStandardError();
  log.level = 'error';
  process.exit(await run(process.argv.slice(2), new Terminal(process)));
}
