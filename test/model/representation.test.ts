import { isLong } from '../support/runs.js';
import { decide } from './decision/decide.js';
import type { Asked, Resource, Token } from './decision/world.js';
import { differenceIn, type Gateways, startGateways } from './run/compare.js';
import { DataServer } from './run/data.js';
import type { Case } from './run/generated-case.js';
import { capabilities } from './run/generated-data.js';
import { representation } from './run/generated-relationship.js';

/** The days on which a patient who was born on 1 June 2010 has these ages. */
const days = { 5: '2015-06-01', 13: '2023-06-01', 17: '2028-05-31', 18: '2028-06-01', 40: '2050-06-01' };
const categories = ['laboratory', 'survey', undefined];
const labels = ['MH', 'SEX', 'PSY', undefined];
const interactions = ['read', 'vread', 'history', 'search', 'include', 'everything', 'update', 'delete'] as const;

const system = 'http://terminology.hl7.org/CodeSystem/observation-category';

function observation(category: string | undefined, label: string | undefined): Resource {
  return {
    resourceType: 'Observation',
    id: 'o',
    meta: { versionId: '2', ...(label && { security: [{ code: label }] }) },
    ...(category && { category: [{ coding: [{ system, code: category }] }] }),
    subject: { reference: 'Patient/p1' },
  };
}

const data = (resource: Resource): Case['data'] => ({
  ignores: false,
  versions: {
    'Patient/p1': [{ resourceType: 'Patient', id: 'p1', meta: { versionId: '1' }, contact: [{ name: 'x' }] }],
    'Observation/o': [{ ...resource, meta: { versionId: '1' } }, resource],
    'Encounter/e': [
      { resourceType: 'Encounter', id: 'e', meta: { versionId: '1' }, subject: { reference: 'Patient/p1' } },
    ],
  },
});

function askedFor(interaction: (typeof interactions)[number], resource: Resource): Asked {
  const one = { type: 'Observation', id: 'o', query: [] };
  switch (interaction) {
    case 'history':
      return { ...one, interaction: 'history-instance' };
    case 'search':
      return { interaction: 'search', type: 'Observation', query: [['patient', 'Patient/p1']] };
    case 'include':
      return { interaction: 'search', type: 'Observation', query: [['_include', 'Observation:subject:Patient']] };
    case 'everything':
      return { interaction: 'operation', operation: 'everything', type: 'Patient', id: 'p1', query: [] };
    case 'vread':
      return { ...one, interaction, version: '1' };
    case 'update':
      return { ...one, interaction, body: { ...resource, status: 'final' } };
    default:
      return { ...one, interaction };
  }
}

let gateways: Gateways;

beforeAll(async () => {
  gateways = await startGateways();
});

afterAll(() => Promise.all([gateways.plain.close(), gateways.steppingUp.close()]));

test.each(Object.keys(representation.bases))(
  'On the basis %s gateway and model show and change the same, at each age and level',
  async (basis) => {
    let [cells, shown, hidden] = [0, 0, 0];
    for (const day of Object.values(days)) {
      for (const level of Object.keys(representation.levels)) {
        const facts = { birthDate: '2010-06-01' };
        const relationship = { basis, level, status: 'active', agreed: [16] };
        const token: Token = {
          ...{ scopes: ['patient/*.cruds'], patient: 'p1', user: 'RelatedPerson/r1', acr: 'aal2', age: 10 },
          relationship: { relationship, day, facts },
        };
        for (const category of categories) {
          for (const label of labels) {
            const resource = observation(category, label);
            const turn = cells;
            for (const [index, interaction] of interactions.entries()) {
              cells += 1;
              if (!isLong && (index + Math.floor(turn / interactions.length)) % 4 !== 0) continue;
              const asked = askedFor(interaction, resource);
              const one: Case = { data: data(resource), token, asked, stepsUp: false };
              const found = await differenceIn(one, gateways, (verdict) => {
                if (typeof verdict === 'object' && 'rule' in verdict) hidden += 1;
                else shown += 1;
              });
              expect([level, day, category, label, interaction, found]).toEqual([
                ...[level, day, category, label, interaction, undefined],
              ]);
            }
          }
        }
      }
    }
    expect([cells, shown + hidden, shown > 0, hidden > 0]).toEqual([2_880, isLong ? 2_880 : 720, true, true]);
  },
);

/** Sentences of the guide, each with what it means for one request. */
describe('A representative', () => {
  const relationship = { basis: 'parental-responsibility', level: 'full', status: 'active', agreed: [] };
  const mayRead = (day: string, birthDate: string, more: object = {}) => {
    const resource = observation('laboratory', undefined);
    const used = { relationship: { ...relationship, ...more }, day, facts: { birthDate } };
    const token: Token = { scopes: ['patient/*.rs'], patient: 'p1', relationship: used };
    const situation = { token, server: new DataServer(data(resource), capabilities), stepUp: [], representation };
    const verdict = decide(askedFor('read', resource), { ...situation, operationsWithoutScope: [] });
    return typeof verdict === 'object' && 'shown' in verdict;
  };

  it.each([
    ['reads all of a small child', '2026-06-01', '2020-06-01', {}, true],
    ['reads what the step of 13 permits', '2026-06-01', '2013-06-01', {}, true],
    ['reads less from the earliest possible day of 16 on', '2026-01-01', '2010', { agreed: [16] }, false],
    ['reads nothing from 18 on', '2026-06-01', '2008-06-01', {}, false],
    ['reads on the day before', '2026-05-31', '2008-06-01', { agreed: [16], above: { step: 16 } }, true],
    ['born on 29 February ends on the 28th', '2026-02-28', '2008-02-29', { agreed: [16], above: { step: 16 } }, false],
    ['needs the agreement of the patient where the step says so', '2026-06-01', '2009-06-01', {}, false],
    ['reads nothing before the first day', '2026-06-01', '2020-06-01', { start: '2026-06-02' }, false],
    ['reads on the last day', '2026-06-01', '2020-06-01', { end: '2026-06-01' }, true],
    ['reads nothing after it', '2026-06-02', '2020-06-01', { end: '2026-06-01' }, false],
    ['reads nothing without a birth date', '2026-06-01', '', {}, false],
    ['reads nothing when the relationship has ended', '2026-06-01', '2020-06-01', { status: 'ended' }, false],
  ])('%s', (_sentence, day, birthDate, more, expected) => {
    expect(mayRead(day, birthDate, more)).toBe(expected);
  });
});
