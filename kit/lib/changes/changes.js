// @ts-check
import { randomBytes } from 'node:crypto';
import { toldBy } from '../probe/compare.js';
import { endEarly, isUnclear, untriedResult } from '../probe/runner.js';
import { askOf, nothingLike } from '../probe/template.js';
import { listOf, objectOf } from '../server/capabilities.js';
import { tryExports } from './exports.js';
import { CHANGES } from './rows.js';
import { tryScopesOfChanges } from './scopes.js';
import { SYSTEM, Workbench } from './workbench.js';

/** @import { Connection } from '../server/connection.js' */
/** @import { Progress } from '../command/session.js' */
/** @import { Actor, Answer, AskTemplate, Bindings, Display } from '../types.js' */
/** @import { Evidence, Facts, JsonObject, Report, WayResult } from '../types.js' */
/** @import { ChangeWay } from './rows.js' */

/**
 * Tries to change and to bind data of the other patient. What is attacked was made by the kit with that patient's
 * token; everything is tagged, and removed in the end.
 *
 * @param {Connection} connection
 * @param {Facts} facts
 * @param {{ a: Actor, b: Actor, more: Actor[] }} actors
 * @param {{ failFast: boolean, display: Display, progress: Progress, report: Report }} options
 */
export async function tryChanges(connection, facts, actors, { failFast, display, progress, report }) {
  const bench = new Workbench(connection, facts, actors, randomBytes(6).toString('hex'));
  try {
    const unfit = await bench.findType();
    const isSafe = unfit === undefined && (await bench.isConditionSafe());
    const own = unfit === undefined ? (await bench.make(actors.a, bench.nextValue())).id : undefined;
    for (const [at, row] of CHANGES.entries()) {
      progress.step(at, CHANGES.length, `changes: ${row.title}`);
      const result = resultOf(row, actors.a);
      report.results.push(result);
      const reason = unfit ?? reasonAgainst(row, { facts, isSafe, own });
      if (reason !== undefined) {
        result.state = 'could not be tried';
        result.reason = reason;
        continue;
      }
      try {
        for (const ask of row.asks) await tryOne(bench, row, ask, { result, display });
      } catch (error) {
        endEarly(result);
        throw error;
      }
      if (result.tried === 0)
        Object.assign(result, { state: 'could not be tried', reason: 'the other record has nothing to name' });
      if (result.findings.length === 0) continue;
      result.state = 'found';
      progress.found(result);
      if (failFast) return;
    }
    const keep = (/** @type {WayResult} */ result) => report.results.push(result);
    for (const result of unfit === undefined
      ? await tryScopesOfChanges(bench, [actors.a, ...actors.more], display, keep)
      : []) {
      if (result.state === 'found') progress.found(result);
      if (result.state === 'found' && failFast) return;
    }
    for (const result of await tryExports(connection, facts, actors, display, keep)) {
      if (result.state === 'found') progress.found(result);
      if (result.state === 'found' && failFast) return;
    }
  } finally {
    report.left.push(...(await bench.clear()));
  }
}

/** @param {ChangeWay} row @param {{ facts: Facts, isSafe: boolean, own: string | undefined }} known */
function reasonAgainst({ isConditional, needsOwn, served }, { facts, isSafe, own }) {
  if (served !== undefined && !facts.server.types.has(served)) return `the server does not serve ${served}`;
  if (needsOwn && own === undefined) return 'the token of A may create nothing of its own';
  if (isConditional && !isSafe)
    return 'a search by identifier does not find exactly what the kit made: a conditional change could reach other data';
  return undefined;
}

/** @param {ChangeWay} row @param {Actor} actor */
function resultOf({ id, title, why, section, asks }, actor) {
  return untriedResult({ id, title, why, section, ask: [...asks] }, 'changes', actor, asks.length);
}

/**
 * @param {Workbench} bench
 * @param {ChangeWay} row
 * @param {AskTemplate} template
 * @param {{ result: WayResult, display: Display }} to
 */
async function tryOne(bench, row, template, { result, display }) {
  const bindings = await bindingsFor(bench, row);
  const ask = bindings && askOf(template, bindings);
  if (!bindings || !ask || typeof ask === 'string' || JSON.stringify(ask).includes('{mine}')) return;
  result.tried += 1;
  const before = row.kind === 'alters' ? await bench.stateOf(bindings.made ?? '') : undefined;
  const answer = await bench.sendAsA(ask);
  result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
  if (isUnclear(answer)) result.unclear += 1;
  const evidence = await evidenceOf(bench, row, template, { answer, bindings, before });
  if (!evidence) return;
  const shown = askOf(template, display({ ...bindings, word: 'kit-new-id' }, bench.a.name));
  if (typeof shown === 'string') return;
  result.findings.push({
    way: result.way,
    family: 'changes',
    actor: bench.a.name,
    variant: `${template.method ?? 'GET'} ${template.target}`,
    severity: row.kind === 'tells' && !(row.isDeleted && evidence.status < 300) ? 'low' : 'high',
    asks: [shown],
    evidence,
  });
}

/**
 * A new resource of the other patient for each request, and one of the own where it is needed.
 *
 * @param {Workbench} bench
 * @param {ChangeWay} row
 * @returns {Promise<Bindings | undefined>}
 */
async function bindingsFor(bench, row) {
  const { facts } = bench;
  const value = bench.nextValue();
  const made = await bench.make(bench.b, value);
  if (row.isDeleted && made.id !== undefined) await bench.deleteAsB(made.id);
  const mine = row.needsOwn ? await bench.make(bench.a, bench.nextValue()) : undefined;
  if (made.id === undefined) return undefined;
  const keys = [...facts.b.resources.keys()].filter((key) => !facts.a.resources.has(key));
  const encounter = keys.find((key) => key.startsWith('Encounter/'));
  const [binary] = [...facts.b.binaries.keys()].filter((key) => !facts.a.binaries.has(key));
  const person = facts.b.resources.get(`Patient/${facts.b.patient}`);
  const identifier = listOf(person?.identifier).find((one) => typeof one.value === 'string');
  return {
    base: facts.base,
    A: facts.a.patient,
    B: facts.b.patient,
    type: bench.type,
    made: made.id,
    value: `${SYSTEM}|${value}`,
    number: value,
    elements: bench.elementsWith(row.kind === 'makes' ? bench.nextValue() : value),
    plain: bench.plain,
    tag: bench.tag,
    word: `kit-${randomBytes(6).toString('hex')}`,
    ...(mine?.id !== undefined && { mine: mine.id }),
    ...(encounter && { other: encounter }),
    ...(binary && { binary }),
    ...(identifier && { system: String(identifier.system ?? ''), text: String(identifier.value) }),
  };
}

/**
 * @param {Workbench} bench
 * @param {ChangeWay} row
 * @param {AskTemplate} template
 * @param {{ answer: Answer, bindings: Bindings, before: JsonObject | undefined }} tried
 * @returns {Promise<Evidence | undefined>}
 */
async function evidenceOf(bench, row, template, { answer, bindings, before }) {
  const { status } = answer;
  if (row.kind === 'tells') return comparedTo(bench, template, answer, bindings);
  if (row.kind === 'makes') return isCarriedOut(answer) ? { status, sign: 'carried out' } : undefined;
  if (!before) return undefined;
  const after = await bench.stateOf(bindings.made ?? '');
  if (!after) return { status, sign: 'the resource of the other patient is gone' };
  const changed =
    objectOf(after.meta)?.versionId !== objectOf(before.meta)?.versionId || contentOf(after) !== contentOf(before);
  return changed ? { status, sign: 'the resource of the other patient is changed' } : undefined;
}

/** @param {JsonObject} resource */
const contentOf = ({ meta: _, ...rest }) => JSON.stringify(rest);

/** True if the change was made: of a bundle, that of its entry. @param {Answer} answer */
function isCarriedOut({ status, json }) {
  if (status >= 300) return false;
  const root = objectOf(json);
  if (root?.resourceType !== 'Bundle') return true;
  return listOf(root.entry).some(({ response }) => /^20[01]/.test(String(objectOf(response)?.status)));
}

/**
 * @param {Workbench} bench
 * @param {AskTemplate} template
 * @param {Answer} answer
 * @param {Bindings} bindings
 * @returns {Promise<Evidence | undefined>}
 */
async function comparedTo(bench, template, answer, bindings) {
  const secrets = { made: bindings.made ?? '', value: bindings.value ?? '', number: bindings.number ?? '' };
  const control = async () => {
    const number = nothingLike('kit-abcdefgh-12');
    const like = { made: nothingLike(secrets.made), value: `${SYSTEM}|${number}`, number };
    const ask = askOf(template, { ...bindings, ...like });
    if (typeof ask === 'string') return undefined;
    const answer = await bench.sendAsA(ask);
    // Where an update may create, each id that is free can be taken: by that every server tells which ones are not.
    const isUpdate = (ask.method === 'PUT' && !ask.target.includes('?')) || ask.body?.includes('"method":"PUT"');
    return isUpdate && (answer.status === 201 || isCarriedOut(answer)) ? undefined : { answer, like };
  };
  const again = askOf(template, bindings);
  if (typeof again === 'string') return undefined;
  return toldBy(answer, secrets, { again: () => bench.sendAsA(again), nothing: control });
}
