// @ts-check
import { untriedResult } from '../probe/runner.js';
import { askOf } from '../probe/template.js';
import { permitsType } from '../record/scopes.js';

/** @import { Actor, AskTemplate, Display, Way, WayResult } from '../types.js' */
/** @import { Workbench } from './workbench.js' */

const BODY = '"resourceType":"{type}",{elements},"subject":{"reference":"Patient/{A}"}';
const PATCH = { 'Content-Type': 'application/json-patch+json' };
const ADDED = '[{"op":"add","path":"/language","value":"en"}]';
const inBatch = (/** @type {string} */ method, /** @type {string} */ url, /** @type {string} */ resource) =>
  `{"resourceType":"Bundle","type":"batch","entry":[{${resource}"request":{"method":"${method}","url":"${url}"}}]}`;

/** What is left out by the scopes of a token. */
const BY_SCOPES = {
  id: 'scope-change',
  title: 'A change that no scope permits is carried out in the own record',
  why: 'An app that may read has not been allowed to write.',
  section: 'SMART App Launch 2.2, scopes for requesting FHIR resources',
};
/** What each further token of a patient may not do either, such as that of a user who acts for the patient. */
const FOR_OTHER = {
  id: 'create-for-other-by-token',
  title: "A resource is created in another patient's record with a further token",
  why: 'The user of a token may be another person than its patient.',
  section: 'SMART App Launch 2.2, launch context',
};
const OTHERS = BODY.replace('Patient/{A}', 'Patient/{B}');
/** @type {readonly AskTemplate[]} */
const ASKS_FOR_OTHER = [
  { method: 'POST', target: '{type}', body: `{${OTHERS}}` },
  { method: 'POST', target: '', body: inBatch('POST', '{type}', `"resource":{${OTHERS}},`) },
];

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
 * Tries the actions of changes that the scopes of a token leave out, in the record of its own patient, and with further
 * tokens to write into the record of the other patient.
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
    if (patient === undefined) continue;
    const missing = ASKS.filter(([action]) => scopes && !permitsType(scopes, bench.type, action)).map(([, ask]) => ask);
    if (missing.length > 0)
      results.push(await tryActor(bench, actor, { ...BY_SCOPES, ask: missing }, { display, keep }));
    if (actor.token === bench.a.token) continue;
    results.push(await tryActor(bench, actor, { ...FOR_OTHER, ask: [...ASKS_FOR_OTHER] }, { display, keep }));
  }
  return results;
}

/**
 * @param {Workbench} bench
 * @param {Actor} actor
 * @param {Way & { ask: AskTemplate[] }} way
 * @param {{ display: Display, keep: (result: WayResult) => void }} to
 */
async function tryActor(bench, actor, way, { display, keep }) {
  const result = untriedResult(way, 'changes', actor, way.ask.length);
  keep(result);
  for (const template of way.ask) {
    const own = await bench.make(bench.a, bench.nextValue());
    const { a, b } = bench.facts;
    const elements = bench.elementsWith(bench.nextValue());
    const bindings = {
      ...{ A: a.patient, B: b.patient, type: bench.type, elements },
      ...(own.id !== undefined && { mine: own.id }),
    };
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
