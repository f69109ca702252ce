/**
 * `npm test [-- <jest arguments>]`: provides what the tests need, checks types, lint and import rules, runs the suites,
 * and ends with `N passed, N failed, N skipped`. Up to ten suites that failed next to others run once more, alone. With
 * arguments it runs the suites they select and no checks; `--long` lets properties try far more cases, which takes
 * minutes.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { exitWith, npm, prepare, root, run } from './prepare.mjs';
import { providePostgres } from './test/postgres-versions.mjs';

const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--long');
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
const long = process.argv.includes('--long');
/** One more than cores on a machine of two: tests wait for the database, pages, mails and times. */
const workers = 3;
/** Set while and after the lists of packages are read, which is once in a run. */
let updated;

const hasFiles =
  (...files) =>
  () =>
    files.every(existsSync);

/** Programs of others that the tests need. The tests of all but the first are skipped without them. */
const programs = [
  {
    name: 'Chromium',
    isThere: () => findChromium() !== undefined,
    packages: ['chromium-headless-shell', 'fonts-liberation'],
  },
  {
    name: 'Glewlwyd',
    isThere: hasFiles('/usr/bin/glewlwyd'),
    // Nothing but SQLite lets its configuration go without questions.
    packages: ['glewlwyd', 'dbconfig-sqlite3'],
    without: 'signing in at a foreign OpenID provider',
  },
  {
    name: 'Apache with mod_auth_openidc',
    isThere: hasFiles('/usr/lib/apache2/modules/mod_auth_openidc.so', '/usr/sbin/apache2'),
    packages: ['apache2-bin', 'libapache2-mod-auth-openidc'],
    without: 'signing in by it',
  },
  {
    name: 'PgBouncer',
    isThere: hasFiles('/usr/sbin/pgbouncer'),
    packages: ['pgbouncer'],
    without: 'a pooler in front of the database',
  },
  {
    name: 'nginx',
    isThere: hasFiles('/usr/sbin/nginx'),
    packages: ['nginx-light'],
    without: 'a portal behind a proxy, below a path,',
  },
  {
    name: 'HAProxy',
    isThere: hasFiles('/usr/sbin/haproxy'),
    packages: ['haproxy'],
    without: 'the replacement of nodes behind a load balancer',
  },
  {
    name: 'Prometheus',
    isThere: hasFiles('/usr/bin/prometheus', '/usr/bin/promtool'),
    packages: ['prometheus'],
    without: 'what its alerts and the queries of the dashboard find',
  },
];

try {
  // The tools are not packages of the clone: both take a minute or more, mostly for the network and the disk. The check
  // needs none of them.
  const prepared = prepare();
  const checking = prepared.then(
    () => jestArguments.length > 0 || check(),
    () => false,
  );
  const [tools] = await Promise.all([provideTools(), prepared]);
  if (process.env.GATEHOUSE_TEST_POSTGRES) await providePostgres(process.env.GATEHOUSE_TEST_POSTGRES);
  const [results, checked] = await Promise.all([runJest(tools), checking]);
  if (!checked) console.log('`npm run check` found problems, see above.');
  console.log(`${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped`);
  process.exitCode = checked && results.passed > 0 && results.failed === 0 ? 0 : 1;
} catch (error) {
  exitWith(error);
}

/** The programs of others that the tests need. */
async function provideTools() {
  const [chromium, authlib, schemathesis] = await Promise.all([
    providePrograms(),
    provideAuthlib(),
    provideSchemathesis(),
  ]);
  return { chromium, pythons: { AUTHLIB_PYTHON: authlib, SCHEMATHESIS_PYTHON: schemathesis } };
}

/** Installs what is missing by one command, since each takes seconds, or one by one where that fails. */
async function providePrograms() {
  const isMissing = ({ isThere }) => !isThere();
  const missing = programs.filter(isMissing);
  if (canInstall && missing.length > 0) {
    console.log(`Installing ${missing.map(({ name }) => name).join(', ')} …`);
    if (!(await succeeds(install(...missing.flatMap(({ packages }) => packages))))) {
      // One process at a time installs packages.
      for (const { packages } of missing) await succeeds(install(...packages));
    }
    if (!findChromium()) await install('chromium', 'fonts-liberation');
  }
  for (const { name, without } of programs.filter(isMissing)) {
    if (without) console.log(`${name} is not installed: ${without} is not tested.`);
  }
  const chromium = findChromium();
  if (chromium) return chromium;
  throw new Error(
    'The browser tests need Chromium. Install it, or set CHROMIUM_PATH to a Chromium or Chrome executable.',
  );
}

/** Runs next to the installation and the suites, in the time that they leave unused. */
async function check() {
  try {
    await npm(['run', 'check'], { quiet: true, background: true });
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

/** A relying party; its tests are skipped where it cannot be had. */
async function provideAuthlib() {
  const python = await providePython('authlib', 'requests', 'joserfc');
  if (!python) console.log('Authlib is not installed: signing in by it is not tested.');
  return python;
}

/** Makes requests of the description of the API, for minutes; its tests are skipped where it cannot be had. */
async function provideSchemathesis() {
  if (!long) return undefined;
  const python = await providePython('schemathesis');
  if (!python)
    console.log('schemathesis is not installed: the API is not compared with its description by generated requests.');
  return python;
}

/**
 * A Python that has these packages: its own, or one in the clone for later runs, too; undefined where they cannot be
 * had.
 */
async function providePython(...packages) {
  const folder = join(root, 'dist', `.python-${packages[0]}`);
  const python = join(folder, 'bin/python');
  for (const one of ['python3', python]) {
    if (await succeeds(run(one, ['-c', `import ${packages.join(', ')}`], { quiet: true }))) return one;
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  const made =
    (await succeeds(run('python3', ['-m', 'venv', '--clear', folder], { quiet: true }))) &&
    (await succeeds(run(python, pip, { quiet: true })));
  return made ? python : undefined;
}

async function install(...packages) {
  const quietly = { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  updated ??= run('apt-get', ['update'], quietly);
  await updated;
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], quietly);
}

async function runJest({ chromium, pythons }) {
  const dir = await mkdtemp(join(tmpdir(), 'gatehouse-jest-'));
  const outputFile = join(dir, 'results.json');
  const flags = ['--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${outputFile}`];
  // Properties are tried so often then that one test may take half an hour.
  if (long) jest.push('--testTimeout=1800000');
  // Every answer of the API that a test gets is compared with its description.
  const description = join(root, 'dist/openapi.json');
  const env = {
    CHROMIUM_PATH: chromium,
    API_DESCRIPTION: description,
    ...Object.fromEntries(Object.entries(pythons).filter(([, python]) => python)),
    ...(long && { LONG: '1' }),
  };
  const runOf = async (workers, ...selected) => {
    await rm(outputFile, { force: true });
    const succeeded = await succeeds(
      run(process.execPath, [...flags, ...jest, `--maxWorkers=${workers}`, ...selected], { env }),
    );
    return resultsOf(JSON.parse(await readFile(outputFile, 'utf8').catch(() => '{}')), succeeded);
  };
  try {
    const first = await runOf(workers, ...jestArguments);
    const { length } = first.files;
    // An option may select tests of these files, which is nothing that ran next to others.
    const hasOptions = jestArguments.some((argument) => argument.startsWith('-'));
    if (length === 0 || length > 10 || length === first.suites || hasOptions) return first;
    console.log(`\nOnce more, without other suites at the same time:\n  ${first.files.join('\n  ')}`);
    const second = await runOf(1, '--runTestsByPath', ...first.files);
    const unsteady = first.unsuccessful.filter((name) => !second.unsuccessful.includes(name));
    if (unsteady.length > 0) console.log(`Failed while other suites ran, and not alone:\n  ${unsteady.join('\n  ')}`);
    return {
      passed: first.passed - first.besides.passed + second.passed,
      failed: second.failed,
      skipped: first.skipped - first.besides.skipped + second.skipped,
    };
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** The counts of a run, with the files that failed and what failed in them. */
function resultsOf(results, succeeded) {
  const suites = (results.testResults ?? []).filter(({ status }) => status === 'failed');
  const testsOf = (wanted, files = suites) =>
    files.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => wanted.includes(status)));
  // A file that does not even load has no failed tests, and one that cannot clean up may have both.
  const failed = (results.numFailedTests ?? 0) + (results.numRuntimeErrorTestSuites ?? 0);
  return {
    passed: results.numPassedTests ?? 0,
    failed: succeeded ? failed : Math.max(failed, 1),
    skipped: (results.numPendingTests ?? 0) + (results.numTodoTests ?? 0),
    suites: results.numTotalTestSuites,
    files: suites.map(({ name }) => name),
    /** The names of the tests, or that of a file without one. */
    unsuccessful: suites.flatMap((suite) => {
      const tests = testsOf(['failed'], [suite]).map(({ fullName }) => fullName);
      return tests.length > 0 ? tests : [suite.name];
    }),
    /** Tests in these files that did not fail, and run again with them. */
    besides: { passed: testsOf(['passed']).length, skipped: testsOf(['pending', 'todo']).length },
  };
}

/** The command has already said what is wrong. */
function succeeds(command) {
  return command.then(
    () => true,
    () => false,
  );
}
