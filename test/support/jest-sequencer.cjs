const { default: Sequencer } = require('@jest/test-sequencer');

const longRunning = /\/(?:test\/(?:faults|model|gateway\/dialects)|kit\/test)\//;

/**
 * Begins with the suites that run longest. In a new clone Jest begins with the largest files: a small one that takes a
 * minute would come last, and the other workers would have nothing to do.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (longRunning.test(path) ? 0 : 1);
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
