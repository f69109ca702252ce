// @ts-check

/**
 * A stream of random numbers that is the same for the same seed: the mulberry32 generator over a 32-bit FNV-1a hash.
 * Each patient and theme has a stream of its own, so that a change in one leaves the others' data as it was.
 */
export class Random {
  #state;

  /** @param {string} seed */
  constructor(seed) {
    let hash = 0x811c9dc5;
    for (const character of seed) {
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    }
    this.#state = hash >>> 0;
  }

  /** @returns {number} from 0 up to but not including 1 */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} a whole number, both ends included
   */
  int(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} with one decimal
   */
  decimal(low, high) {
    return Math.round((low + this.next() * (high - low)) * 10) / 10;
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /**
   * @template T
   * @param {readonly T[]} items never empty
   * @returns {T}
   */
  pick(items) {
    return /** @type {T} */ (items[this.int(0, items.length - 1)]);
  }

  /**
   * @template T
   * @param {readonly T[]} items
   * @param {number} count
   * @returns {T[]} different items, in their original order
   */
  sample(items, count) {
    const chosen = new Set();
    while (chosen.size < Math.min(count, items.length)) {
      chosen.add(this.int(0, items.length - 1));
    }
    return items.filter((_item, index) => chosen.has(index));
  }
}
