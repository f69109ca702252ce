// @ts-check
import { tryChanges } from '../changes/changes.js';
import { displayOf } from '../probe/display.js';
import { Runner, Stopped } from '../probe/runner.js';
import { chosenAttempts } from '../probe/selection.js';
import { keepDistinct, learnRecord } from '../record/learn.js';
import { listOf, objectOf, serverOf } from '../server/capabilities.js';
import { Connection, Interrupted, Unreachable } from '../server/connection.js';
import { FAMILIES } from '../ways/families.js';

/** @import { Actor, Answer, Display, Facts, PatientRecord, Report, Server, WayResult } from '../types.js' */

/** Repeated comparisons, counts and slow answers take more than what is planned. */
const MARGIN = 0.8;

/** The share of the time for A's token, if there are further tokens. */
const SHARE_OF_A = 0.65;

/** Nothing could be tried, for a reason that the user can mend. */
class CannotRun extends Error {}

/**
 * @typedef {{
 *   phase: (text: string) => void,
 *   step: (done: number, all: number, text: string) => void,
 *   found: (result: WayResult) => void
 * }} Progress
 */

/**
 * Learns the server and tries all ways.
 *
 * @param {{
 *   base: string, perSecond: number, minutes: number, ca?: string, only?: readonly string[], failFast?:
 *   boolean, isWriting: boolean,
 *   showIds?: boolean, pauseMs?: number, timeoutMs?: number, signal?: AbortSignal
 * }} options `signal` ends the run: what was made is removed, and the report has what was tried until then
 * @param {{ a: Actor, b: Actor, more: Actor[] }} actors
 * @param {Progress} progress
 * @returns {Promise<Report>}
 */
export async function runKit(
  { base, perSecond, minutes, ca, only, failFast = false, isWriting, showIds = false, pauseMs, timeoutMs, signal },
  actors,
  progress,
) {
  const connection = new Connection(base, {
    perSecond,
    ...(ca && { ca }),
    ...(pauseMs && { pauseMs }),
    ...(timeoutMs && { timeoutMs }),
    ...(signal && { signal }),
  });
  const startedAt = new Date();
  /** @type {Report} */
  const report = {
    tool: 'gatehouse-enforcement-kit',
    base,
    server: { software: 'unknown', fhirVersion: 'unknown', types: 0 },
    startedAt: startedAt.toISOString(),
    seconds: 0,
    requests: 0,
    isWriting,
    actors: [actors.a, actors.b, ...actors.more].map(({ name, scopeText }) => ({ name, scope: scopeText })),
    results: [],
    left: [],
  };
  try {
    const facts = await learn(connection, base, actors, progress, report);
    const display = displayOf(showIds);
    const budget = minutes > 0 ? perSecond * 60 * minutes * MARGIN - connection.requests : Number.POSITIVE_INFINITY;
    await tryAll(connection, facts, actors, { only, failFast, isWriting, budget, display, progress, report });
  } catch (error) {
    if (error instanceof Stopped || error instanceof CannotRun) report.stopped = error.message;
    else if (error instanceof Unreachable) report.stopped = sentenceOf(error, base);
    else if (error instanceof Interrupted) report.stopped = 'The run was interrupted.';
    else throw error;
  } finally {
    connection.close();
  }
  report.seconds = (Date.now() - startedAt.getTime()) / 1000;
  report.requests = connection.requests;
  return report;
}

/**
 * @param {Connection} connection
 * @param {string} base
 * @param {{ a: Actor, b: Actor, more: Actor[] }} actors
 * @param {Progress} progress
 * @param {Report} report
 * @returns {Promise<Facts>}
 */
async function learn(connection, base, { a, b, more }, progress, report) {
  progress.phase('Reading the CapabilityStatement');
  const server = await readServer(connection, base, a);
  report.server = { software: server.software, fhirVersion: server.fhirVersion, types: server.types.size };
  const first = await withPatient(connection, base, a);
  const second = await withPatient(connection, base, b);
  if (first.patient === second.patient)
    throw new CannotRun('A and B are one patient: the kit needs tokens of two patients.');
  for (const actor of more) if (actor.patient === undefined && !isOfStaff(actor)) actor.patient = first.patient;
  for (const actor of more) {
    if (actor.patient !== undefined && actor.patient !== first.patient)
      throw new CannotRun(
        `The token ${actor.name} is of another patient than A: further tokens have to be of A's patient.`,
      );
  }
  a.patient = first.patient;
  const records = [];
  for (const [actor, name] of /** @type {const} */ ([
    [first, 'A'],
    [second, 'B'],
  ])) {
    progress.phase(`Learning what the record of ${name} has, with its own token`);
    records.push(await learnRecord(connection, server, actor, (done, all) => progress.step(done, all, 'types')));
  }
  const [own, other] = /** @type {[PatientRecord, PatientRecord]} */ (records);
  keepDistinct(other, own);
  report.actors = report.actors.map((actor) => ({
    ...actor,
    ...(actor.name === 'A' && { resources: own.resources.size }),
    ...(actor.name === 'B' && { resources: other.resources.size }),
  }));
  if ([...other.resources.keys()].filter((key) => !key.startsWith('Patient/')).length === 0)
    throw new CannotRun("B's record has no data that B's own token can read, so there is nothing that could be seen.");
  return { base, server, a: own, b: other };
}

/** @param {Actor} actor */
const isOfStaff = ({ name, scopes }) =>
  name === 'practitioner' ||
  name === 'service' ||
  (scopes !== undefined && !scopes.some(({ context }) => context === 'patient'));

/** @param {Connection} connection @param {string} base @param {Actor} actor @returns {Promise<Server>} */
async function readServer(connection, base, actor) {
  const ask = { method: 'GET', target: 'metadata', headers: [] };
  let answer = await connection.send(ask, undefined);
  if (answer.status === 401 || answer.status === 403) answer = await connection.send(ask, actor);
  const server = answer.status === 200 ? serverOf(answer.json) : undefined;
  if (server) return server;
  const kind = answer.headers['content-type'] ?? 'no media type';
  throw new CannotRun(
    `There is no FHIR server at ${base}: ${base}/metadata answered ${answer.status} (${kind}) and no CapabilityStatement.`,
  );
}

/**
 * @param {Connection} connection
 * @param {string} base
 * @param {Actor} actor
 * @returns {Promise<Actor & { patient: string }>}
 */
async function withPatient(connection, base, actor) {
  const patient = actor.patient ?? (await searchedPatient(connection, base, actor));
  const answer = await connection.send({ method: 'GET', target: `Patient/${patient}`, headers: [] }, actor);
  assertAccepted(answer, base, actor);
  if (answer.status !== 200)
    throw new CannotRun(
      `${actor.name}'s token cannot read its own Patient (status ${answer.status}): everything would be refused, and nothing shown by it.`,
    );
  return { ...actor, patient };
}

/** @param {Connection} connection @param {string} base @param {Actor} actor */
async function searchedPatient(connection, base, actor) {
  const answer = await connection.send({ method: 'GET', target: 'Patient?_count=2', headers: [] }, actor);
  assertAccepted(answer, base, actor);
  const found = listOf(objectOf(answer.json)?.entry).flatMap(({ resource }) => objectOf(resource)?.id ?? []);
  const [only] = found;
  if (found.length !== 1 || typeof only !== 'string') {
    throw new CannotRun(
      `The patient of ${actor.name}'s token is not known: the token does not say, and a search for Patient finds ${found.length === 0 ? 'none' : 'several'}. Give --patient-${actor.name.toLowerCase()}.`,
    );
  }
  return only;
}

/** @param {Answer} answer @param {string} base @param {Actor} actor */
function assertAccepted({ status, headers }, base, { name, audience }) {
  if (status !== 401) return;
  const challenge = /error_description="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1];
  const isOther = audience !== undefined && !audience.split(' ').some((one) => one.replace(/\/$/, '') === base);
  throw new CannotRun(
    `The server refused ${name}'s token (401${challenge ? `: ${challenge}` : ''}).${
      isOther
        ? ` The token is for ${audience}, and the base is ${base}.`
        : ' It may have expired, or be for another base.'
    }`,
  );
}

/**
 * @param {Connection} connection
 * @param {Facts} facts
 * @param {{ a: Actor, b: Actor, more: Actor[] }} actors
 * @param {{ only?: readonly string[] | undefined, failFast: boolean, isWriting: boolean, budget: number,
 *   display: Display, progress: Progress, report: Report }} options
 */
async function tryAll(
  connection,
  facts,
  { a, b, more },
  { only, failFast, isWriting, budget, display, progress, report },
) {
  const before = connection.requests;
  const isWanted = (/** @type {string} */ family) => only === undefined || only.includes(family);
  for (const actor of [a, ...more]) {
    const runner = new Runner(connection, facts, actor, b, display);
    const ways = Object.entries(FAMILIES)
      .filter(([family]) => isWanted(family))
      .flatMap(([family, rows]) => rows.map((way) => ({ family, way })))
      .filter(({ way, family }) => actor === a || (way.core && (actor.patient !== undefined || family === 'scopes')))
      .map((one) => ({ ...one, attempts: runner.attemptsOf(one.way) }));
    progress.phase(actor === a ? "Trying A's token" : `Trying the token ${actor.name}`);
    const lists = ways.map(({ way, attempts }) => ({ way, attempts: typeof attempts === 'string' ? [] : attempts }));
    const left = budget - (connection.requests - before);
    const chosen = chosenAttempts(
      lists,
      actor === a ? left * (more.length > 0 ? SHARE_OF_A : 1) : left / (more.length - more.indexOf(actor)),
    );
    for (const [at, { family, way, attempts }] of ways.entries()) {
      progress.step(at, ways.length, `${family}: ${way.title}`);
      const result = runner.resultOf(way, family, attempts);
      report.results.push(result);
      await runner.tryWay(result, chosen[at] ?? []);
      if (result.state !== 'found') continue;
      progress.found(result);
      if (failFast) return;
    }
  }
  if (isWriting && isWanted('changes')) {
    progress.phase("Trying changes, of what the kit makes with B's token");
    await tryChanges(connection, facts, { a, b, more }, { failFast, display, progress, report });
  }
}

/** Why a server cannot be reached. @param {Unreachable} error @param {string} base */
export function sentenceOf(error, base) {
  const code = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : '';
  const host = new URL(base).host;
  if (/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_HAS_EXPIRED|ALTNAME/.test(code))
    return `The certificate of ${host} is not trusted (${code}). Give the certificate of its authority by --ca; the kit sends no token without that.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${host} is not known.`;
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host}: the connection was refused.`;
  return `The server at ${host} does not answer (${error.message || code}).`;
}
