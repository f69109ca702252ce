// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { progressOn, summaryOf } from '../report/console.js';
import { htmlOf, jsonOf, junitOf } from '../report/files.js';
import { exitCodeOf } from '../report/texts.js';
import { FAMILIES } from '../ways/families.js';
import { BadTokens, givenTokens } from './given-tokens.js';
import { Misuse, optionsOf, USAGE } from './options.js';
import { runKit } from './session.js';
import { SignInFailed, signIn } from './sign-in.js';

/** @import { Options } from './options.js' */

/**
 * The command.
 *
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function main(args) {
  try {
    const options = optionsOf(args);
    if (options.help) return say(USAGE);
    if (options.list) return say(listing());
    const unknown = options.only?.filter((family) => !(family in FAMILIES) && family !== 'changes') ?? [];
    if (unknown.length > 0) throw new Misuse(`There is no family ${unknown.join(', ')}: --list shows them.`);
    return await run(options);
  } catch (error) {
    const isKnown = error instanceof Misuse || error instanceof BadTokens || error instanceof SignInFailed;
    // 1 would say that something was found.
    process.stderr.write(`${error instanceof Error ? (isKnown ? error.message : error.stack) : error}\n`);
    return 2;
  }
}

/** @param {Options} options */
async function run(options) {
  const ca = options.ca === undefined ? undefined : await textOf(options.ca, '--ca');
  const actors = options['sign-in'] === undefined ? await fromFile(options) : await fromBrowser(options, ca);
  actors.a.patient = options['patient-a'] ?? actors.a.patient;
  actors.b.patient = options['patient-b'] ?? actors.b.patient;
  if (options.write) await confirmHost(options.url);
  for (const file of [options.json, options.junit, options.html]) if (file) await assertWritable(file);
  const progress = progressOn(process.stderr);
  const interruption = new AbortController();
  const stop = () => {
    process.stderr.write('\nStopping: what was made is removed. Once more ends at once.\n');
    interruption.abort();
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, stop);
  const report = await runKit(
    {
      base: options.url,
      perSecond: options.rate,
      minutes: options.minutes,
      isWriting: options.write === true,
      showIds: options.ids === true,
      failFast: options['fail-fast'] === true,
      signal: interruption.signal,
      ...(ca !== undefined && { ca }),
      ...(options.only && { only: options.only }),
    },
    actors,
    progress,
  );
  progress.end();
  process.stdout.write(summaryOf(report));
  if (options.json) await writeFile(options.json, jsonOf(report));
  if (options.junit) await writeFile(options.junit, junitOf(report));
  if (options.html) await writeFile(options.html, htmlOf(report));
  return exitCodeOf(report);
}

/** @param {Options} options */
async function fromFile({ tokens }) {
  const text =
    tokens === undefined ? undefined : tokens === '-' ? await standardInput() : await textOf(tokens, '--tokens');
  return givenTokens(text, process.env);
}

/** @param {Options} options @param {string | undefined} ca */
async function fromBrowser(options, ca) {
  const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
  const settings = {
    base: options.url,
    clientId: options['sign-in'] ?? '',
    scope: options.scope ?? 'openid fhirUser launch/patient patient/*.rs',
    port: Number(options['redirect-port'] ?? 8399),
    ...(ca !== undefined && { ca }),
  };
  const a = await signIn(settings, 'A', say);
  const b = await signIn(settings, 'B', say);
  return { a, b, more: [] };
}

/** Changes take a word of the user. @param {string} url */
async function confirmHost(url) {
  const { host } = new URL(url);
  if (!process.stdin.isTTY && process.env.KIT_WRITE_HOST === undefined)
    throw new Misuse('--write asks for the host: run it in a terminal, or give the host in KIT_WRITE_HOST.');
  const typed =
    process.env.KIT_WRITE_HOST ?? (await asked(`--write changes data on ${host}. Type the host to continue: `));
  if (typed.trim() !== host) throw new Misuse(`That is not ${host}: nothing was done.`);
}

/** @param {string} question */
async function asked(question) {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function standardInput() {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Before the run: its report would be lost. @param {string} file */
async function assertWritable(file) {
  try {
    await writeFile(file, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unwritable';
    throw new Misuse(`The report ${file} cannot be written (${code}).`);
  }
}

/** @param {string} file @param {string} option */
async function textOf(file, option) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable';
    throw new Misuse(`The file of ${option} cannot be read (${code}).`);
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
  return 0;
}

function listing() {
  const families = Object.entries(FAMILIES).flatMap(([family, ways]) => [
    family,
    ...ways.map(({ id, title }) => `  ${id.padEnd(34)} ${title}`),
  ]);
  return [...families, 'changes (with --write)'].join('\n');
}
