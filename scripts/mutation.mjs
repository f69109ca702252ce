/**
 * `npm run test:mutation [-- <paths>] [--sample <number>] [--seed <number>]`: changes the rules (`src/contract/rules` and each
 * `src/<module>/domain`) in one place after the other and runs the unit tests that import the changed file. A change that no
 * test notices survives. Prints the survivors and the score of each folder, and ends with code 1 if one is below 95 %.
 *
 * With `--sample` it tries only so many changes. The seed decides which ones, and what properties generate.
 */
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { equivalentMutants } from './mutation/equivalent.mjs';
import { mutantsOf } from './mutation/mutants.mjs';

const wanted = 95;
const root = fileURLToPath(new URL('..', import.meta.url));
const rules = /^src\/(?:contract\/rules|[^/]+\/domain)\/.*(?<!\.test)\.ts$/;
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const seed = Number(values.seed);
/** Texts and lists without a decision. */
const withoutRules = ['src/contract/rules/scopes/scope-words.ts', 'src/users/domain/common-passwords.ts'];
const isChosen = (file) => positionals.length === 0 || positionals.some((path) => file.startsWith(path));

/** A process that runs tests; replaced when a mutant does not end. */
class Worker {
  #process;
  #waiting;
  #tasks = 0;

  /** The answer, or undefined when there was none in time. */
  async run(task, input, milliseconds = 300_000) {
    this.#process ??= this.#start();
    this.#tasks += 1;
    const id = this.#tasks;
    const answer = new Promise((resolve, reject) => {
      this.#waiting = { id, resolve, reject };
    });
    const timer = setTimeout(() => this.stop(), milliseconds);
    this.#process.send({ id, task, ...input });
    return answer.finally(() => clearTimeout(timer));
  }

  stop() {
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
    this.#waiting?.resolve(undefined);
  }

  #start() {
    const worker = fork(join(root, 'scripts/mutation/worker.mjs'), {
      cwd: root,
      execArgv: ['--experimental-vm-modules', '--no-warnings', '--max-old-space-size=2000'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    worker.on('message', ({ id, answer, error }) => {
      if (id !== this.#waiting.id) return;
      if (error) this.#waiting.reject(new Error(error));
      else this.#waiting.resolve(answer);
    });
    // A mutant can end the process, too.
    worker.on('exit', () => {
      if (worker === this.#process) this.stop();
    });
    return worker;
  }
}

process.exitCode = await main();

async function main() {
  const workers = Array.from({ length: Math.max(1, availableParallelism() - 1) }, () => new Worker());
  try {
    const tests = await unitTests(workers[0]);
    const { mutants, excused } = planned();
    const survivors = await tried(mutants, tests, workers);
    return report(mutants, survivors, excused);
  } finally {
    for (const worker of workers) worker.stop();
  }
}

/** The unit tests with the files they import, and the time they take; each of them passes as the code is. */
async function unitTests(worker) {
  const found = [];
  for (const test of filesBelow('test').filter((file) => file.endsWith('.test.ts'))) {
    const imports = await worker.run('imports', { test });
    if (!imports || !Object.keys(imports).some((file) => rules.test(file) && isChosen(file))) continue;
    // The first run compiles what the test imports.
    await passes(worker, test);
    const start = performance.now();
    await passes(worker, test);
    found.push({ test, imports, milliseconds: performance.now() - start });
  }
  return found;
}

async function passes(worker, test) {
  const failure = await worker.run('run', { tests: [test], seed });
  if (failure !== null) throw new Error(`${test} fails without any change: ${failure}`);
}

/** The mutants to try, and those that no test can notice, see `equivalent.mjs`. */
function planned() {
  const all = filesBelow('src')
    .filter((file) => rules.test(file) && !withoutRules.includes(file) && isChosen(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const lines = source.split('\n');
      return mutantsOf(source).map((mutant) => ({ file, text: lines[mutant.line - 1].trim(), ...mutant }));
    });
  const isMeant = (mutant, { file, text, before, after }) =>
    mutant.file === file && mutant.text === text && mutant.before === before && mutant.after === after;
  for (const entry of equivalentMutants.filter(({ file }) => isChosen(file))) {
    if (!all.some((mutant) => isMeant(mutant, entry))) {
      throw new Error(`equivalent.mjs names a change that cannot be made: ${describe(entry)}`);
    }
  }
  const mutants = all.filter((mutant) => !equivalentMutants.some((entry) => isMeant(mutant, entry)));
  const excused = all.length - mutants.length;
  if (values.sample === undefined) return { mutants, excused };
  return { mutants: shuffled(mutants).slice(0, Number(values.sample)), excused };
}

/**
 * Tries each mutant, with the closest tests first, and prints those that survive. A mutant that does not end is killed: its
 * test would not end either.
 */
async function tried(mutants, tests, workers) {
  const survivors = [];
  const queue = mutants.values();
  const work = async (worker) => {
    for (const mutant of queue) {
      const related = tests
        .filter(({ imports }) => mutant.file in imports)
        .sort((a, b) => a.imports[mutant.file] - b.imports[mutant.file] || a.milliseconds - b.milliseconds);
      const usual = related.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      const input = { tests: related.map(({ test }) => test), mutant, seed };
      const failure = await worker.run('run', input, 10_000 + 20 * usual);
      if (failure === null) {
        survivors.push(mutant);
        console.log(describe(mutant));
      }
    }
  };
  await Promise.all(workers.map(work));
  return survivors;
}

/** Prints the score of each folder. A sample is too small to judge a folder by it. */
function report(mutants, survivors, excused) {
  const print = (name, isCounted) => {
    const [left, made] = [survivors, mutants].map((list) => list.filter(isCounted).length);
    const score = made === 0 ? 0 : (100 * (made - left)) / made;
    console.log(
      `${score.toFixed(1).padStart(6)} %  ${String(made - left).padStart(5)} of ${String(made).padStart(5)}  ${name}`,
    );
    return score >= wanted;
  };
  console.log('killed:');
  const folders = [...new Set(mutants.map(({ file }) => dirname(file)))];
  const isGood = folders.map((folder) => print(folder, ({ file }) => dirname(file) === folder));
  const isGoodInAll = print('in all', () => true);
  console.log(`wanted: ${wanted} %; ${excused} more are equivalent; seed ${seed}`);
  return (values.sample === undefined ? isGoodInAll && isGood.every(Boolean) : isGoodInAll) ? 0 : 1;
}

function describe({ file, line, text, before, after }) {
  const short = (code) => (code.length > 60 ? `${code.slice(0, 57)}...` : code).replaceAll(/\s+/g, ' ');
  return `${file}${line ? `:${line}` : ''}  ${short(before)} → ${short(after)}   in: ${text.slice(0, 120)}`;
}

/** The same order for the same seed. */
function shuffled(list) {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((entry) => [random(), entry])
    .sort(([one], [other]) => one - other)
    .map(([, entry]) => entry);
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith('.ts'))
    .sort();
}
