// @ts-check
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Actor, Answer, Ask, Json } from '../types.js' */

const MOST_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MOST_TRIES = 4;
const LONGEST_PAUSE_S = 30;

/** The server does not answer any more, or never did. */
export class Unreachable extends Error {}

/** The user has ended the run. */
export class Interrupted extends Error {}

/**
 * Sends requests to one FHIR base: unchanged, with a limit of requests a second, and slower once the server asks for
 * that. A token is sent to the origin of the base and nowhere else.
 */
export class Connection {
  /** The number of requests that were sent. */
  requests = 0;
  #base;
  #agent;
  #intervalMs;
  #pauseMs;
  #nextAt = 0;
  #timeoutMs;
  #signal;

  /**
   * @param {string} base without a slash at its end
   * @param {{
   *   perSecond: number, ca?: string, pauseMs?: number, timeoutMs?: number, signal?: AbortSignal
   * }} options `ca` are certificates in PEM; `pauseMs` is the first pause after a failure; `timeoutMs` is how long an
   *   answer is waited for; `signal` ends the run
   */
  constructor(base, { perSecond, ca, pauseMs = 1000, timeoutMs = TIMEOUT_MS, signal }) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#base = new URL(base);
    const options = { keepAlive: true, maxSockets: 4 };
    this.#agent = this.#base.protocol === 'https:' ? new HttpsAgent({ ...options, ca }) : new HttpAgent(options);
    this.#intervalMs = 1000 / perSecond;
    this.#pauseMs = pauseMs;
  }

  /**
   * @param {Ask} ask
   * @param {Actor | undefined} actor
   * @param {{ isCleanUp?: boolean }} [how] what is to be removed is removed after an interruption, too
   * @returns {Promise<Answer>} an answer of any status
   */
  async send(ask, actor, { isCleanUp = false } = {}) {
    for (let tries = 1; ; tries++) {
      await this.#turn(isCleanUp);
      const answer = await this.#once(ask, actor).catch((error) => error);
      const isBusy = !(answer instanceof Error) && (answer.status === 429 || answer.status === 503);
      if (!isBusy && !(answer instanceof Error)) return answer;
      if (tries === MOST_TRIES || isHopeless(answer)) {
        if (answer instanceof Error) throw new Unreachable(answer.message, { cause: answer });
        return answer;
      }
      const asked = isBusy ? retryAfterMs(answer.headers['retry-after']) : undefined;
      if (isBusy) this.#intervalMs = Math.min(this.#intervalMs * 1.5, 5000);
      await this.pause(asked ?? this.#pauseMs * 2 ** (tries - 1), isCleanUp);
    }
  }

  /**
   * Waits, for a bounded time; throws {@link Interrupted} if the run is ended.
   *
   * @param {number} milliseconds
   * @param {boolean} [isCleanUp]
   */
  async pause(milliseconds, isCleanUp = false) {
    const signal = isCleanUp ? undefined : this.#signal;
    if (signal?.aborted) throw new Interrupted();
    const time = Math.min(milliseconds, LONGEST_PAUSE_S * 1000);
    await sleep(time, undefined, signal && { signal }).catch(() => {
      throw new Interrupted();
    });
  }

  get base() {
    return this.#base.href;
  }

  close() {
    this.#agent.destroy();
  }

  /** @param {boolean} isCleanUp */
  async #turn(isCleanUp) {
    if (this.#signal?.aborted && !isCleanUp) throw new Interrupted();
    const now = Date.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#intervalMs;
    if (at > now) await this.pause(at - now, isCleanUp);
  }

  /**
   * @param {Ask} ask
   * @param {Actor | undefined} actor
   * @returns {Promise<Answer>}
   */
  #once({ method, target, line, headers, body, isAbsolute, authorization }, actor) {
    const path = line ?? (isAbsolute ? pathOf(target, this.#base) : pathBelow(this.#base, target));
    const all = [...headers];
    const has = (/** @type {string} */ name) => all.some(([one]) => one.toLowerCase() === name);
    if (!has('accept')) all.push(['Accept', 'application/fhir+json']);
    const sent = authorization ?? (actor ? `Bearer ${actor.token}` : '');
    if (sent !== '' && !has('authorization')) all.push(['Authorization', sent]);
    if (body !== undefined && !has('content-type')) all.push(['Content-Type', 'application/fhir+json']);
    if (body !== undefined) all.push(['Content-Length', String(Buffer.byteLength(body))]);
    if (!has('host')) all.push(['Host', this.#base.host]);
    this.requests += 1;
    const send = this.#base.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(
        {
          agent: this.#agent,
          hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
          port: this.#base.port || undefined,
          method,
          path,
          headers: all.flat(),
          setHost: false,
          timeout: this.#timeoutMs,
        },
        (response) => {
          /** @type {Buffer[]} */
          const chunks = [];
          let length = 0;
          const finish = () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), text, json: parsed(text) });
          };
          response.on('data', (chunk) => {
            chunks.push(chunk);
            length += chunk.length;
            if (length <= MOST_BYTES) return;
            finish();
            request.destroy();
          });
          response.on('end', finish);
          response.on('aborted', finish);
          response.on('error', reject);
        },
      );
      request.on('timeout', () =>
        request.destroy(
          Object.assign(new Error(`no answer in ${this.#timeoutMs / 1000} seconds`), { code: 'NO_ANSWER' }),
        ),
      );
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('the server changed the protocol'));
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** Seconds or a date (RFC 9110 §10.2.3). @param {string | undefined} text */
function retryAfterMs(text = '') {
  const time = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}

/** True for the failures that do not pass. @param {unknown} error */
function isHopeless(error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /CERT|SSL|TLS|SELF_SIGNED|ENOTFOUND|ERR_INVALID|ERR_UNESCAPED|NO_ANSWER/.test(code);
}

/** @param {URL} base @param {string} target */
function pathBelow(base, target) {
  const root = base.pathname.replace(/\/$/, '');
  return target === '' || target.startsWith('?') ? `${root || '/'}${target}` : `${root}/${target}`;
}

/** @param {string} address @param {URL} base */
function pathOf(address, base) {
  const url = new URL(address, base);
  if (url.origin !== base.origin) throw new Error('a link leads to another origin, where no token is sent');
  return url.pathname + url.search;
}

/** @param {Record<string, string | string[] | undefined>} headers @returns {Record<string, string>} */
function flat(headers) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** @param {string} text @returns {Json | undefined} */
function parsed(text) {
  if (!/^[\s\uFEFF]*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** True if links to further pages may be followed there. @param {string} address @param {string} base */
export function isSameOrigin(address, base) {
  return URL.canParse(address, base) && new URL(address, base).origin === new URL(base).origin;
}
