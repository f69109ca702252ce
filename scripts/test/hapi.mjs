/**
 * `npm run test:hapi [-- <jest arguments>]`: the suites of `test/hapi` against a real HAPI FHIR JPA server, which Maven
 * fetches from Maven Central and Java runs. Without either of them it says so and tests nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitWith, run } from '../prepare.mjs';

const folder = fileURLToPath(new URL('../../test/hapi/', import.meta.url));
const missing = [
  ['java', '-version'],
  ['mvn', '-version'],
].filter(([command, version]) => spawnSync(command, [version]).status !== 0);

if (missing.length > 0) {
  console.log(`Tests with HAPI FHIR skipped, not installed: ${missing.map(([command]) => command).join(', ')}.`);
} else {
  try {
    console.log('Fetching and building the HAPI FHIR server …');
    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'];
    await run('mvn', ['-B', '-q', '-f', `${folder}pom.xml`, ...goals]);
    const HAPI_CLASSPATH = `${folder}target/classes:${readFileSync(`${folder}target/classpath`, 'utf8').trim()}`;
    await run(process.execPath, ['scripts/test.mjs', 'test/hapi', ...process.argv.slice(2)], {
      env: { HAPI_CLASSPATH },
    });
  } catch (error) {
    exitWith(error);
  }
}
