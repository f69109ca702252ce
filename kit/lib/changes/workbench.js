// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';
import { Unreachable } from '../server/connection.js';

/** @import { Connection } from '../server/connection.js' */
/** @import { Actor, Answer, Ask, Facts, JsonObject } from '../types.js' */

/** Types that the kit can make, with what they need. @type {Readonly<Record<string, string>>} */
const ELEMENTS = {
  Observation: '"status":"final","code":{"text":"gatehouse-enforcement-kit"}',
  Condition:
    '"clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"active"}]},"code":{"text":"gatehouse-enforcement-kit"}',
  Communication: '"status":"completed"',
  QuestionnaireResponse: '"status":"completed"',
};

export const SYSTEM = 'urn:gatehouse-enforcement-kit';

/** Resources that the kit makes on a server, with a tag, and removes again. */
export class Workbench {
  /** By `Type/id`: who made it. @type {Map<string, Actor>} */
  #made = new Map();
  #count = 0;
  type = '';

  /**
   * @param {Connection} connection
   * @param {Facts} facts
   * @param {{ a: Actor, b: Actor }} actors
   * @param {string} run a text that only this run has
   */
  constructor(connection, facts, { a, b }, run) {
    this.connection = connection;
    this.facts = facts;
    this.a = a;
    this.b = b;
    this.run = run;
  }

  get tag() {
    return `"meta":{"tag":[{"system":"${SYSTEM}","code":"${this.run}"}]}`;
  }

  /** A number for an identifier that is used once. */
  nextValue() {
    this.#count += 1;
    return `kit-${this.run}-${this.#count}`;
  }

  /** Elements with the identifier. @param {string} value */
  elementsWith(value) {
    return `${ELEMENTS[this.type]},${this.tag},"identifier":[{"system":"${SYSTEM}","value":"${value}"}]`;
  }

  /** Elements without an identifier. */
  get plain() {
    return `${ELEMENTS[this.type]},${this.tag}`;
  }

  /**
   * Finds a type that the token of the other patient may create.
   *
   * @returns {Promise<string | undefined>} why there is none
   */
  async findType() {
    const refused = [];
    for (const type of Object.keys(ELEMENTS)) {
      if (!this.facts.server.types.has(type)) continue;
      this.type = type;
      const { id, status } = await this.make(this.b, this.nextValue());
      if (id !== undefined) return undefined;
      refused.push(`${type} ${status}`);
    }
    return `the token of B may create nothing that the kit makes (${refused.join(', ') || 'no such type is served'})`;
  }

  /** @param {Actor} actor @param {string} value @returns {Promise<{ id: string | undefined, status: number }>} */
  async make(actor, value) {
    const patient = actor === this.a ? this.facts.a.patient : this.facts.b.patient;
    const body = `{"resourceType":"${this.type}",${this.elementsWith(value)},"subject":{"reference":"Patient/${patient}"}}`;
    const answer = await this.connection.send({ method: 'POST', target: this.type, headers: [], body }, actor);
    const [key] = this.keep(answer, actor);
    return { id: answer.status === 201 ? key?.split('/')[1] : undefined, status: answer.status };
  }

  /**
   * Remembers what an answer says was made.
   *
   * @param {Answer} answer
   * @param {Actor} actor
   * @returns {string[]} as `Type/id`
   */
  keep({ status, json, headers }, actor) {
    if (status >= 300) return [];
    const root = objectOf(json);
    const places = [
      ...(status === 201 ? [headers.location] : []),
      ...listOf(root?.entry).flatMap(({ response, resource }) => {
        const { status: state, location } = objectOf(response) ?? {};
        const { resourceType, id } = objectOf(resource) ?? {};
        return String(state).startsWith('201') ? [location, ...(id ? [`${resourceType}/${id}`] : [])] : [];
      }),
    ];
    const own = status === 201 && typeof root?.id === 'string' ? [`${root.resourceType}/${root.id}`] : [];
    const keys = [
      ...places.flatMap(
        (one) => /([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]*)?$/.exec(String(one ?? ''))?.[1] ?? [],
      ),
      ...own,
    ];
    for (const key of keys) this.#made.set(key, actor);
    return [...new Set(keys)];
  }

  /**
   * A resource as its patient sees it now; undefined if it is gone.
   *
   * @param {string} id
   * @returns {Promise<JsonObject | undefined>}
   */
  async stateOf(id) {
    const ask = { method: 'GET', target: `${this.type}/${id}`, headers: [] };
    const answer = await this.connection.send(ask, this.b);
    return answer.status === 200 ? objectOf(answer.json) : undefined;
  }

  /** @param {string} id */
  async deleteAsB(id) {
    await this.connection.send({ method: 'DELETE', target: `${this.type}/${id}`, headers: [] }, this.b);
  }

  /** True if a condition by identifier finds what the kit made and nothing else: then a change by it is safe. */
  async isConditionSafe() {
    const value = this.nextValue();
    const { id } = await this.make(this.b, value);
    const found = await this.#countBy(value);
    return id !== undefined && found === 1 && (await this.#countBy(`${value}-of-nothing`)) === 0;
  }

  /** @param {string} value */
  async #countBy(value) {
    const ask = { method: 'GET', target: `${this.type}?identifier=${encodeURIComponent(value)}`, headers: [] };
    const answer = await this.connection.send(ask, this.b);
    if (answer.status !== 200) return undefined;
    return listOf(objectOf(answer.json)?.entry).filter(({ resource }) => objectOf(resource)?.resourceType === this.type)
      .length;
  }

  /** Resources with the tag, where a server did not say what it made. */
  async #findTagged() {
    const types = new Set([this.type, ...[...this.#made.keys()].map((key) => key.split('/')[0] ?? '')]);
    for (const type of types) {
      if (!this.facts.server.types.get(type)?.parameters.has('_tag')) continue;
      for (const actor of [this.b, this.a]) {
        const target = `${type}?_tag=${encodeURIComponent(`${SYSTEM}|${this.run}`)}&_count=200`;
        const ask = { method: 'GET', target, headers: [] };
        const answer = await this.connection.send(ask, actor, { isCleanUp: true });
        for (const { resource } of listOf(objectOf(answer.json)?.entry)) {
          const { resourceType, id, meta } = objectOf(resource) ?? {};
          if (resourceType === type && JSON.stringify(meta ?? '').includes(this.run))
            this.#made.set(`${type}/${id}`, actor);
        }
      }
    }
  }

  /** Removes everything, as far as the server answers. @returns {Promise<string[]>} what is left, as `Type/id` */
  async clear() {
    const left = new Set(this.#made.keys());
    try {
      await this.#findTagged();
      for (const [key, maker] of this.#made) {
        left.add(key);
        if (await this.#remove(key, maker)) left.delete(key);
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    return [...left];
  }

  /** @param {string} key @param {Actor} maker @returns {Promise<boolean>} true if it is gone */
  async #remove(key, maker) {
    const statusOf = async (/** @type {string} */ method, /** @type {Actor} */ actor) =>
      (await this.connection.send({ method, target: key, headers: [] }, actor, { isCleanUp: true })).status;
    for (const actor of new Set([maker, this.b, this.a])) {
      const status = await statusOf('DELETE', actor);
      if (status < 300 || status === 410) return true;
      const isHidden = (await statusOf('GET', this.b)) !== 200 && (await statusOf('GET', this.a)) !== 200;
      if (isHidden && status === 404) return true;
    }
    return false;
  }

  /** @param {Ask} ask */
  async sendAsA(ask) {
    const answer = await this.connection.send(ask, this.a);
    this.keep(answer, this.a);
    return answer;
  }
}
