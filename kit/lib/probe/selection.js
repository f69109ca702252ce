// @ts-check

/** @import { Way } from '../types.js' */

/** The limits of a core way, compared with any other. */
const WEIGHT_OF_CORE = 3;

/**
 * Chooses among the attempts of all ways as many as there is time for: some of each way, spread over its variants.
 *
 * @template T
 * @param {readonly { way: Way, attempts: readonly T[] }[]} all
 * @param {number} budget requests; infinite for no limit
 * @returns {T[][]} the attempts of each way, in their order
 */
export function chosenAttempts(all, budget) {
  const costs = all.map(({ way }) => 1 + (way.tells ? 1 : 0) + (way.first ? 1 : 0) + (way.look === 'pages' ? 3 : 0));
  const countsAt = (/** @type {number} */ level) =>
    all.map(({ way, attempts }) => Math.min(attempts.length, Math.ceil(level * (way.core ? WEIGHT_OF_CORE : 1))));
  const costAt = (/** @type {number} */ level) =>
    countsAt(level).reduce((sum, count, at) => sum + count * (costs[at] ?? 1), 0);
  const most = Math.max(1, ...all.map(({ attempts }) => attempts.length));
  let level = 1;
  while (level < most && costAt(level + 0.5) <= budget) level += 0.5;
  const counts = countsAt(level);
  return all.map(({ attempts }, at) => spread(attempts, counts[at] ?? 0));
}

/** @template T @param {readonly T[]} all @param {number} count @returns {T[]} */
function spread(all, count) {
  if (count >= all.length) return [...all];
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]).filter(
    (one) => one !== undefined,
  );
}
