/**
 * `npm run test:hapi [-- <jest arguments>]`: the suites of `test/hapi` against a real HAPI FHIR JPA server, which Maven
 * fetches from Maven Central and Java runs. Without either of them it says so and tests nothing.
 */
import { fileURLToPath } from 'node:url';
import { exitWith, run } from '../prepare.mjs';
import { compileJava, missingForJava } from './java.mjs';

const folder = fileURLToPath(new URL('../../test/hapi/', import.meta.url));
const missing = missingForJava();

if (missing.length > 0) {
  console.log(`Tests with HAPI FHIR skipped, not installed: ${missing.join(', ')}.`);
} else {
  try {
    console.log('Fetching and building the HAPI FHIR server …');
    const HAPI_CLASSPATH = await compileJava(folder);
    await run(process.execPath, ['scripts/test.mjs', 'test/hapi', ...process.argv.slice(2)], {
      env: { HAPI_CLASSPATH },
    });
  } catch (error) {
    exitWith(error);
  }
}
