import process from 'node:process';
import { NestFactory } from '@nestjs/core';
import { CommandFailed, help, recognise } from './cli.commands.js';
import { CliModule } from './cli.module.js';
import { Problem } from './platform/errors.js';
import { log } from './platform/logging/log.js';
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
  log.level = 'error';
  const config = configuration();
  const { runtime, close } = await openRuntime(config, await databaseServer(config), (message) => {
    process.stderr.write(`${message}\n`);
  });
  try {
    const app = await NestFactory.createApplicationContext(CliModule.forRuntime(runtime), {
      logger: new NestLog(),
      abortOnError: false,
    });
    try {
      process.stdout.write(`${await command.run(app, args, options)}\n`);
    } finally {
      await app.close();
    }
  } finally {
    await close();
  }
  return understood;
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
