import { assertUnprotected } from '../../../src/gateway/domain/acting/protected-elements.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { resultOrRefusal } from '../../support/fhir/refusals.js';

const protection = {
  categories: ['Observation/social-history'],
  codes: [
    { element: 'MedicationRequest/medication', codes: ['urn:x|pill', 'urn:x|ring'] },
    { element: 'Encounter/reasonCode', codes: ['therapy'] },
  ],
};
const medicine = (...codes: string[]) => ({
  resourceType: 'MedicationRequest',
  medicationCodeableConcept: { coding: codes.map((code) => ({ system: 'urn:x', code })) },
});
const patient = {
  resourceType: 'Patient',
  id: 'leo',
  active: true,
  birthDate: '2015-03-01',
  link: [{ other: { reference: 'Patient/old' }, type: 'replaces' }],
};
const label = (code: string, system?: string) => ({ code, ...(system && { system }) });
const labelled = (...security: object[]) => ({ resourceType: 'Observation', meta: { security } });
const categories = (...codes: string[]) => ({
  resourceType: 'Observation',
  category: codes.map((code) => ({ coding: [{ system: 'urn:x', code }] })),
});

const refused = (stored: object, written: object, own = protection) => {
  const found = resultOrRefusal(() => assertUnprotected(stored, written, own));
  return found instanceof Refusal ? /'(.+)'/.exec(found.message)?.[1] : undefined;
};

test.each<[string, object, object, string | undefined]>([
  ['birthDate', patient, { ...patient, birthDate: '2005-03-01' }, 'birthDate'],
  ['birthDate that goes', patient, { ...patient, birthDate: undefined }, 'birthDate'],
  ['an extension of it', patient, { ...patient, _birthDate: { extension: [] } }, 'birthDate'],
  ['active', patient, { ...patient, active: false }, 'active'],
  ['deceasedBoolean', patient, { ...patient, deceasedBoolean: true }, 'deceasedBoolean'],
  ['deceasedDateTime', patient, { ...patient, deceasedDateTime: '2026' }, 'deceasedDateTime'],
  ['a link', patient, { ...patient, link: [{ other: { reference: 'Patient/x' }, type: 'replaces' }] }, 'link'],
  ['a link that goes', patient, { ...patient, link: [] }, 'link'],
  ['a link that is none', patient, { ...patient, link: { ...patient.link } }, 'link'],
  ['another element', patient, { ...patient, gender: 'male' }, undefined],
  ['the order of members', patient, { ...patient, link: [{ type: 'replaces', ...patient.link[0] }] }, undefined],
  ['birthDate of another type', { resourceType: 'Practitioner' }, { birthDate: '2000' }, undefined],
  ['a label that goes', labelled(label('MH')), labelled(), 'meta.security'],
  ['one of two labels', labelled(label('MH'), label('R')), labelled(label('R')), 'meta.security'],
  ['a label of another system', labelled(label('MH', 'urn:a')), labelled(label('MH', 'urn:b')), 'meta.security'],
  ['a label more', labelled(label('MH', 'urn:a')), labelled(label('R'), label('MH', 'urn:a')), undefined],
  ['no labels', labelled(), { resourceType: 'Observation' }, undefined],
  ['a label without a code', labelled({ display: 'x' }), labelled(), undefined],
  ['a code that a level excludes', medicine('pill', 'a'), medicine('a'), 'medication'],
  ['one of two such codes', medicine('pill', 'ring'), medicine('ring'), 'medication'],
  ['another code', medicine('pill', 'a'), medicine('pill', 'b'), undefined],
  ['a code of another type', { ...medicine('pill'), resourceType: 'MedicationStatement' }, {}, undefined],
  [
    'the reason of a visit',
    { resourceType: 'Encounter', reasonCode: [{ coding: [{ code: 'therapy' }] }] },
    { resourceType: 'Encounter' },
    'reasonCode',
  ],
  ['a category that a level excludes', categories('social-history', 'a'), categories('a'), 'category'],
  ['another category', categories('social-history', 'a'), categories('social-history'), undefined],
  ['a category of another type', { ...categories('social-history'), resourceType: 'Goal' }, {}, undefined],
])('A change of %s', (_what, stored, written, expected) => {
  expect(refused(stored, written)).toBe(expected);
  expect(resultOrRefusal(() => assertUnprotected(stored, written, undefined))).toBeUndefined();
});

it('Without categories that a level excludes each of them may go', () => {
  expect(refused(categories('social-history'), categories(), { ...protection, categories: [] })).toBeUndefined();
});
