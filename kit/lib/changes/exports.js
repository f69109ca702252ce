// @ts-check
import { shownBy } from '../probe/inspect.js';
import { untriedResult } from '../probe/runner.js';
import { askOf } from '../probe/template.js';
import { listOf, objectOf } from '../server/capabilities.js';
import { isSameOrigin } from '../server/connection.js';

/** @import { Connection } from '../server/connection.js' */
/** @import { Actor, Answer, Ask, AskTemplate, Display, Evidence, Facts, WayResult } from '../types.js' */

const SECTION = 'FHIR Bulk Data Access 2.0';
const HEADERS = { Accept: 'application/fhir+json', Prefer: 'respond-async' };
const MOST_POLLS = 8;
const MOST_FILES = 10;

const OWN = '{"name":"patient","valueReference":{"reference":"Patient/{A}"}}';
const OTHER = '{"name":"patient","valueReference":{"reference":"Patient/{B}"}}';
/** @type {AskTemplate[]} */
const STARTS = [
  ...[
    '$export',
    'Patient/$export',
    'Patient/{B}/$export',
    'Patient/$export?patient=Patient/{B}',
    'Patient/$export?_type=Observation',
    'Patient/{A}/$export',
    'Patient/{A}/$export?patient=Patient/{B}',
    'Patient/$export?_since=2000-01-01T00:00:00Z',
    '$export?_outputFormat=application/fhir%2Bndjson',
    'Patient/{A}/$export?_typeFilter=Observation%3Fpatient%3DPatient/{B}',
    'Group/{group}/$export',
    'Group/all/$export',
  ].map((target) => ({ target, headers: HEADERS })),
  ...['$export', 'Patient/$export', 'Patient/{A}/$export'].flatMap((target) =>
    [[OTHER], [OWN, OTHER]].map((patients) => ({
      method: 'POST',
      target,
      headers: HEADERS,
      body: `{"resourceType":"Parameters","parameter":[${patients}]}`,
    })),
  ),
];

/**
 * Tries to export other records, and to get the files of another patient's export. An export is work on the server, so
 * this counts as writing.
 *
 * @param {Connection} connection
 * @param {Facts} facts
 * @param {{ a: Actor, b: Actor }} actors
 * @param {Display} display
 * @param {(result: WayResult) => void} keep gets each result before it is complete
 * @returns {Promise<WayResult[]>}
 */
export async function tryExports(connection, facts, { a, b }, display, keep) {
  const group = [...facts.a.resources.keys(), ...facts.b.resources.keys()].find((key) => key.startsWith('Group/'));
  const bindings = {
    base: facts.base,
    A: facts.a.patient,
    B: facts.b.patient,
    ...(group && { group: group.slice('Group/'.length) }),
  };
  const way = {
    id: 'export',
    title: 'An export has resources of other records',
    why: 'An export collects everything, and its files are fetched by address.',
    section: SECTION,
    ask: STARTS,
  };
  const started = untriedResult(way, 'changes', a, STARTS.length);
  keep(started);
  for (const template of STARTS) {
    const ask = askOf(template, bindings);
    if (typeof ask === 'string') continue;
    const evidence = await exportedBy(connection, facts, a, { ask, by: a, result: started });
    if (evidence) addFinding(started, template, evidence, { bindings, display, actor: a });
  }
  const wayOfOther = {
    id: 'export-of-other',
    title: "The files of another patient's export are fetched",
    why: 'The address of a file is not a secret; a token has to be checked for each of them.',
    section: SECTION,
    ask: { target: 'Patient/{B}/$export', headers: HEADERS },
  };
  const fetched = untriedResult(wayOfOther, 'changes', a, 1);
  keep(fetched);
  for (const target of ['Patient/{B}/$export', 'Patient/$export']) {
    const ask = askOf({ target, headers: HEADERS }, bindings);
    if (typeof ask === 'string') continue;
    const evidence = await exportedBy(connection, facts, a, { ask, by: b, result: fetched });
    if (evidence) addFinding(fetched, { target, headers: HEADERS }, evidence, { bindings, display, actor: b });
  }
  const isRefused = Object.keys(fetched.statuses).every((status) => /^[45]/.test(status));
  if (fetched.state === 'nothing found' && isRefused)
    Object.assign(fetched, { state: 'could not be tried', reason: 'the other patient may not export either' });
  return [started, fetched];
}

/**
 * @param {WayResult} result
 * @param {AskTemplate} template
 * @param {Evidence} evidence
 * @param {{ bindings: Record<string, string>, display: Display, actor: Actor }} shownWith
 */
function addFinding(result, template, evidence, { bindings, display, actor }) {
  const ask = askOf(template, display(bindings, actor.name));
  if (typeof ask === 'string') return;
  result.state = 'found';
  result.findings.push({
    way: result.way,
    family: 'changes',
    actor: result.actor,
    variant: template.target,
    severity: 'high',
    asks: [ask],
    evidence,
  });
}

/**
 * Starts an export with one token and follows it with the first patient's.
 *
 * @param {Connection} connection
 * @param {Facts} facts
 * @param {Actor} actor
 * @param {{ ask: Ask, by: Actor, result: WayResult }} how
 * @returns {Promise<Evidence | undefined>}
 */
async function exportedBy(connection, facts, actor, { ask, by, result }) {
  result.tried += 1;
  const answer = await connection.send(ask, by);
  result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
  if (by === actor) {
    const direct = shownBy(answer, ask, actor, facts);
    if (direct) return direct;
  }
  const place = answer.headers['content-location'];
  if (answer.status !== 202 || !place || !isSameOrigin(place, facts.base)) return undefined;
  const status = { method: 'GET', target: place, headers: [], isAbsolute: true };
  try {
    const done = await polled(connection, status, by);
    if (!done) {
      result.unclear += 1;
      return undefined;
    }
    if (by !== actor) {
      const seen = await connection.send(status, actor);
      if (seen.status === 200) return { status: 200, sign: 'the state of the export with its files is shown' };
      const head = await connection.send({ ...status, method: 'HEAD' }, actor);
      if (head.status === 200) return { status: 200, sign: 'HEAD tells the state of the export' };
    }
    const files = await filesOf(connection, facts, actor, done);
    if (files || by === actor) return files;
    const ended = await connection.send({ ...status, method: 'DELETE' }, actor);
    const isGone = ended.status < 300 && (await connection.send(status, by)).status >= 400;
    return isGone ? { status: ended.status, sign: 'the export of the other patient is ended' } : undefined;
  } finally {
    await connection.send({ ...status, method: 'DELETE' }, by, { isCleanUp: true });
  }
}

/** @param {Connection} connection @param {Ask} status @param {Actor} by @returns {Promise<Answer | undefined>} */
async function polled(connection, status, by) {
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const answer = await connection.send(status, by);
    if (answer.status === 200) return answer;
    if (answer.status !== 202) return undefined;
    const seconds = Number(answer.headers['retry-after'] ?? 1);
    await connection.pause(Math.min(Number.isFinite(seconds) ? seconds : 1, 10) * 1000);
  }
  return undefined;
}

/**
 * @param {Connection} connection
 * @param {Facts} facts
 * @param {Actor} actor
 * @param {Answer} manifest
 * @returns {Promise<Evidence | undefined>}
 */
async function filesOf(connection, facts, actor, manifest) {
  const files = listOf(objectOf(manifest.json)?.output).flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
  for (const target of files.filter((url) => isSameOrigin(url, facts.base)).slice(0, MOST_FILES)) {
    const ask = { method: 'GET', target, headers: [], isAbsolute: true };
    const evidence = shownBy(await connection.send(ask, actor), ask, actor, facts);
    if (evidence) return evidence;
  }
  return undefined;
}
