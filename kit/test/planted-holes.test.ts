import { inTurn, isLong } from '../../test/support/runs.js';
import { givenTokens } from '../lib/command/given-tokens.js';
import { runKit } from '../lib/command/session.js';
import type { Report } from '../lib/types.js';
import { startSmallGateway } from './small-gateway/listen.js';
import { furtherMutants } from './small-gateway/mutants/further-mutants.js';
import type { Mutant } from './small-gateway/mutants/mutant.js';
import { mutants, sound } from './small-gateway/mutants/mutants.js';
import { mutantsOfAddresses } from './small-gateway/mutants/mutants-of-addresses.js';
import { mutantsOfAnswers } from './small-gateway/mutants/mutants-of-answers.js';
import { mutantsOfChanges } from './small-gateway/mutants/mutants-of-changes.js';
import { mutantsOfRareForms, mutantsOfRights } from './small-gateway/mutants/mutants-of-rare-forms.js';
import { mutantsOfSearches } from './small-gateway/mutants/mutants-of-searches.js';
import { mutantsOfTokens } from './small-gateway/mutants/mutants-of-tokens.js';
import { tokenOf } from './small-gateway/tokens.js';

const all = 'patient/*.cruds';
const narrow = 'patient/Patient.r patient/Condition.s patient/Observation.rs?category=laboratory';
const quiet = { phase() {}, step() {}, found() {} };
const further = (name: string, scope: string, more: object = {}) => ({ name, token: tokenOf('ann', scope, more) });

/** Tokens of two patients, and further ones of the first. */
const tokens = {
  a: {
    access_token: tokenOf('ann', all, { iss: 'urn:issuer' }),
    id_token: tokenOf('ann', '', { use: 'id_token' }),
    refresh_token: tokenOf('ann', '', { use: 'refresh_token' }),
  },
  b: tokenOf('ben', all),
  refused: [{ exp: 1 }, { aud: 'urn:another-server' }, { jti: 'revoked' }].map((more) => tokenOf('ann', all, more)),
  more: [
    further('narrow', narrow),
    further('version 1', 'patient/Patient.read patient/Encounter.read'),
    further('without user', all, { fhirUser: null }),
    further('mixed', 'patient/*.rs user/*.rs'),
    further('without scopes for resources', 'openid fhirUser launch/patient'),
    further('only to create', 'patient/*.c'),
    further('scopes of a user', 'user/*.rs'),
    further('a scope of a system', 'patient/Patient.rs system/*.rs'),
    further('a category', 'patient/Patient.rs patient/Observation.rs?category=laboratory'),
    further('offline', 'patient/Observation.rs offline_access'),
    further('of a representative', all, { fhirUser: 'Patient/ben' }),
    further('a type that begins like another', 'patient/Patient.rs patient/Medication.rs'),
  ],
};
/** Where the holes are not those of tokens and scopes, further tokens would only try the same again. */
const twoTokens = { a: tokens.a, b: tokens.b };

async function reportOf(
  mutant: Mutant,
  options: { failFast: boolean; isWriting: boolean },
  given: object = tokens,
): Promise<Report> {
  const { base, close } = await startSmallGateway(mutant);
  try {
    const settings = { base, perSecond: 100_000, minutes: 0, pauseMs: 1, ...options };
    return await runKit(settings, givenTokens(JSON.stringify(given), {}), quiet);
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
    // Each further token tries all ways again.
    const given = isLong ? tokens : { ...tokens, more: tokens.more.slice(0, 3) };
    const report = await reportOf(sound, { failFast: false, isWriting: true }, given);
    expect([report.stopped, foundBy(report), report.left]).toEqual([undefined, [], []]);
    expect(report.results.filter(({ state }) => state === 'nothing found').length).toBeGreaterThan(100);
  });

  // One of eighty usually, from the fortieth on; `npm run test:long` plants all.
  const ofScopes = [...mutants, ...mutantsOfTokens, ...mutantsOfRights].map(
    (mutant) => [mutant.name, mutant, tokens] as const,
  );
  const others = [
    ...furtherMutants,
    ...mutantsOfSearches,
    ...mutantsOfAnswers,
    ...mutantsOfAddresses,
    ...mutantsOfChanges,
    ...mutantsOfRareForms,
  ].map((mutant) => [mutant.name, mutant, twoTokens] as const);
  const planted = [...ofScopes, ...others].filter((_, at) => inTurn(Array.from(Array(80).keys()), at).includes(40));
  it.each(planted)('finds the planted hole "%s"', async (_name, mutant, given) => {
    const report = await reportOf(mutant, { failFast: true, isWriting: mutant.isChange === true }, given);
    expect(foundBy(report)).not.toEqual([]);
  });
});
