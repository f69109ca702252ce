/**
 * `npm run test:mutation [-- <paths>] [--sample <number>] [--seed <number>]`: changes the rules (`src/contract/rules`
 * and each `src/<module>/domain`) in one place after the other and runs the unit tests that import the changed file. A
 * change that no test notices survives. Prints the survivors and the score of each folder, and ends with code 1 if one
 * is below 95 %.
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
/** Ample for a test that passes: CPU milliseconds by those that it takes without a change. */
const limitOf = (usual) => 2_000 + 5 * usual;
const isChosen = (file) => positionals.length === 0 || positionals.some((path) => file.startsWith(path));

/** A process that runs tests; replaced when a mutant has ended it. */
class Worker {
  #process;
  #waiting;
  #tasks = 0;

  /** The answer, or undefined when there was none in time. */
  async run(task, input, milliseconds = 600_000) {
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
    const { survivors, endless } = await tried(mutants, tests, workers);
    return report({ mutants, survivors, excused, endless });
  } finally {
    for (const worker of workers) worker.stop();
  }
}

/** The unit tests with the files they import, and the CPU time they take; each of them passes as the code is. */
async function unitTests(worker) {
  const found = [];
  for (const test of filesBelow('test').filter((file) => file.endsWith('.test.ts'))) {
    const imports = await worker.run('imports', { test });
    if (!imports || !Object.keys(imports).some((file) => rules.test(file) && isChosen(file))) continue;
    // The first run compiles what the test imports.
    await passes(worker, test);
    found.push({ test, imports, milliseconds: await passes(worker, test) });
  }
  return found;
}

/** The CPU milliseconds that it takes. */
async function passes(worker, test) {
  const answer = await worker.run('run', { tests: [{ test, limit: 300_000 }], seed });
  if (answer?.failure !== null) throw new Error(`${test} fails without any change: ${answer?.failure ?? 'no answer'}`);
  return answer.milliseconds;
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
      throw new Error(`mutation/equivalent names a change that cannot be made: ${describe(entry)}`);
    }
  }
  const mutants = all.filter((mutant) => !equivalentMutants.some((entry) => isMeant(mutant, entry)));
  const excused = all.length - mutants.length;
  if (values.sample === undefined) return { mutants, excused };
  return { mutants: shuffled(mutants).slice(0, Number(values.sample)), excused };
}

/**
 * Tries each mutant, with the closest tests first, and prints those that survive. One that does not end is noticed, as
 * its test would not end either; CPU time tells it, which other work on the machine does not lengthen.
 */
async function tried(mutants, tests, workers) {
  const survivors = [];
  let endless = 0;
  const waiting = new Map();
  for (const { file } of mutants) waiting.set(dirname(file), (waiting.get(dirname(file)) ?? 0) + 1);
  const queue = mutants.values();
  const work = async (worker) => {
    for (const mutant of queue) {
      const related = tests
        .filter(({ imports }) => mutant.file in imports)
        .sort((a, b) => a.imports[mutant.file] - b.imports[mutant.file] || a.milliseconds - b.milliseconds);
      const limited = related.map(({ test, milliseconds }) => ({ test, limit: limitOf(milliseconds) }));
      const answer = await worker.run('run', { tests: limited, mutant, seed });
      if (!answer) {
        endless += 1;
        console.log(`${describe(mutant)}   did not end`);
      }
      if (answer?.failure === null) {
        survivors.push(mutant);
        console.log(describe(mutant));
      }
      const folder = dirname(mutant.file);
      waiting.set(folder, waiting.get(folder) - 1);
      if (waiting.get(folder) === 0) printScore(folder, mutants, survivors);
    }
  };
  await Promise.all(workers.map(work));
  return { survivors, endless };
}

/** Prints the score of each folder. A sample is too small to judge a folder by it. */
function report({ mutants, survivors, excused, endless }) {
  console.log('killed:');
  const folders = [...new Set(mutants.map(({ file }) => dirname(file)))];
  const isGood = folders.map((folder) => printScore(folder, mutants, survivors));
  const isGoodInAll = printScore('', mutants, survivors);
  console.log(`wanted: ${wanted} %; ${excused} more are equivalent; ${endless} did not end; seed ${seed}`);
  return (values.sample === undefined ? isGoodInAll && isGood.every(Boolean) : isGoodInAll) ? 0 : 1;
}

/** Prints how many of the mutants in a folder were noticed, all for an empty name. True for enough of them. */
function printScore(folder, mutants, survivors) {
  const isCounted = ({ file }) => folder === '' || dirname(file) === folder;
  const [left, made] = [survivors, mutants].map((list) => list.filter(isCounted).length);
  const score = made === 0 ? 0 : (100 * (made - left)) / made;
  const [percent, noticed, all] = [
    score.toFixed(1).padStart(6),
    String(made - left).padStart(5),
    String(made).padStart(5),
  ];
  console.log(`${percent} %  ${noticed} of ${all}  ${folder || 'in all'}`);
  return score >= wanted;
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
