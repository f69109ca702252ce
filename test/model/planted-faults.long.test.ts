import { faults as ofTheGateway } from './run/faults.js';
import { faultsOfRepresentation } from './run/faults-of-representation.js';
import { compareInThreads } from './run/threads.js';

/** More than `npm test` compares: some faults need two rare things at once. */
const mostCases = 300_000;

const faults = [...ofTheGateway, ...faultsOfRepresentation];

it('has at least sixty faults to find', () => expect(faults.length).toBeGreaterThanOrEqual(60));

it.each(faults.map(({ file, before, after }) => [file, before, after] as const))(
  'The model finds a fault in %s: %s → %s',
  async (file, before, after) => {
    const settings = { from: 1, cases: mostCases, mostDifferences: 1, shrinks: false, fault: { file, before, after } };
    const { differences } = await compareInThreads(settings);
    expect(differences.length).toBeGreaterThan(0);
  },
);
