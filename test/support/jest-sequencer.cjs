const { default: Sequencer } = require('@jest/test-sequencer');

const longRunning = /\/(?:test\/(?:bulk|faults|model|gateway\/dialects)|kit\/test)\//;

/**
 * Begins with the suites that run longest. In a new clone Jest begins with the largest files: a small one that takes a
 * minute would come last, and the other workers would have nothing to do. Of the others, a large file, which waits for
 * half of its time, alternates with a small one, which computes.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = sorted.filter(({ path }) => longRunning.test(path));
    const others = sorted.filter(({ path }) => !longRunning.test(path));
    const alternating = others.map((_, at) => others[at % 2 === 0 ? at / 2 : others.length - (at + 1) / 2]);
    return [...first, ...alternating];
  }
};
