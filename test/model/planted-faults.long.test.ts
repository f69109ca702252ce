import { cells } from './run/cells.js';
import { faults as ofTheGateway } from './run/faults.js';
import { faultsOfRepresentation } from './run/faults-of-representation.js';
import { compareInThreads } from './run/threads.js';

/** A prime, as in the test of the table. */
const step = 443;
/** Of the cells some are enough. Of generated cases more than `npm test` compares: some faults need two rare things. */
const ranges = [
  { of: 'cells', from: 0, step, cases: Math.ceil(cells / step) },
  { of: 'seeds', from: 1, step: 1, cases: 300_000 },
] as const;

const faults = [...ofTheGateway, ...faultsOfRepresentation];

it('has at least sixty faults to find', () => expect(faults.length).toBeGreaterThanOrEqual(60));

it.each(faults.map(({ file, before, after }) => [file, before, after] as const))(
  'The model finds a fault in %s: %s → %s',
  async (file, before, after) => {
    let found = 0;
    for (const range of ranges) {
      if (found > 0) break;
      const settings = { ...range, mostDifferences: 1, shrinks: false, fault: { file, before, after } };
      found = (await compareInThreads(settings)).differences.length;
    }
    expect(found).toBeGreaterThan(0);
  },
);
