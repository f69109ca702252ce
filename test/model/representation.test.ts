import { decide } from './decision/decide.js';
import type { Asked, Resource, Token } from './decision/world.js';
import { representation } from './generated/relationship.js';
import { capabilities } from './generated/resources.js';
import { DataServer } from './run/data.js';

const system = 'http://terminology.hl7.org/CodeSystem/observation-category';
const observation: Resource = {
  resourceType: 'Observation',
  id: 'o',
  category: [{ coding: [{ system, code: 'laboratory' }] }],
  subject: { reference: 'Patient/p1' },
};
const data = { ignores: false, versions: { 'Observation/o': [observation] } };
const asked: Asked = { interaction: 'read', type: 'Observation', id: 'o', query: [] };

it('A link to a document means its current version, of which a deleted one has none', () => {
  const versions = {
    'Binary/b': [{ resourceType: 'Binary', id: 'b', meta: { versionId: '1' } }],
    'DocumentReference/d': [
      { ...observation, resourceType: 'DocumentReference', id: 'd', content: [{ attachment: { url: 'Binary/b' } }] },
    ],
  };
  const token = { scopes: ['patient/*.rs'], patient: 'p1' };
  const read = { interaction: 'vread', type: 'Binary', id: 'b', version: '1', query: [] };
  const of = (deleted: string[]) => {
    const server = new DataServer({ versions, deleted, ignores: false }, capabilities);
    return decide(read, { token, server, stepUp: [], operationsWithoutScope: [], representation });
  };
  expect([of([]), of(['Binary/b'])]).toEqual([
    { shown: [expect.objectContaining({ id: 'b' })] },
    { status: 404, rule: 'hidden' },
  ]);
});

it('A Person keeps the links to the patient, whichever base their references have', () => {
  const targets = ['Patient/p1', 'http://server.test/r4/Patient/p1', 'Patient/p2'];
  const relationship = { basis: 'power-of-attorney', level: 'full', status: 'active', agreed: [] };
  const used = { relationship, at: '2026-06-15T12:00Z', zone: 'UTC', facts: { birthDate: '1944-05-05' } };
  const token: Token = { scopes: ['patient/*.rs'], patient: 'p1', user: 'Person/r', relationship: used };
  const shown = targets.map((reference) => {
    const person = {
      resourceType: 'Person',
      id: 'r',
      link: [{ target: { reference: 'Patient/p1' } }, { target: { reference } }],
    };
    const server = new DataServer({ versions: { 'Person/r': [person] }, ignores: false }, capabilities);
    const read = { interaction: 'read', type: 'Person', id: 'r', query: [] };
    const verdict = decide(read, { token, server, stepUp: [], operationsWithoutScope: [], representation });
    return typeof verdict === 'object' && 'shown' in verdict ? verdict.shown[0]?.link : verdict;
  });
  expect(shown.map((link) => (Array.isArray(link) ? link.length : link))).toEqual([
    2,
    2,
    { status: 404, rule: 'hidden' },
  ]);
});

/** Sentences of the guide, each with what it means for one request. */
describe('A representative', () => {
  const relationship = { basis: 'parental-responsibility', level: 'full', status: 'active', agreed: [] };
  const mayRead = (day: string, birthDate: string, more: object = {}) => {
    const used = { relationship: { ...relationship, ...more }, at: `${day}T12:00Z`, zone: 'UTC', facts: { birthDate } };
    const token: Token = { scopes: ['patient/*.rs'], patient: 'p1', relationship: used };
    const situation = { token, server: new DataServer(data, capabilities), stepUp: [], representation };
    const verdict = decide(asked, { ...situation, operationsWithoutScope: [] });
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
