// @ts-check
import { untriedResult } from '../probe/runner.js';
import { askOf } from '../probe/template.js';
import { permitsType } from '../record/scopes.js';

/** @import { Actor, AskTemplate, Display, WayResult } from '../types.js' */
/** @import { Workbench } from './workbench.js' */

const BODY = '"resourceType":"{type}",{elements},"subject":{"reference":"Patient/{A}"}';
const PATCH = { 'Content-Type': 'application/json-patch+json' };
const ADDED = '[{"op":"add","path":"/language","value":"en"}]';
const inBatch = (/** @type {string} */ method, /** @type {string} */ url, /** @type {string} */ resource) =>
  `{"resourceType":"Bundle","type":"batch","entry":[{${resource}"request":{"method":"${method}","url":"${url}"}}]}`;

/** Requests by the action that they take: c, u or d. @type {readonly [action: string, ask: AskTemplate][]} */
const ASKS = [
  ['c', { method: 'POST', target: '{type}', body: `{${BODY}}` }],
  ['c', { method: 'POST', target: '', body: inBatch('POST', '{type}', `"resource":{${BODY}},`) }],
  ['u', { method: 'PUT', target: '{type}/{mine}', body: `{"id":"{mine}",${BODY}}` }],
  ['u', { method: 'PATCH', target: '{type}/{mine}', headers: PATCH, body: ADDED }],
  ['u', { method: 'POST', target: '', body: inBatch('PUT', '{type}/{mine}', `"resource":{"id":"{mine}",${BODY}},`) }],
  ['d', { method: 'POST', target: '', body: inBatch('DELETE', '{type}/{mine}', '') }],
  ['d', { method: 'DELETE', target: '{type}/{mine}' }],
];

/**
 * Tries the actions of changes that the scopes of a token leave out, in the record of its own patient.
 *
 * @param {Workbench} bench
 * @param {readonly Actor[]} actors tokens of the first patient
 * @param {Display} display
 * @param {(result: WayResult) => void} keep gets each result before it is complete
 * @returns {Promise<WayResult[]>}
 */
export async function tryScopesOfChanges(bench, actors, display, keep) {
  const results = [];
  for (const actor of actors) {
    const { scopes, patient } = actor;
    const missing = ASKS.filter(([action]) => scopes && patient && !permitsType(scopes, bench.type, action));
    if (missing.length > 0) results.push(await tryActor(bench, actor, missing, { display, keep }));
  }
  return results;
}

/**
 * @param {Workbench} bench
 * @param {Actor} actor
 * @param {typeof ASKS} asks
 * @param {{ display: Display, keep: (result: WayResult) => void }} to
 */
async function tryActor(bench, actor, asks, { display, keep }) {
  const way = {
    id: 'scope-change',
    title: 'A change that no scope permits is carried out in the own record',
    why: 'An app that may read has not been allowed to write.',
    section: 'SMART App Launch 2.2, scopes for requesting FHIR resources',
    ask: asks.map(([, ask]) => ask),
  };
  const result = untriedResult(way, 'changes', actor, asks.length);
  keep(result);
  for (const [, template] of asks) {
    const own = await bench.make(bench.a, bench.nextValue());
    const known = { A: bench.facts.a.patient, type: bench.type, elements: bench.elementsWith(bench.nextValue()) };
    const bindings = { ...known, ...(own.id !== undefined && { mine: own.id }) };
    const ask = askOf(template, bindings);
    if (typeof ask === 'string' || JSON.stringify(ask).includes('{mine}')) continue;
    result.tried += 1;
    const answer = await bench.connection.send(ask, actor);
    bench.keep(answer, bench.a);
    result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
    const isDone = answer.status < 300 && (template.target !== '' || /"status":\s*"20/.test(answer.text));
    const shown = askOf(template, display(bindings, actor.name));
    if (!isDone || typeof shown === 'string') continue;
    const evidence = { status: answer.status, sign: 'carried out' };
    const variant = `${template.method ?? 'GET'} ${template.target}`;
    result.state = 'found';
    result.findings.push({
      way: result.way,
      family: 'changes',
      actor: actor.name,
      variant,
      severity: 'high',
      asks: [shown],
      evidence,
    });
  }
  if (result.tried === 0)
    Object.assign(result, { state: 'could not be tried', reason: 'the token of A may create nothing of its own' });
  return result;
}
