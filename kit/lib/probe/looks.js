// @ts-check
import { listOf, objectOf } from '../server/capabilities.js';
import { isSameOrigin } from '../server/connection.js';
import { graphIds, shownBy } from './inspect.js';
import { resourcesIn } from './resources.js';

/** @import { Actor, Answer, Ask, Evidence, Facts } from '../types.js' */

/**
 * @typedef {{ ask: Ask, actor: Actor, facts: Facts, send: (ask: Ask) => Promise<Answer> }} Look
 */

const MOST_PAGES = 6;

/**
 * How the answers of ways are looked at.
 *
 * @type {Record<string, (answer: Answer, look: Look) => Promise<Evidence | undefined>>}
 */
export const LOOKS = {
  async resources(answer, { ask, actor, facts }) {
    return shownBy(answer, ask, actor, facts);
  },
  async graph(answer, { facts }) {
    const isOther = (/** @type {string} */ id) =>
      hasId(facts.b.resources, id) && !hasId(facts.a.resources, id) && id !== facts.a.patient;
    const values = graphIds(answer.json).filter(isOther).length;
    return values > 0 ? { status: answer.status, sign: `${values} ids of the other record` } : undefined;
  },
  async 'own graph'(answer, { ask }) {
    const asked = `${decodeURIComponent(ask.target)} ${ask.body ?? ''}`;
    const values = graphIds(answer.json).filter((id) => asked.includes(id)).length;
    return values > 0 ? { status: answer.status, sign: `${values} ids` } : undefined;
  },
  async accepted(answer) {
    if (answer.status >= 300) return undefined;
    const found = resourcesIn(answer).filter(({ resourceType }) => resourceType !== 'OperationOutcome');
    return { status: answer.status, sign: `answered with ${found.length} resources` };
  },
  async 'accepted entry'(answer) {
    const statuses = listOf(objectOf(answer.json)?.entry).map(({ response }) =>
      String(objectOf(response)?.status ?? ''),
    );
    const accepted = statuses.filter((status) => status.startsWith('2'));
    return accepted.length > 0 ? { status: answer.status, sign: `${accepted.length} entries answered` } : undefined;
  },
  async binaries(answer, { ask, actor, facts }) {
    if (actor.patient === undefined) return undefined;
    const shown = shownBy(answer, ask, actor, facts);
    if (shown) return shown;
    const found = resourcesIn(answer).filter(({ resourceType }) => resourceType === 'Binary');
    return found.length > 0 ? { status: answer.status, resources: { Binary: found.length } } : undefined;
  },
  async pages(answer, { ask, actor, facts, send }) {
    let current = answer;
    let asked = ask;
    for (let page = 0; page < MOST_PAGES; page++) {
      const evidence = shownBy(current, asked, actor, facts);
      if (evidence) return evidence;
      const link = nextOf(current);
      if (link === undefined || !isSameOrigin(link, facts.base)) return undefined;
      asked = { method: 'GET', target: link, headers: [], isAbsolute: true };
      current = await send(asked);
    }
    return undefined;
  },
  async count(answer, { ask, actor, facts, send }) {
    const evidence = shownBy(answer, ask, actor, facts);
    const total = objectOf(answer.json)?.total;
    if (evidence || typeof total !== 'number' || actor.patient === undefined) return evidence;
    const type = ask.target.split('?')[0] ?? '';
    const shown = await countShown(type, facts, send);
    return shown !== undefined && total > shown ? { status: answer.status, total: { total, shown } } : undefined;
  },
};

/**
 * How many resources of a type the token is shown, if they are on a few pages.
 *
 * @param {string} type
 * @param {Facts} facts
 * @param {Look['send']} send
 */
async function countShown(type, facts, send) {
  let answer = await send({ method: 'GET', target: `${type}?_count=200`, headers: [] });
  let shown = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    if (answer.status !== 200) return undefined;
    shown += listOf(objectOf(answer.json)?.entry).filter(({ search }) => objectOf(search)?.mode !== 'outcome').length;
    const link = nextOf(answer);
    if (link === undefined) return shown;
    if (!isSameOrigin(link, facts.base)) return undefined;
    answer = await send({ method: 'GET', target: link, headers: [], isAbsolute: true });
  }
  return undefined;
}

/** @param {Map<string, unknown>} resources @param {string} id */
const hasId = (resources, id) => [...resources.keys()].some((key) => key.endsWith(`/${id}`));

/** @param {Answer} answer */
function nextOf({ json }) {
  const next = listOf(objectOf(json)?.link).find(({ relation }) => relation === 'next');
  return typeof next?.url === 'string' ? next.url : undefined;
}
