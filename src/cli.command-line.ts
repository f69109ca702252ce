import { resolve } from 'node:path';
import process from 'node:process';
import type { INestApplicationContext } from '@nestjs/common';
import type { PostgresConnection } from './platform/database/connection.js';

interface CommandLine {
  /**
   * Command line syntax: `<argument>` is required, `[<argument>...]` any number of them, `[--option]` and `[--option=<value>]` are
   * optional.
   */
  usage: string;
  summary: string;
}

export interface PortalCommand extends CommandLine {
  /** True for a command that must neither migrate the database nor register what the configuration names. */
  inspectsOnly?: true;
  /** Returns what to print; throws a `Problem` or a `CommandFailed` when the command fails. */
  run(app: INestApplicationContext, args: string[], options: Options): Promise<string | Verdict | Lines>;
}

/** A command that needs no module of the portal, and leaves the database as it is before it runs. */
export interface DatabaseCommand extends CommandLine {
  runOnDatabase(connection: PostgresConnection, say: (message: string) => void): Promise<string | Verdict>;
}

/** Values by the names of options, such as `--now`; empty for an option that has no value. */
type Options = ReadonlyMap<string, string>;

/** Lines that are printed one by one, until the reader goes away. */
export class Lines {
  constructor(readonly lines: AsyncIterable<string>) {}
}

/** The result of a command whose exit code says what it has found. */
export interface Verdict {
  text: string;
  exitCode: number;
}

/** A file named on the command line, relative to the folder in which the command was called (`scripts/gatehouse.mjs`). */
export function pathOf(file: string): string {
  return resolve(process.env.INIT_CWD ?? '.', file);
}
