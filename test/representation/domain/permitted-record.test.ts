import { isRecordless } from '../../../src/contract/rules/resources/recordless-types.js';
import {
  type LevelRule,
  levelPermitsType,
  PermittedRecord,
} from '../../../src/representation/application/permitted-record.js';

const base = 'https://fhir.hospital.example/r4';
const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const self = {
  patient: 'leo',
  person: 'RelatedPerson/ana',
  local: (reference: string) => reference.replace(`${base}/`, ''),
};

function rule(kinds: LevelRule['kinds'], more: Partial<LevelRule> = {}): LevelRule {
  return { id: 'x', label: 'X', kinds, without: nothing, change: [], ...more };
}

const without = (more: Partial<LevelRule['without']>) => ({ without: { ...nothing, ...more } });
const record = (levels: LevelRule[], basis = 'voluntary', own = self) => new PermittedRecord({ levels, basis }, own);
const full = rule('full');
const concept = (code: string, system = 'urn:codes') => ({ coding: [{ system, code }] });
const of = (resourceType: string, more: object = {}) => ({
  resourceType,
  id: 'x',
  subject: { reference: 'Patient/leo' },
  ...more,
});
const labelled = (code: string, system = 'urn:labels') => ({ meta: { security: [{ system, code }] } });

/** Rows: the level, a resource, and whether it is shown. */
describe('A level permits', () => {
  const listed = rule([
    ...['Immunization', 'Observation?category=vital-signs,urn:own|diary', 'DiagnosticReport', 'Encounter'],
    ...['Condition.note', 'Procedure', 'Procedure.extension', '?_security=urn:labels|MH', 'contact-details'],
  ]);
  const documents = rule(['DocumentReference', 'Media?category=image', 'QuestionnaireResponse', 'Binary']);
  const exclusions = rule(
    'full',
    without({
      types: ['Flag'],
      categories: ['Observation/social-history', 'AllergyIntolerance/food'],
      securityLabels: ['PSY', 'urn:labels|SEX'],
      codes: [
        { element: 'MedicationRequest/medication', codes: ['urn:codes|pill', 'ring'] },
        { element: 'Appointment/status', codes: ['booked'] },
      ],
    }),
  );
  const pdf = { contentType: 'application/pdf', url: 'Binary/1' };
  const pill = { medicationCodeableConcept: concept('pill') };

  test.each<[string, LevelRule, object, boolean]>([
    ['a kind that is named', listed, of('Immunization'), true],
    ['no kind that is not named', listed, of('Goal'), false],
    ['no type that is unknown', listed, of('Whatever'), false],
    ['nothing without a type', listed, { id: 'x' }, false],
    ['nothing without a type, at full access', full, { id: 'x' }, false],
    [
      'a category that is private in another type',
      exclusions,
      of('Appointment', { category: concept('social-history') }),
      true,
    ],
    ['a category by its code', listed, of('Observation', { category: [concept('vital-signs')] }), true],
    ['one of several categories', listed, of('Observation', { category: concept('diary', 'urn:own') }), true],
    ['no category of another system', listed, of('Observation', { category: concept('diary') }), false],
    ['no resource without the category that is named', listed, of('Observation'), false],
    ['a type by its label', listed, of('Goal', labelled('MH')), true],
    ['no type by the label of another system', listed, of('Goal', labelled('MH', 'urn:other')), false],
    ['no document by a label', listed, of('DocumentReference', labelled('MH')), false],
    [
      'a document that is named, with its content',
      documents,
      of('DocumentReference', { content: [{ attachment: pdf }] }),
      true,
    ],
    [
      'an answer with a file',
      documents,
      of('QuestionnaireResponse', { item: [{ answer: [{ valueAttachment: pdf }] }] }),
      true,
    ],
    ['no document of another category', documents, of('Media', { content: pdf }), false],
    ['content that is named', documents, of('Binary', { contentType: 'text/plain' }), true],
    ['no report with an attachment', listed, of('DiagnosticReport', { presentedForm: [pdf] }), false],
    [
      'no attachment in an extension',
      listed,
      of('Encounter', { extension: [{ url: 'x', valueAttachment: { title: 'x' } }] }),
      false,
    ],
    ['no attachment of another name', listed, of('Encounter', { other: { contentType: 'text/plain' } }), false],
    ['an attachment that is named', listed, of('Procedure', { extension: [{ url: 'x', valueAttachment: pdf }] }), true],
    [
      'narrative, notes and displays',
      listed,
      of('Encounter', { text: { div: '<div>x</div>' }, note: [{ text: 'x' }] }),
      true,
    ],
    ['what is contained and named', listed, of('Encounter', { contained: [of('Procedure')] }), true],
    ['no resource with a contained one of another kind', listed, of('Encounter', { contained: [of('Goal')] }), false],
    [
      'no resource with a contained attachment',
      listed,
      of('Encounter', { contained: [of('DiagnosticReport', { presentedForm: [pdf] })] }),
      false,
    ],
    ['a contained medicine', listed, of('Procedure', { contained: [{ resourceType: 'Medication', id: 'm' }] }), true],
    ['staff, places and medicines', listed, of('Practitioner', { photo: [pdf] }), true],
    ['the patient', listed, { resourceType: 'Patient', id: 'leo', photo: [pdf] }, true],
    ['in full what no exclusion names', exclusions, of('DocumentReference', { content: [{ attachment: pdf }] }), true],
    ['no type that is excluded', exclusions, of('Flag'), false],
    [
      'no category that is excluded',
      exclusions,
      of('Observation', { category: [concept('vital-signs'), concept('social-history')] }),
      false,
    ],
    ['no category that is a code', exclusions, of('AllergyIntolerance', { category: ['food'] }), false],
    ['another category', exclusions, of('Observation', { category: [concept('food')] }), true],
    ['what has no category', exclusions, of('Observation'), true],
    ['no label of any system', exclusions, of('Condition', labelled('PSY')), false],
    ['no label of its system', exclusions, of('Condition', labelled('SEX')), false],
    ['the label of another system', exclusions, of('Condition', labelled('SEX', 'urn:other')), true],
    ['no patient with such a label', exclusions, { resourceType: 'Patient', id: 'leo', ...labelled('PSY') }, false],
    ['no code of a concept', exclusions, of('MedicationRequest', pill), false],
    [
      'no code of a system that is not named',
      exclusions,
      of('MedicationRequest', { medicationCodeableConcept: concept('ring', 'x') }),
      false,
    ],
    [
      'no code of a contained medicine',
      exclusions,
      of('MedicationRequest', {
        medicationReference: { reference: '#m' },
        contained: [{ resourceType: 'Medication', id: 'm', code: concept('pill') }],
      }),
      false,
    ],
    ['no concept of R5', exclusions, of('MedicationRequest', { medication: { concept: concept('pill') } }), false],
    [
      'no code of a contained medicine of R5',
      exclusions,
      of('MedicationRequest', {
        medication: { reference: { reference: '#m' } },
        contained: [{ resourceType: 'Medication', id: 'm', code: concept('pill') }],
      }),
      false,
    ],
    [
      'the code in another element',
      exclusions,
      of('MedicationRequest', { medicationText: concept('pill'), reasonCode: [concept('pill')] }),
      true,
    ],
    ['the code of another type', exclusions, of('MedicationStatement', pill), true],
    ['no code that is a text', exclusions, of('Appointment', { status: 'booked' }), false],
    [
      'no resource that contains what is excluded',
      exclusions,
      of('Encounter', { contained: [of('Condition', labelled('PSY'))] }),
      false,
    ],
    [
      'no entry of a stored Bundle that is excluded',
      exclusions,
      { resourceType: 'Bundle', entry: [{ resource: of('Flag') }] },
      false,
    ],
  ])('%s', (_what, level, resource, expected) => {
    expect(record([level]).permits(resource)).toBe(expected);
  });

  it('what all levels permit, and each exclusion of one of them', () => {
    const vitals = of('Observation', { category: [concept('vital-signs')] });
    expect(record([listed, exclusions]).permits(vitals)).toBe(true);
    expect(record([listed, documents]).permits(vitals)).toBe(false);
    expect(record([listed, exclusions]).permits({ ...vitals, ...labelled('PSY') })).toBe(false);
    expect(record([listed, exclusions]).excludes({ ...vitals, ...labelled('PSY') })).toBe(true);
    expect(record([listed]).excludes(of('Goal'))).toBe(false);
  });

  test.each<[string, boolean, boolean]>([
    ['Immunization', true, true],
    ['Goal', true, true],
    ['DocumentReference', false, true],
    ['Flag', true, false],
    ['Practitioner', true, true],
    ['Patient', true, true],
    ['RelatedPerson', true, true],
    ['Person', false, false],
    ['AuditEvent', false, false],
  ])('types by what a request names: %s', (type, ofListed, ofFull) => {
    expect([record([listed]).permitsType(type), record([exclusions]).permitsType(type)]).toEqual([ofListed, ofFull]);
  });

  test.each<[string, string, boolean]>([
    ['Observation', 'vital-signs', true],
    ['Observation', 'urn:any|vital-signs', true],
    ['Observation', 'urn:own|diary', true],
    ['Observation', 'urn:other|diary', false],
    ['Observation', 'social-history', false],
    ['Immunization', 'anything', true],
    ['Practitioner', 'anything', true],
    ['Patient', 'anything', true],
  ])('categories by what a request names: %s %s', (type, category, expected) => {
    const labels = { ...listed, kinds: (listed.kinds as string[]).filter((kind) => !kind.startsWith('?')) };
    expect(record([labels, exclusions]).permitsCategory(type, category)).toBe(expected);
  });
});

describe('A level permits to change', () => {
  const some = rule(['Observation', 'Condition', 'Goal'], { change: ['Observation?category=diary', 'Goal'] });
  const all = rule('full', { change: 'full', ...without({ types: ['Flag'] }) });

  test.each<[string, LevelRule, object, boolean]>([
    ['nothing where it says nothing', full, of('Observation'), false],
    ['the kinds that it names', some, of('Goal'), true],
    ['their categories', some, of('Observation', { category: [concept('diary')] }), true],
    ['no other kind', some, of('Observation'), false],
    ['no other type', some, of('Condition'), false],
    ['nothing that it does not show', some, of('Goal', { contained: [of('Flag')] }), false],
    ['everything', all, of('Condition'), true],
    ['nothing that is excluded', all, of('Flag'), false],
  ])('%s', (_what, level, resource, expected) => {
    expect(record([level]).permitsChange(resource)).toBe(expected);
  });

  it('types by what a request names', () => {
    const types = ['Observation', 'Condition', 'Flag', 'Consent', 'AuditEvent'];
    expect(types.map((type) => record([some]).permitsChangeOf(type))).toEqual([true, false, false, false, false]);
    expect(types.map((type) => record([all]).permitsChangeOf(type))).toEqual([true, true, false, true, false]);
    expect(types.map((type) => levelPermitsType([some, all], type, 'see'))).toEqual([true, true, false, false, false]);
    expect(types.map((type) => levelPermitsType([some, all], type, 'change'))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('A Patient is shown', () => {
  const patient = {
    resourceType: 'Patient',
    id: 'leo',
    meta: { versionId: '3', source: 'urn:court', tag: [{ code: 'adopted' }], extension: [{ url: 'urn:x' }] },
    text: { div: '<div>Hidden Street</div>' },
    identifier: [
      { type: { coding: [{ code: 'MR' }] }, value: '7' },
      { type: { coding: [{ code: 'SS' }] }, value: 'secret' },
    ],
    name: [{ family: 'Duarte' }],
    gender: 'male',
    birthDate: '2015-03-01',
    address: [{ city: 'Refuge' }],
    telecom: [{ value: '1' }],
    contact: [{ organization: { reference: '#o' } }],
    photo: [{ data: 'eA==' }],
    link: [{ other: { reference: 'Patient/old' }, type: 'replaces' }],
    generalPractitioner: [{ reference: 'Practitioner/d' }],
    contained: [
      { resourceType: 'Organization', id: 'o' },
      { resourceType: 'Organization', id: 'p' },
    ],
  };
  const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
  const marked = { ...patient.meta, tag: [{ code: 'adopted' }, subsetted] };
  const { identifier, name, gender, birthDate, address, telecom, contact, photo, link } = patient;
  const part = {
    resourceType: 'Patient',
    id: 'leo',
    meta: { versionId: '3', tag: [subsetted] },
    identifier: identifier.slice(0, 1),
    name,
    gender,
    birthDate,
  };
  const limited = rule(['Immunization']);
  const detailed = rule(['Immunization', 'contact-details']);

  test.each<[string, LevelRule[], string, object]>([
    ['as it is in full', [full], 'voluntary', patient],
    ['by what identifies it at a limited level', [limited], 'voluntary', part],
    [
      'with contact details where these are named',
      [detailed],
      'voluntary',
      { ...part, address, telecom, contact, photo, link },
    ],
    ['without them if one level does not name them', [full, detailed, limited], 'voluntary', part],
    ['without contacts to parents', [detailed], 'parental-responsibility', { ...part, address, telecom, photo, link }],
  ])('%s', (_what, levels, basis, expected) => {
    expect(record(levels, basis).shown(patient)).toEqual(expected);
    expect(record(levels, basis).isPatientInPart).toBe(levels.length > 1 || levels[0] !== full);
    const { meta: _meta, ...elements } = patient;
    const told = Object.keys(elements).filter((name) => record(levels, basis).showsOfPatient(name));
    expect(told.sort()).toEqual(
      Object.keys(expected)
        .filter((name) => name !== 'meta')
        .sort(),
    );
    expect(record(levels, basis).showsOfPatient('meta.tag')).toBe(expected === patient);
  });

  it('to parents in full without contacts, and without the narrative and the contained resources that tell of them', () => {
    const { contact: _contact, text: _text, ...rest } = patient;
    const contained = [{ resourceType: 'Organization', id: 'p' }];
    expect(record([full], 'parental-responsibility').shown(patient)).toEqual({ ...rest, meta: marked, contained });
    const { contained: _contained, ...plain } = rest;
    expect(record([full], 'parental-responsibility').shown(plain)).toBe(plain);
    const one = { ...plain, contact, contained: contained.map((own) => ({ ...own, id: 'o' })) };
    expect(record([full], 'parental-responsibility').shown(one)).toEqual({ ...plain, meta: marked });
  });

  it('with the identifiers that a server gives no types, or without any', () => {
    const plain = { ...patient, identifier: [{ value: '7' }] };
    expect(record([limited]).shown(plain)).toMatchObject({ identifier: [{ value: '7' }] });
    expect(record([limited]).shown({ ...patient, identifier: identifier.slice(1) })).not.toHaveProperty('identifier');
    expect(record([limited]).shown({ ...patient, meta: undefined })).toMatchObject({
      meta: { tag: [subsetted] },
    });
  });

  it('and a Person without links to other patients and their representatives', () => {
    const link = (reference: string) => ({ target: { reference } });
    const person = { resourceType: 'Person', id: 'ana', name: [{ text: 'Ana' }], text: { div: '<div>Mia</div>' } };
    const own = { ...person, link: [link(`${base}/Patient/leo`)] };
    expect(record([full]).shown(own)).toBe(own);
    expect(record([full]).shown(person)).toBe(person);
    const { text: _text, ...left } = own;
    const both = { ...own, link: [...own.link, link('Patient/mia'), link('RelatedPerson/of-mia')] };
    expect(record([full]).shown(both)).toEqual({ ...left, meta: { tag: [subsetted] } });
    const { link: _link, ...none } = left;
    expect(record([full]).shown({ ...own, link: [link('Patient/mia')] })).toEqual({
      ...none,
      meta: { tag: [subsetted] },
    });
  });

  it('and any other resource as it is', () => {
    const other = of('Immunization');
    expect(record([limited]).shown(other)).toBe(other);
  });
});

it('Types that are in no record are outside of levels', () => {
  for (const type of ['Medication', 'Location', 'Questionnaire']) {
    expect([type, isRecordless(type), levelPermitsType([rule([])], type, 'see')]).toEqual([type, true, true]);
  }
});
