import { givenTokens } from '../../../kit/lib/command/given-tokens.js';
import { runKit } from '../../../kit/lib/command/session.js';
import type { Report } from '../../../kit/lib/types.js';
import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import { DemoGateway } from '../../support/fhir/demo-gateway.js';
import type { StatedRelationships } from '../../support/fhir/gateway.js';
import { isLong, itInLongRun } from '../../support/runs.js';

/** Enough for a few variants of each way; the long run tries all. */
const minutes = isLong ? 0 : 1500 / (60 * 10_000);

let demo: DemoGateway;

const level = (kinds: LevelRule['kinds'], change: LevelRule['change']): LevelRule => ({
  ...{ id: 'x', label: 'X', kinds, change },
  without: { types: [], categories: [], securityLabels: [], codes: [] },
});
const limited = ['Observation?category=vital-signs', 'Encounter', 'AllergyIntolerance'];
const levels: Record<string, LevelRule> = { full: level('full', 'full'), limited: level(limited, []) };

/** The relationships of accounts that are named after their level. */
const represented: StatedRelationships = {
  protection: { categories: [], codes: [] },
  async forRequest({ account }) {
    const own = levels[account];
    if (!own) return { permitted: false, cause: 'none' };
    return { permitted: true, levels: [own], basis: 'voluntary', relationship: account };
  },
};

beforeAll(async () => {
  demo = await DemoGateway.start(undefined, { represented });
});

afterAll(() => demo.close());

/** A token with what the kit is told about it. */
function of(scope: string, facts: { patient?: string; fhirUser?: string; accountId?: string } = {}, told = scope) {
  const acting = facts.accountId === undefined ? {} : { representation: facts.accountId, acr: 'aal2' };
  return { token: demo.gateway.tokenFor(scope, { ...facts, ...acting }), ...facts, scope: told };
}

/** A token of a user who acts for patient 1. */
function ofRepresentative(name: 'full' | 'limited') {
  const facts = { patient: '1', fhirUser: `${demo.gateway.base}/RelatedPerson/representative`, accountId: name };
  // Levels are about the record: what belongs to no record follows the scopes.
  const directory = ['Practitioner', 'PractitionerRole', 'Organization', 'Location', 'Medication'];
  const types = ['Patient', ...limited.map((kind) => kind.replace('?', '.rs?')), 'Provenance', ...directory];
  const ofLevel = types.map((type) => `patient/${type.includes('.rs') ? type : `${type}.rs`}`).join(' ');
  return of('patient/*.cruds user/*.rs', facts, name === 'full' ? 'patient/*.cruds user/*.rs' : ofLevel);
}

/** Tokens of each kind, of patient 1 and of staff. */
function tokens() {
  const { gateway } = demo;
  const patient = '1';
  const user = { patient, fhirUser: `${gateway.base}/Patient/1` };
  return {
    a: of('patient/*.cruds', user),
    b: of('patient/*.cruds', { patient: '2' }),
    practitioner: of('user/Observation.rs user/Patient.r', { fhirUser: `${gateway.base}/Practitioner/practitioner-1` }),
    service: of('system/Patient.rs system/Encounter.s'),
    more: [
      { name: 'categories', ...of('patient/Patient.r patient/Observation.rs?category=vital-signs', { patient }) },
      { name: 'version 1', ...of('patient/Observation.read patient/Condition.read', { patient }) },
      { name: 'several contexts', ...of('patient/*.rs user/Observation.rs', user) },
      { name: 'representative', ...ofRepresentative('full') },
      { name: 'representative at a limited level', ...ofRepresentative('limited') },
    ],
  };
}

const run = (base: string, isWriting = false, given: object = tokens()): Promise<Report> =>
  runKit({ base, perSecond: 10_000, minutes, isWriting, pauseMs: 10 }, givenTokens(JSON.stringify(given), {}), {
    phase() {},
    step() {},
    found() {},
  });
const found = ({ results }: Report) =>
  results.filter(({ state }) => state === 'found').map(({ way, actor }) => `${way.id} ${actor}`);

it('the enforcement kit finds nothing with any kind of token, neither by reads nor by changes', async () => {
  const report = await run(demo.gateway.base, true);
  expect([report.stopped, found(report), report.left]).toEqual([undefined, [], []]);
  expect(report.results.filter(({ state }) => state === 'nothing found').length).toBeGreaterThan(200);
});

itInLongRun.each(['full', 'limited'] as const)(
  'the enforcement kit finds nothing with the token of a user who acts for a patient at a %s level in place of A',
  async (name) => {
    const report = await run(demo.gateway.base, true, { a: ofRepresentative(name), b: tokens().b });
    expect([report.stopped, found(report), report.left]).toEqual([undefined, [], []]);
    expect(report.results.filter(({ state }) => state === 'nothing found').length).toBeGreaterThan(150);
  },
);

it('the enforcement kit finds the FHIR server behind the gateway open', async () => {
  const report = await run(demo.serverUrl);
  expect(found(report)).toEqual(expect.arrayContaining(['read A', 'search-by-id A', 'no-token A', 'everything A']));
});
