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
