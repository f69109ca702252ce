import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { run } from '../prepare.mjs';

/** The commands that a Java peer needs and that are not installed. */
export function missingForJava() {
  return ['java', 'mvn'].filter((command) => spawnSync(command, ['-version']).status !== 0);
}

/**
 * Compiles the Maven project of a folder, with what Maven fetches from Maven Central.
 *
 * @param {string} folder its path, with a slash at the end
 * @returns the class path to run it with
 */
export async function compileJava(folder) {
  const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'];
  await run('mvn', ['-B', '-q', '-f', `${folder}pom.xml`, ...goals]);
  return `${folder}target/classes:${(await readFile(`${folder}target/classpath`, 'utf8')).trim()}`;
}
