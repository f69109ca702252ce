import { resolve } from 'node:path';
import process from 'node:process';
import type { INestApplicationContext } from '@nestjs/common';
import type { Terminal } from './cli.terminal.js';
import type { Config } from './platform/config/config.js';
import type { PostgresConnection } from './platform/database/connection.js';
import type { Runtime } from './platform/platform.module.js';

interface CommandLine {
  /**
   * Command line syntax: `<argument>` is required, `[<argument>...]` any number of them, `[--option]` and
   * `[--option=<value>]` are optional.
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
  /** True for a command that also runs with another master key than that of the database. */
  runsWithAnyKey?: true;
  runOnDatabase(connection: PostgresConnection, say: (message: string) => void): Promise<string | Verdict>;
}

/**
 * A command about the installation as a whole, which leaves the database as it is before it runs. What needs no
 * database comes first, so that a wrong file or passphrase starts none.
 */
export interface InstallationCommand extends CommandLine {
  prepare(
    terminal: Terminal,
    args: string[],
    options: Options,
    config: Config,
  ): Promise<(runtime: Runtime) => Promise<string | Verdict>>;
}

/** A command that needs neither a configuration nor a database. */
export interface FileCommand extends CommandLine {
  runAlone(terminal: Terminal, args: string[], options: Options): Promise<string | Verdict>;
}

/** Values by the names of options, such as `--now`; empty for an option that has no value. */
export type Options = ReadonlyMap<string, string>;

/** Lines that are printed one by one, until the reading process ends. */
export class Lines {
  constructor(readonly lines: AsyncIterable<string>) {}
}

/** The result of a command whose exit code says what it has found. */
export interface Verdict {
  text: string;
  exitCode: number;
}

/**
 * A file named on the command line, relative to the folder in which the command was called (`scripts/gatehouse.mjs`).
 */
export function pathOf(file: string): string {
  return resolve(process.env.INIT_CWD ?? '.', file);
}
