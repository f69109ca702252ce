import process from 'node:process';
import { NestFactory } from '@nestjs/core';
import { CommandFailed, help, recognise } from './cli.commands.js';
import { CliModule } from './cli.module.js';
import { Problem } from './platform/errors.js';
import { log, logToStandardError } from './platform/logging/log.js';
import { NestLog } from './platform/logging/nest-log.js';
import { configuration, databaseServer, explained } from './prerequisites.js';
import { openRuntime } from './runtime.js';

const understood = 0;
const failed = 1;
const notUnderstood = 2;

async function main(words: string[]): Promise<number> {
  if (words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '')) {
    process.stdout.write(help());
    return words.length === 0 ? notUnderstood : understood;
  }
  const asked = recognise(words);
  if (!asked) {
    process.stderr.write(`There is no such command: ${words.join(' ')}\n\n${help()}`);
    return notUnderstood;
  }
  const { command, args, options } = asked;
  // Standard output is for the result of the command.
  logToStandardError();
  log.level = 'error';
  const config = configuration();
  const inspectOnly = command.inspectsOnly === true;
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const { runtime, close } = await openRuntime(config, await databaseServer(config), say, { inspectOnly });
  try {
    const modules = inspectOnly ? CliModule.forInspection(runtime) : CliModule.forRuntime(runtime);
    const app = await NestFactory.createApplicationContext(modules, { logger: new NestLog(), abortOnError: false });
    try {
      const result = await command.run(app, args, options);
      const { text, isGood } = typeof result === 'string' ? { text: result, isGood: true } : result;
      process.stdout.write(`${text}\n`);
      return isGood ? understood : failed;
    } finally {
      await app.close();
    }
  } finally {
    await close();
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isKnown = error instanceof Problem || error instanceof CommandFailed;
    const text = isKnown ? `${error.message}\n` : explained(error);
    if (text === undefined) log.fatal({ err: error }, 'the command failed');
    else process.stderr.write(text);
    process.exit(failed);
  },
);
