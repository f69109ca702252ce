import { inTurn } from '../../test/support/runs.js';
import { givenTokens } from '../lib/command/given-tokens.js';
import { runKit } from '../lib/command/session.js';
import type { Report } from '../lib/types.js';
import { furtherMutants } from './small-gateway/further-mutants.js';
import { startSmallGateway } from './small-gateway/gateway.js';
import { type Mutant, mutants, sound } from './small-gateway/mutants.js';
import { tokenOf } from './small-gateway/tokens.js';

const all = 'patient/*.cruds';
const narrow = 'patient/Patient.r patient/Condition.s patient/Observation.rs?category=laboratory';
const quiet = { phase() {}, step() {}, found() {} };

/** Tokens of two patients, and further ones of the first. */
const tokens = JSON.stringify({
  a: tokenOf('ann', all),
  b: tokenOf('ben', all),
  more: [
    { name: 'narrow', token: tokenOf('ann', narrow) },
    { name: 'version 1', token: tokenOf('ann', 'patient/Patient.read patient/Encounter.read') },
    { name: 'without user', token: tokenOf('ann', all, { fhirUser: null }) },
    { name: 'mixed', token: tokenOf('ann', 'patient/*.rs user/*.rs') },
  ],
});

async function reportOf(mutant: Mutant, options: { failFast: boolean; isWriting: boolean }): Promise<Report> {
  const { base, close } = await startSmallGateway(mutant);
  try {
    const settings = { base, perSecond: 100_000, minutes: 0, pauseMs: 1, ...options };
    return await runKit(settings, givenTokens(tokens, {}), quiet);
  } finally {
    close();
  }
}

const foundBy = ({ results }: Report) =>
  results
    .filter(({ state }) => state === 'found')
    .map(({ way, actor, findings }) => `${way.id} ${actor} ${JSON.stringify(findings[0]?.evidence)}`);

describe('The kit', () => {
  it('finds nothing on a gateway that enforces its tokens soundly', async () => {
    const report = await reportOf(sound, { failFast: false, isWriting: true });
    expect([report.stopped, foundBy(report), report.left]).toEqual([undefined, [], []]);
    expect(report.results.filter(({ state }) => state === 'nothing found').length).toBeGreaterThan(100);
  });

  // One of eighteen usually; `npm run test:long` plants all.
  const planted = [...mutants, ...furtherMutants].filter((_, at) =>
    inTurn(Array.from(Array(18).keys()), at).includes(0),
  );
  it.each(planted.map((mutant) => [mutant.name, mutant] as const))(
    'finds the planted hole "%s"',
    async (_name, mutant) => {
      const report = await reportOf(mutant, { failFast: true, isWriting: mutant.isChange === true });
      expect(foundBy(report)).not.toEqual([]);
    },
  );
});
