/**
 * Runs the unit tests against mutants, in one process that keeps every module that does not depend on the mutated file.
 * Told what to do by messages of `scripts/mutation.mjs`, one at a time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import { transformSync } from '@swc/core';
import { expect } from 'expect';
import fc from 'fast-check';
import {
  addEventHandler,
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  resetState,
  run as runCircus,
  test,
} from 'jest-circus';

const root = process.cwd();
/** A test that imports one of these needs more than the process it runs in, or Jest itself. */
const notUnit =
  /^(?:pg|typeorm|supertest|playwright-core|nodemailer|@nestjs\/.*|@jest\/globals|node:(?:http|https|net|child_process|worker_threads))$/;
const compiled = new Map();
const loaded = new Map();
const foreign = new Map();

/** The CPU time of this process, in milliseconds, at which it is killed; 0 for none. */
const killedAt = new Int32Array(new SharedArrayBuffer(4));
new Worker(new URL('watchdog.mjs', import.meta.url), { workerData: killedAt }).unref();

Object.assign(globalThis, { expect, describe, it, test, beforeAll, beforeEach, afterAll, afterEach });
addEventHandler(stopAtFirstFailure);

process.on('message', async ({ id, task, ...input }) => {
  try {
    process.send({ id, answer: await tasks[task](input) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});

const tasks = {
  /** Returns the local files that a test file imports, with their distance; null if it is not a unit test. */
  imports: ({ test }) => importsOf(test),
  /**
   * Runs the tests in their order until one fails. The failure, or null, and the CPU time in milliseconds. Kills the
   * process when a test takes longer than its limit.
   */
  async run({ tests, mutant, seed }) {
    // The smallest input that fails is of no use here, and takes the longest to find.
    fc.configureGlobal({ seed, endOnFailure: true });
    const start = cpuMilliseconds();
    for (const { test, limit } of tests) {
      killedAt[0] = cpuMilliseconds() + limit;
      const failure = await runTest(test, mutant).finally(() => {
        killedAt[0] = 0;
      });
      if (failure) return { failure, milliseconds: cpuMilliseconds() - start };
    }
    return { failure: null, milliseconds: cpuMilliseconds() - start };
  },
};

function cpuMilliseconds() {
  const { user, system } = process.cpuUsage();
  return Math.ceil((user + system) / 1000);
}

function importsOf(test) {
  const distances = { [test]: 0 };
  for (const queue = [test]; queue.length > 0; ) {
    const file = queue.shift();
    for (const specifier of compile(file, sourceOf(file)).imports) {
      if (notUnit.test(specifier)) return null;
      if (!specifier.startsWith('.')) continue;
      const found = resolve(specifier, file);
      if (found in distances) continue;
      distances[found] = distances[file] + 1;
      queue.push(found);
    }
  }
  return distances;
}

/** Instantiates the test file, the mutated file, and all between them; the rest is there already. */
async function runTest(test, mutant) {
  const fresh = new Set([test, ...(mutant ? importersOf(mutant.file, test) : [])]);
  const own = new Map();
  resetState();
  try {
    const module = instance(test, { fresh, own, mutant });
    await module.link((specifier, { identifier }) => moduleFor(specifier, identifier, { fresh, own, mutant }));
    await module.evaluate();
  } catch (error) {
    return `${test} does not load: ${String(error).split('\n')[0]}`;
  }
  const { testResults, unhandledErrors } = await runCircus();
  // A rejection that nothing handles ends the process first.
  await setImmediate();
  if (unhandledErrors.length > 0) return String(unhandledErrors[0]);
  const failed = testResults.find(({ errors }) => errors.length > 0);
  if (failed) return `${failed.testPath.slice(1).join(' ')}: ${String(failed.errors[0]).slice(0, 500)}`;
  return testResults.length > 0 ? null : `${test} has no tests`;
}

/** Files below the test that import the mutated one, also through others, and that one. */
function importersOf(mutated, test) {
  const below = Object.keys(importsOf(test) ?? {});
  const found = new Set([mutated]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const file of below) {
      const { imports } = compile(file, sourceOf(file));
      if (imports.some((one) => one.startsWith('.') && found.has(resolve(one, file)))) found.add(file);
    }
  }
  return found;
}

function moduleFor(specifier, importer, run) {
  if (isAbsolute(specifier)) return instance(relative(root, specifier), run);
  if (!specifier.startsWith('.')) return foreignModule(specifier);
  return instance(resolve(specifier, importer), run);
}

function instance(file, { fresh, own, mutant }) {
  const modules = fresh.has(file) ? own : loaded;
  const existing = modules.get(file);
  if (existing) return existing;
  const source = sourceOf(file);
  const isMutated = mutant?.file === file;
  const { code } = isMutated
    ? compileText(source.slice(0, mutant.start) + mutant.after + source.slice(mutant.end), file)
    : compile(file, source);
  const module = new vm.SourceTextModule(code, {
    identifier: file,
    initializeImportMeta(meta) {
      meta.url = pathToFileURL(join(root, file)).href;
    },
    async importModuleDynamically(specifier) {
      const imported = await moduleFor(specifier, file, { fresh, own, mutant });
      if (imported.status === 'unlinked') {
        await imported.link((further, { identifier }) => moduleFor(further, identifier, { fresh, own, mutant }));
      }
      await imported.evaluate();
      return imported;
    },
  });
  modules.set(file, module);
  return module;
}

async function foreignModule(specifier) {
  const existing = foreign.get(specifier);
  if (existing) return existing;
  const exports = await import(specifier);
  const names = Object.keys(exports);
  const module = new vm.SyntheticModule(
    names,
    function () {
      for (const name of names) this.setExport(name, exports[name]);
    },
    { identifier: specifier },
  );
  foreign.set(specifier, module);
  return module;
}

function resolve(specifier, importer) {
  const path = relative(root, join(root, dirname(importer), specifier));
  const candidates = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path];
  return candidates.find((candidate) => existsSync(join(root, candidate))) ?? path;
}

function sourceOf(file) {
  return compiled.get(file)?.source ?? readFileSync(join(root, file), 'utf8');
}

function compile(file, source) {
  const existing = compiled.get(file);
  if (existing) return existing;
  const { code } = compileText(source, file);
  const imports = new vm.SourceTextModule(code, { identifier: file }).dependencySpecifiers;
  const result = { source, code, imports };
  compiled.set(file, result);
  return result;
}

function compileText(source, file) {
  if (!/\.tsx?$/.test(file)) return { code: source };
  return transformSync(source, { filename: join(root, file), swcrc: true, sourceMaps: false });
}

let hasFailed = false;

function stopAtFirstFailure(event) {
  if (event.name === 'run_start') hasFailed = false;
  if (event.name === 'test_fn_failure' || event.name === 'hook_failure') hasFailed = true;
  if (event.name === 'test_start' && hasFailed) event.test.mode = 'skip';
}
