// @ts-check
import { Unreachable } from '../server/connection.js';
import { toldBy } from './compare.js';
import { LOOKS } from './looks.js';
import { needsOf } from './needs.js';
import { subjectsOf } from './subjects.js';
import { askOf, nothingLike } from './template.js';

/** @import { Connection } from '../server/connection.js' */
/** @import { Actor, Answer, Ask, AskTemplate, Bindings, Display } from '../types.js' */
/** @import { Evidence, Facts, Finding, Severity, Way, WayResult } from '../types.js' */
/** @import { Subject } from './subjects.js' */

/** The run cannot continue. */
export class Stopped extends Error {}

const AT_ONCE = 3;
const MOST_FAILURES = 5;
const MOST_FINDINGS_OF_A_WAY = 20;

/** @param {Way} way @param {string} family @param {Actor} actor @param {number} variants @returns {WayResult} */
export function untriedResult(way, family, { name }, variants) {
  return {
    way,
    family,
    actor: name,
    state: 'nothing found',
    tried: 0,
    variants,
    unclear: 0,
    statuses: {},
    findings: [],
  };
}

/** Tries ways with one token. */
export class Runner {
  #failures = 0;
  #refusals = 0;

  /**
   * @param {Connection} connection
   * @param {Facts} facts
   * @param {Actor} actor
   * @param {Actor} owner the token of the other patient
   * @param {Display} display
   */
  constructor(connection, facts, actor, owner, display) {
    this.connection = connection;
    this.display = display;
    this.facts = facts;
    this.actor = actor;
    this.owner = owner;
  }

  /**
   * @param {Way} way
   * @param {string} family
   * @param {Attempt[] | string} attempts of `attemptsOf`
   * @returns {WayResult} of a way that is not tried yet
   */
  resultOf(way, family, attempts) {
    const result = untriedResult(way, family, this.actor, typeof attempts === 'string' ? 0 : attempts.length);
    return typeof attempts === 'string' ? { ...result, state: 'could not be tried', reason: attempts } : result;
  }

  /**
   * @param {WayResult} result of `resultOf`; it has what was found until then if the run ends
   * @param {readonly Attempt[]} chosen those of its attempts that there is time for
   */
  async tryWay(result, chosen) {
    const { way } = result;
    if (result.reason !== undefined) return;
    let next = 0;
    const work = async () => {
      while (next < chosen.length && result.findings.length < MOST_FINDINGS_OF_A_WAY) {
        const attempt = chosen[next++];
        // A server may leave one kind of request without an answer, and answer all others.
        if (attempt && !(await this.#attempt(way, attempt, result))) next = chosen.length;
      }
    };
    try {
      await Promise.all(Array.from({ length: way.first ? 1 : AT_ONCE }, work));
    } catch (error) {
      endEarly(result);
      throw error;
    }
    if (result.findings.length > 0) result.state = 'found';
    else if (result.tried === result.unclear && result.tried > 0) {
      result.state = 'could not be tried';
      result.reason = 'each request ended with an error of the server';
    } else if (result.unclear > 0)
      result.reason = `${result.unclear} of ${result.tried} ended with an error of the server`;
  }

  /**
   * All requests of a way, in all variants.
   *
   * @param {Way} way
   * @returns {Attempt[] | string} a reason if there are none
   */
  attemptsOf(way) {
    const unfit = needsOf(way, this.actor);
    if (unfit !== undefined) return unfit;
    const subjects = subjectsOf(way.each ?? 'once', this.facts, this.actor).slice(0, way.most);
    if (subjects.length === 0) return REASONS[way.each ?? ''] ?? `the records have nothing for it (${way.each})`;
    const missing = new Set();
    const attempts = subjects.flatMap((subject) =>
      combinations(way.over ?? {}).flatMap((over) =>
        [way.ask].flat().flatMap((template) => {
          const ask = askOf(
            template,
            { ...subject.secret, ...subject.known, word: subject.known.word ?? this.actor.token },
            over,
          );
          if (typeof ask !== 'string') return [{ subject, over, template, ask }];
          missing.add(ask);
          return [];
        }),
      ),
    );
    return attempts.length > 0 ? attempts : `the records have no ${[...missing].join(', ')}`;
  }

  /**
   * @param {Way} way
   * @param {Attempt} attempt
   * @param {WayResult} result
   * @returns {Promise<boolean>} false if the rest of the way is given up, because none of it is answered
   */
  async #attempt(way, { subject, over, template, ask }, result) {
    result.tried += 1;
    try {
      if (way.first) {
        const first = askOf(way.first, { ...subject.secret, ...subject.known }, over);
        if (typeof first !== 'string') await this.connection.send(first, this.owner);
      }
      const answer = await this.#send(ask, result);
      if (isUnclear(answer)) result.unclear += 1;
      const look = LOOKS[way.look ?? 'resources'];
      const send = (/** @type {Ask} */ one) => this.#send(one, undefined);
      let evidence = await look?.(answer, { ask, actor: this.actor, facts: this.facts, send });
      if (!evidence && way.tells) evidence = await this.#compared(answer, { subject, over, template, ask });
      if (evidence) result.findings.push(this.#finding(way, result.family, { subject, over, template, ask }, evidence));
      this.#failures = answer.status === 429 || answer.status === 503 ? this.#failures + 1 : 0;
      if (this.#failures >= MOST_FAILURES)
        throw new Stopped(`The server keeps answering ${answer.status}: try again later, or with a lower --rate.`);
      return true;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      result.unclear += 1;
      this.#failures += 1;
      if (this.#failures < MOST_FAILURES) return true;
      if (!(await this.#isThere())) throw new Stopped(`The server stopped answering (${error.message}).`);
      this.#failures = 0;
      return false;
    }
  }

  async #isThere() {
    try {
      await this.connection.send({ method: 'GET', target: 'metadata', headers: [] }, this.actor);
      return true;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return false;
    }
  }

  /**
   * Compares with the same request about something that does not exist.
   *
   * @param {Answer} answer
   * @param {Attempt} attempt
   * @returns {Promise<Evidence | undefined>}
   */
  async #compared(answer, { subject, over, template, ask }) {
    return toldBy(answer, subject.secret, {
      again: () => this.#send(ask, undefined),
      nothing: () => this.#control(subject, over, template),
    });
  }

  /** @param {Subject} subject @param {Bindings} over @param {AskTemplate} template */
  async #control({ known, secret }, over, template) {
    const like = Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, likeOf(name, value)]));
    const ask = askOf(template, { ...like, ...known, word: known.word ?? this.actor.token }, over);
    return typeof ask === 'string' ? undefined : { answer: await this.#send(ask, undefined), like };
  }

  /** @param {Ask} ask @param {WayResult | undefined} result */
  async #send(ask, result) {
    const answer = await this.connection.send(ask, this.actor);
    if (result) result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
    if (answer.status === 401 && ask.authorization === undefined) await this.#checkAlive();
    return answer;
  }

  /** A token may end during the run; nothing that follows would say anything. */
  async #checkAlive() {
    this.#refusals += 1;
    if (this.#refusals % 5 !== 1) return;
    const target = this.actor.patient === undefined ? 'Patient?_count=1' : `Patient/${this.actor.patient}`;
    const answer = await this.connection.send({ method: 'GET', target, headers: [] }, this.actor);
    if (answer.status === 401)
      throw new Stopped(`The server does not accept the token of ${this.actor.name} any more (401).`);
  }

  /** @param {Way} way @param {string} family @param {Attempt} attempt @param {Evidence} evidence @returns {Finding} */
  #finding(way, family, { subject, over, template }, evidence) {
    const variant = [...Object.values(over), subject.known.type, subject.known.param].filter(Boolean).join(' · ');
    const shown = this.display({ word: '', ...subject.secret, ...subject.known }, this.actor.name);
    const asks = [template, ...(way.first ? [way.first] : [])].map((one) => askOf(one, shown, over));
    return {
      way,
      family,
      actor: this.actor.name,
      variant,
      severity: severityOf(way, evidence),
      asks: asks.filter((ask) => typeof ask !== 'string').reverse(),
      evidence,
    };
  }
}

/** A finding counts, also if the run ends before a way was tried to its end. @param {WayResult} result */
export function endEarly(result) {
  if (result.findings.length > 0) result.state = 'found';
  else Object.assign(result, { state: 'could not be tried', reason: 'the run ended before all of it was tried' });
}

/** True for an answer that says nothing about the request: a failure, or that it wants fewer. @param {Answer} answer */
export function isUnclear({ status }) {
  return (status >= 500 && status !== 501) || status === 429;
}

/** @typedef {{ subject: Subject, over: Bindings, template: AskTemplate, ask: Ask }} Attempt */

/** Why there is nothing to try with. @type {Record<string, string>} */
const REASONS = {
  page: "no search of the other patient had a further page (too few resources, or links that do not lead to the base's origin)",
  'own page': 'no search of the own record had a further page',
  binary: 'the other record links no Binary that its own token can read',
  companion: 'no ID token or refresh token was given with the token (see README)',
  refused: 'no tokens that have to be refused were given (see README)',
  forged: 'the token is not self-contained (a JSON Web Token)',
  beyond: 'the scopes are not known, or permit all types that the record has',
  'beyond permitted': 'the scopes are not known, or permit all types that the record has',
  'beyond category': 'the scopes are not known, or have no categories that leave something of the record out',
  'beyond action': 'the scopes are not known, or permit reading and searching everything of the record',
  shared: 'the other record refers to no resource without a patient',
  listed: 'the other record has no List',
  'own mixed': 'the own record has no resource that could name several patients',
  version: 'the resources of the other record have no version ids',
};

/** @param {string} name @param {string} value */
function likeOf(name, value) {
  if (name === 'binary') return `Binary/${nothingLike(value.slice('Binary/'.length))}`;
  if (name === 'system' || name === 'none') return value;
  const [, system, rest] = /^([^|]+\|)(.*)$/.exec(value) ?? [];
  if (system && rest) return system + nothingLike(rest);
  const [, type, id] = /^([A-Z][A-Za-z]+\/)(.+)$/.exec(value) ?? [];
  if (type && id) return type + nothingLike(id);
  // A date stays a date.
  if (/^\d{4}-\d{2}-\d{2}/.test(value)) return `1${String(Math.floor(Math.random() * 700) + 100)}-01-01`;
  return nothingLike(value);
}

/** @param {Record<string, readonly string[]>} over @returns {Bindings[]} */
function combinations(over) {
  return Object.entries(over).reduce(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    /** @type {Bindings[]} */ ([{}]),
  );
}

/** @param {Way} way @param {Evidence} evidence @returns {Severity} */
function severityOf(way, { resources, markers, sign, total, differences = [] }) {
  if (way.severity) return way.severity;
  if (resources || markers || sign) return 'high';
  if (total || differences.some((one) => /^(?:total|entries|nested)/.test(one))) return 'medium';
  return 'low';
}
