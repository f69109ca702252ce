import type { Relationship } from '../../../../src/representation/domain/relationship.js';
import { sharedTypes, typesAt, typesOutAt } from './rules.js';

/** A relationship with Kim on a day, with what the record says of her. */
export interface State {
  says: string;
  relationship: Partial<Relationship>;
  patient?: object;
  at?: string;
  /** The levels that all count; none: refused. */
  levels: string[];
}
const born = (birthDate: string) => ({ birthDate });
export const noon = '2026-03-01T11:00:00Z';
const any = (level: string) => ({ basis: 'any', level });
const parent = { basis: 'parental-responsibility', level: 'full' };
const court = { basis: 'court-appointed', level: 'full' };
const agreed = { ...parent, agreedSteps: [16] };
const chosen = (level: string) => ({ basis: 'voluntary', level });
const state = (
  says: string,
  relationship: Partial<Relationship>,
  patient: object,
  levels: string,
  at = noon,
): State => ({
  ...{ says, relationship, patient, at },
  levels: levels === '' ? [] : levels.split(' '),
});
const adult = born('1980-05-05');
export const states: readonly State[] = [
  ...['full', 'daily', 'basics', 'teen', 'care', 'labels', 'letters'].map((level) =>
    state(level, any(level), adult, level),
  ),
  state('on a basis that keeps a label private', { basis: 'secret', level: 'full' }, adult, 'private'),
  state('on such a basis at a limited level', { basis: 'secret', level: 'care' }, adult, 'private care'),
  state(
    'with chosen kinds',
    { basis: 'voluntary', level: 'full Condition Observation?category=laboratory' },
    adult,
    'kinds',
  ),
  state(
    'with a chosen kind and a chosen label',
    { basis: 'voluntary', level: 'full ?_security=MH Condition' },
    adult,
    'kinds-and-label',
  ),
  state('a child of 11', parent, born('2015-02-01'), 'full'),
  state('a child of 14', parent, born('2012-02-01'), 'full basics'),
  state('a limited level at 11', { ...parent, level: 'daily' }, born('2015-02-01'), 'daily full'),
  state('a limited level at 14', { ...parent, level: 'daily' }, born('2012-02-01'), 'daily basics'),
  state('another limited level at 14', { ...parent, level: 'care' }, born('2012-02-01'), 'care basics'),
  state('the day of 13', parent, born('2013-03-01'), 'basics'),
  state('the day before 13', parent, born('2013-03-02'), 'full'),
  state(
    'the evening before 13 by the time of the server, in a zone that has the next day',
    parent,
    born('2013-03-02'),
    'basics',
    '2026-03-01T23:30:00Z',
  ),
  state('the evening before 13', parent, born('2013-03-01'), 'full', '2026-02-28T22:30:00Z'),
  state('17 and agreed', agreed, born('2008-06-01'), 'basics'),
  state('17 and not agreed', parent, born('2008-06-01'), ''),
  state('17 and agreed to another step', { ...parent, agreedSteps: [13] }, born('2008-06-01'), ''),
  state('the day of 18', agreed, born('2008-03-01'), ''),
  state('the day before 18', agreed, born('2008-03-02'), 'basics'),
  state('18 in some part of the year', agreed, born('2008'), ''),
  state('18 in some part of the month', agreed, born('2008-03'), ''),
  state('18 next month', agreed, born('2008-04'), 'basics'),
  state('13 in some part of the year', parent, born('2013'), 'full basics'),
  state('13 next month', parent, born('2013-04'), 'full'),
  state('13 in some part of the month', parent, born('2013-03'), 'full basics'),
  state('born on 29 February, on 28 February', parent, born('2012-02-29'), 'basics', '2025-02-28T11:00:00Z'),
  state('born on 29 February, on 27 February', parent, born('2012-02-29'), 'full', '2025-02-27T11:00:00Z'),
  state(
    'born on 29 February, on 28 February, what an age gives',
    { ...court, level: 'daily' },
    born('2008-02-29'),
    'basics daily',
    '2026-02-28T11:00:00Z',
  ),
  state(
    'born on 29 February, on 1 March, what an age gives',
    { ...court, level: 'daily' },
    born('2008-02-29'),
    'daily',
    '2026-03-01T11:00:00Z',
  ),
  state(
    '18 in some part of the month, what an age gives',
    { ...court, level: 'daily' },
    born('2008-03'),
    'basics daily',
  ),
  state('appointed by a court at 18', court, born('2008-02'), 'full', '2026-03-01T11:00:00Z'),
  state('appointed by a court at 14', court, born('2012-02-01'), 'basics'),
  state('without a birth date', parent, {}, ''),
  state('without a birth date, as decided', { ...parent, withoutBirthDate: true, level: 'daily' }, {}, 'daily'),
  state('with a birth date since the decision', { ...parent, withoutBirthDate: true }, born('2012-02-01'), 'basics'),
  state('born in the future', { ...parent, withoutBirthDate: true }, born('2027-01-01'), ''),
  state('born on a text', { ...parent, withoutBirthDate: true }, born('soon'), ''),
  state('born on an empty text', { ...parent, withoutBirthDate: true }, born(''), ''),
  state('born on 31 February', { ...parent, withoutBirthDate: true }, born('2015-02-31'), ''),
  state('chosen by the patient at 15', chosen('full'), born('2010-06-01'), ''),
  state('chosen by the patient, the day of 16', chosen('full'), born('2010-03-01'), 'full'),
  state('chosen by the patient, the day before 16', chosen('full'), born('2010-03-02'), ''),
  state('chosen by the patient, 16 in some part of the year', chosen('full'), born('2010'), ''),
  state('chosen by the patient, 16 last year', chosen('daily'), born('2009'), 'daily'),
  state('a power of attorney at 17', { basis: 'power-of-attorney', level: 'full' }, born('2008-06-01'), ''),
  state('a power of attorney at 81', { basis: 'power-of-attorney', level: 'teen' }, born('1945-01-01'), 'teen'),
  state('a carer of full level', { basis: 'carer', level: 'full' }, adult, 'daily'),
  state('a carer of the basics', { basis: 'carer', level: 'basics' }, adult, 'basics daily'),
  state('a carer of a limited level', { basis: 'carer', level: 'care' }, adult, 'care daily'),
  state('a carer at 17', { basis: 'carer', level: 'basics' }, born('2008-06-01'), ''),
  state(
    'the day of an age before one that is not possible',
    { basis: 'foster', level: 'full' },
    born('2010-06-01'),
    'full',
  ),
  state('an age that is not possible', { basis: 'foster', level: 'full' }, born('2010-03-01'), ''),
  state(
    'approved above the age step',
    { ...parent, aboveTable: { step: 13, level: 'daily', until: null } as never },
    born('2012-02-01'),
    'full daily',
  ),
  state(
    'approved above the age step until today',
    { ...parent, aboveTable: { step: 13, level: 'full', until: '2026-03-01' } as never },
    born('2012-02-01'),
    'full',
  ),
  state(
    'approved above the age step until yesterday',
    { ...parent, aboveTable: { step: 13, level: 'full', until: '2026-02-28' } as never },
    born('2012-02-01'),
    'basics',
  ),
  state(
    'approved above the step before',
    { ...agreed, aboveTable: { step: 13, level: 'full', until: null } as never },
    born('2009-02-01'),
    'basics',
  ),
  state(
    'approved above a step that is not agreed to',
    { ...parent, aboveTable: { step: 16, level: 'full', until: null } as never },
    born('2009-02-01'),
    '',
  ),
  state(
    'approved above a step that ends',
    { ...agreed, aboveTable: { step: 18, level: 'full', until: null } as never },
    born('2008-02-01'),
    '',
  ),
  state('proposed', { ...any('full'), status: 'proposed' }, adult, ''),
  state('ended', { ...any('full'), status: 'ended' }, adult, ''),
  state('suspended', { ...any('full'), status: 'suspended', reason: 'patient-gone' as never }, adult, ''),
  state('on the last day', { ...any('full'), end: '2026-03-01' }, adult, 'full'),
  state('on the day after the last', { ...any('full'), end: '2026-02-28' }, adult, ''),
  state('on the first day', { ...any('full'), start: '2026-03-01' }, adult, 'full'),
  state('before the first day', { ...any('full'), start: '2026-03-02' }, adult, ''),
  state(
    'in the last minute of the last day',
    { ...any('basics'), end: '2026-03-01' },
    adult,
    'basics',
    '2026-03-01T22:59:00Z',
  ),
  state('a minute later', { ...any('basics'), end: '2026-03-01' }, adult, '', '2026-03-01T23:00:00Z'),
  state('has died', any('full'), { ...adult, deceasedBoolean: true }, ''),
  state('has died on a day', any('full'), { ...adult, deceasedDateTime: '2026-01-01' }, ''),
  state('has not died', any('basics'), { ...adult, deceasedBoolean: false }, 'basics'),
  state(
    'has died, where the basis continues',
    { basis: 'foster', level: 'full' },
    { birthDate: '2015-02-01', deceasedBoolean: true },
    'full',
  ),
  state('inactive', any('full'), { ...adult, active: false }, ''),
  state(
    'replaced by another record',
    any('full'),
    { ...adult, link: [{ type: 'replaced-by', other: { reference: 'Patient/lou' } }] },
    '',
  ),
  state(
    'replaces another record',
    any('basics'),
    { ...adult, link: [{ type: 'replaces', other: { reference: 'Patient/old' } }] },
    'basics',
  ),
  state(
    'seen as another record',
    any('basics'),
    { ...adult, link: [{ type: 'seealso', other: { reference: 'Patient/old' } }] },
    'basics',
  ),
  state('a level that is not configured', any('nothing'), adult, ''),
  state('a basis that is not configured', { basis: 'nothing', level: 'full' }, adult, ''),
];

/** True if a resource that these levels open is open in the state. */
export const opens = (levels: string, state: State) =>
  state.levels.length > 0 && (levels === 'all' || state.levels.every((one) => levels.split(' ').includes(one)));
/** True if some resource of the type may be open in the state. */
export const typeIsOpen = (type: string, { levels }: State) => {
  if (sharedTypes.includes(type) || type === 'Patient' || type === 'RelatedPerson') return true;
  if (type === 'AuditEvent' || type === 'Person') return false;
  return levels.every((level) => {
    const types = typesAt[level];
    if (typesOutAt[level]?.includes(type)) return false;
    return types === 'all' || types?.includes(type) === true;
  });
};
