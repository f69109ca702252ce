import { givenTokens } from '../../../kit/lib/command/given-tokens.js';
import { runKit } from '../../../kit/lib/command/session.js';
import type { Report } from '../../../kit/lib/types.js';
import { DemoGateway } from '../../support/fhir/demo-gateway.js';
import { isLong } from '../../support/runs.js';

/** Enough for a few variants of each way; the long run tries all. */
const minutes = isLong ? 0 : 1500 / (60 * 10_000);

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start();
});

afterAll(() => demo.close());

/** Tokens of each kind, of patient 1 and of staff. */
function tokens() {
  const { gateway } = demo;
  const of = (scope: string, facts: { patient?: string; fhirUser?: string } = {}) => ({
    token: gateway.tokenFor(scope, facts),
    scope,
    ...facts,
  });
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
    ],
  };
}

const run = (base: string, isWriting = false): Promise<Report> =>
  runKit({ base, perSecond: 10_000, minutes, isWriting, pauseMs: 10 }, givenTokens(JSON.stringify(tokens()), {}), {
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

it('the enforcement kit finds the FHIR server behind the gateway open', async () => {
  const report = await run(demo.serverUrl);
  expect(found(report)).toEqual(expect.arrayContaining(['read A', 'search-by-id A', 'no-token A', 'everything A']));
});
