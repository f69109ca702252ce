import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import type { Named } from '../../../src/gateway/domain/patient-compartment.js';
import type { Permission } from '../../../src/gateway/domain/permission.js';
import type { Refusal } from '../../../src/gateway/domain/refusal.js';
import { namedElementsOf } from '../../../src/gateway/domain/separation/named-elements.js';
import {
  areWithinRecord,
  namedByConditions,
  provableParameters,
} from '../../../src/gateway/domain/separation/provable-conditions.js';
import {
  mayAskAbout,
  neededFor,
  neededToAsk,
  permittedAsNamed,
  shownOf,
} from '../../../src/gateway/domain/separation/separation.js';
import { foreignReferences, kindsAboutOthers, records, sharedKinds } from '../../support/fhir/mixed-kinds.js';

const server = new ServerNames('http://fhir.internal/r4');
const permissions = [{ patient: 'p1', categories: [] }];
const named = new Map(records.map((one) => [`${one.resourceType}/${one.id}`, one as unknown]));
const surroundings = { server, named, permissionsOn: () => [] };
const own = { reference: 'Condition/of-p1' };

describe.each(kindsAboutOthers)('%s a resource', (_kind, make) => {
  test('is shown if that is of the same record, and has to know it', () => {
    expect(shownOf(make(own), permissions, surroundings)).toBe('whole');
    expect(neededFor(make(own), permissions, server)).toContain('Condition/of-p1');
    expect(shownOf(make({ reference: 'Practitioner/d1' }), permissions, surroundings)).toBe('whole');
  });

  test.each(foreignReferences)('is withheld if that is %s', (_what, reference) => {
    expect(shownOf(make(reference), permissions, surroundings)).toBe('nothing');
  });

  test('is decided about by what was judged before, without the resource', () => {
    const judged = (patients: string[]) =>
      shownOf(make(own), permissions, {
        ...surroundings,
        named: new Map(),
        judged: new Map([['Condition/of-p1', patients]]),
      });
    expect([judged(['p2', 'p1']), judged(['p2']), judged([])]).toEqual(['whole', 'nothing', 'nothing']);
  });
});

describe.each(sharedKinds)('%s that patients share', (_kind, make, shown) => {
  test.each(foreignReferences)('is shown without %s', (_what, reference) => {
    const resource = make(reference);
    const decided = shownOf(resource, permissions, surroundings);
    if (typeof decided === 'string') throw new Error(`it is shown as ${decided}`);
    const { meta: _meta, id: _id, resourceType: _type, ...part } = decided.partOf(resource) as Record<string, unknown>;
    expect(part).toEqual(shown);
  });
});

test('a resource is judged for each patient to whom it may be named', () => {
  const judge = (name: string, categories: string[] = []) =>
    permittedAsNamed(named.get(name), ['p1', 'p2'], {
      server,
      permissionsOn: () => (categories.length > 0 ? [{ patient: 'p2', categories }] : []),
    });
  expect(judge('Condition/of-p2')).toEqual(['p2']);
  expect(judge('Condition/of-p2', ['laboratory'])).toEqual([]);
  expect(judge('Condition/of-p1', ['laboratory'])).toEqual(['p1']);
  expect(judge('Device/ward')).toEqual(['p1', 'p2']);
  expect(judge('Device/of-p1')).toEqual(['p1']);
  expect(judge('Condition/of-location')).toEqual([]);
  const group = {
    resourceType: 'Group',
    member: [{ entity: { reference: 'Patient/p1' } }, { entity: { reference: 'Patient/p2' } }],
  };
  expect(permittedAsNamed(group, ['p1', 'p2', 'p3'], { server, permissionsOn: () => [] })).toEqual(['p1', 'p2']);
});

test('of a resource in which several take part all that it names has to be known, if one permission may include it', () => {
  const appointment = {
    resourceType: 'Appointment',
    category: [{ coding: [{ code: 'x' }] }],
    participant: [{ actor: { reference: 'Patient/p1' } }],
    reasonReference: [own, own, { reference: 'Practitioner/d1' }],
  };
  const needed = (...all: Permission[]) => neededFor(appointment, all, server);
  const of = (patient: string, ...categories: string[]) => ({ patient, categories });
  expect(needed(of('p1'))).toEqual(['Condition/of-p1']);
  expect(needed(of('p2'), of('p1', 'x'))).toEqual(['Condition/of-p1']);
  expect([needed(), needed(of('p2')), needed(of('p1', 'y')), needed({ categories: [] })]).toEqual([[], [], [], []]);
});

describe('what a condition names', () => {
  const to = (reference: string): Named => ({ type: reference.split('/')[0] ?? '', reference });
  const asked = [to('Condition/of-p1'), to('Practitioner/d1'), to('Patient/p2'), { type: 'Condition' }];

  test('has to be known where it is of a record, but for care teams', () => {
    expect(neededToAsk('List', asked)).toEqual(['Condition/of-p1']);
    expect(neededToAsk('Appointment', asked)).toEqual(['Condition/of-p1']);
    expect(neededToAsk('CareTeam', asked)).toEqual([]);
  });

  test.each<[string, Named, boolean, boolean]>([
    ['a resource of the record', to('Condition/of-p1'), true, true],
    ['a resource of another record', to('Condition/of-p2'), false, true],
    ['one that is not known', to('Condition/gone'), false, true],
    ['the patient', to('Patient/p1'), true, true],
    ['another patient', to('Patient/p2'), false, false],
    ['a practitioner', to('Practitioner/any'), true, true],
    ['an identifier of a practitioner', { type: 'Practitioner' }, true, true],
    ['an identifier of a condition', { type: 'Condition' }, false, true],
    ['an identifier of a patient', { type: 'Patient' }, false, false],
  ])('may be %s: %j', (_what, named, inList, inCareTeam) => {
    expect(mayAskAbout('List', named, 'p1', surroundings)).toBe(inList);
    expect(mayAskAbout('CareTeam', named, 'p1', surroundings)).toBe(inCareTeam);
  });
});

const to = (reference: string) => ({ reference });
const of = (patient: string, ...categories: string[]) => ({ patient, categories });
const shown = (resource: object, ...all: Permission[]) =>
  shownOf(resource, all.length > 0 ? all : permissions, surroundings);

test('a resource that names no others is shown by its patient and its categories', () => {
  const coded = (...codes: string[]) => ({
    resourceType: 'Condition',
    subject: to('Patient/p1'),
    category: [{ coding: codes.map((code) => ({ code })) }],
  });
  expect([shown(coded()), shown({ ...coded(), subject: to('Patient/p2') })]).toEqual(['whole', 'nothing']);
  expect([shown(coded('a'), of('p1', 'a')), shown(coded('a'), of('p1', 'b'))]).toEqual(['whole', 'nothing']);
  expect([shown(coded('a', 'b'), of('p1', 'a', 'b')), shown(coded('a'), of('p1', 'a', 'b'))]).toEqual([
    'whole',
    'nothing',
  ]);
  expect(neededFor({ ...coded(), encounter: to('Encounter/1') }, permissions, server)).toEqual([]);
});

test('only a Provenance belongs to a patient by its targets, and not beside another patient', () => {
  expect(shown({ resourceType: 'Provenance', target: [own] })).toBe('whole');
  expect(shown({ resourceType: 'List', target: [own], entry: [{ item: own }] })).toBe('nothing');
  const mixed = { resourceType: 'Provenance', target: [own, to('Patient/p2')] };
  expect([shown(mixed), neededFor(mixed, permissions, server)]).toEqual(['nothing', []]);
});

test('a text with a reference is no text', () => {
  const list = (item: object) => ({ resourceType: 'List', subject: to('Patient/p1'), entry: [{ item }] });
  expect(shown(list({ display: 'x' }))).toBe('whole');
  for (const more of [to('#x'), { type: 'Condition' }, { identifier: { value: '1' } }]) {
    expect(shown(list({ display: 'x', ...more }))).toBe('nothing');
  }
});

test('a resource of two patients, or not of all categories, is not permitted where it is named', () => {
  const account = { resourceType: 'Account', subject: [to('Patient/p1'), to('Patient/p2')] };
  expect(permittedAsNamed(account, ['p1', 'p2'], surroundings)).toEqual([]);
  const coded = { resourceType: 'Condition', subject: to('Patient/p1'), category: [{ coding: [{ code: 'a' }] }] };
  const judge = (...categories: string[]) =>
    permittedAsNamed(coded, ['p1'], { server, permissionsOn: () => [of('p1', ...categories)] });
  expect([judge('a'), judge('a', 'b'), judge('b')]).toEqual([['p1'], [], []]);
});

test('what is left of a shared resource has no empty elements, and all that names no others', () => {
  const part = (more: object) => {
    const resource = { resourceType: 'Appointment', participant: [{ actor: to('Patient/p1') }], ...more };
    const decided = shownOf(resource, permissions, surroundings);
    if (typeof decided === 'string') return decided;
    const {
      meta: _meta,
      resourceType: _type,
      participant: _participant,
      ...left
    } = decided.partOf(resource) as Record<string, unknown>;
    return left;
  };
  const other = to('Patient/p2');
  expect(part({ nested: { list: [other], a: [own] } })).toEqual({ nested: { a: [own] } });
  expect(part({ nested: { a: other, b: { c: 1 } } })).toEqual({ nested: { b: { c: 1 } } });
  expect([part({ nested: { list: [other] } }), part({ nested: { a: other } })]).toEqual([{}, {}]);
  expect(part({ a_note: 'x', list: [other, own] })).toEqual({ a_note: 'x', list: [own] });
  const team = { resourceType: 'CareTeam', subject: to('Patient/p1'), note: [{ authorReference: other }] };
  expect(shown(team)).toBe('whole');
});

test.each([undefined, null, 1, '', 'Condition', 'constructor', '__proto__'])(
  'no element of %j names others',
  (type) => {
    expect(namedElementsOf(type)).toBeUndefined();
  },
);

/** By type: the parameters that ask for others, with the types that an id alone may mean. */
const asking: Record<string, Record<string, string[]>> = {
  Account: { patient: ['Patient'], subject: ['Patient'] },
  AppointmentResponse: { appointment: [] },
  AuditEvent: {
    agent: ['Patient', 'Practitioner', 'PractitionerRole', 'Organization'],
    patient: ['Patient'],
    source: ['Patient', 'Practitioner', 'PractitionerRole', 'Organization'],
    entity: [],
  },
  Composition: { entry: [], 'related-ref': [] },
  Consent: { data: [] },
  DetectedIssue: { implicated: [] },
  DocumentManifest: { item: [], 'related-ref': [] },
  List: { item: [] },
  MeasureReport: { 'evaluated-resource': [] },
  Observation: { focus: [] },
  Person: { patient: ['Patient'], practitioner: ['Practitioner'], link: [], relatedperson: [] },
  Provenance: { patient: ['Patient'], target: [], entity: [] },
  Task: { focus: [] },
  Appointment: {
    actor: ['Patient', 'Practitioner', 'PractitionerRole', 'HealthcareService', 'Location'],
    patient: ['Patient'],
    ...{ 'based-on': [], group: [], 'reason-reference': [], subject: [], 'supporting-info': [] },
  },
  CareTeam: {
    participant: ['Patient', 'Practitioner', 'PractitionerRole', 'CareTeam', 'Organization', 'RelatedPerson'],
  },
  Group: { member: ['Patient'], 'managing-entity': ['Practitioner', 'PractitionerRole', 'Organization'] },
  Schedule: { actor: ['Patient'] },
};
const conditions = Object.entries(asking).flatMap(([type, parameters]) =>
  Object.entries(parameters).map(([name, types]) => [type, name, types] as const),
);

describe('a search', () => {
  test.each(conditions)('for %s asks for others by %s', (type, name, types) => {
    const namedBy = (parameter: string, value: string) => namedByConditions(type, [[parameter, value]], server);
    expect(namedBy(name, 'p2')).toEqual(types.map((one) => ({ type: one, reference: `${one}/p2` })));
    expect(namedBy(`${name}:Device`, 'p2')).toEqual([{ type: 'Device', reference: 'Device/p2' }]);
    const both = 'Patient/p1,http://fhir.internal/r4/Patient/p2';
    expect(namedBy(name, both).map(({ reference }) => reference)).toEqual(['Patient/p1', 'Patient/p2']);
    const isOwn = ({ reference }: Named) => reference === 'Patient/p1';
    expect(provableParameters(type, [[name, both]], isOwn, server)).toEqual([[name, 'Patient/p1']]);
    expect(provableParameters(type, [[name, 'Patient/p2']], isOwn, server)).toBeUndefined();
    for (const modifier of ['not', 'missing', 'identifier']) {
      const asked = () => provableParameters(type, [[`${name}:${modifier}`, 'x']], () => true, server);
      expect(asked).toThrow(expect.objectContaining({ status: 403 }));
    }
    const sorted = ['_sort', `-${name}`] as const;
    expect(() => provableParameters(type, [sorted], () => true, server)).toThrow();
    // Also after a condition that finds nothing.
    expect(() => provableParameters(type, [[name, 'Patient/p2'], sorted], isOwn, server)).toThrow();
  });

  test('for a resource is asked as it was, as far as it asks for no others', () => {
    const every = [
      ['code', 'x'],
      ['constructor', 'Patient/p2'],
    ] as const;
    for (const type of ['Condition', 'List'])
      expect(provableParameters(type, every, () => false, server)).toEqual(every);
    expect(namedByConditions('List', [['title', 'Patient/p2']], server)).toEqual([]);
    for (const value of ['#x', 'x y', 'a'.repeat(65)]) {
      expect(namedByConditions('Provenance', [['patient', value]], server)).toEqual([]);
    }
    expect(namedByConditions('Provenance', [['patient', 'a'.repeat(64)]], server)).toHaveLength(1);
    // A chain takes scopes for all that it looks at.
    for (const chain of ['agent:Patient.name', '_has:Provenance:target:agent']) {
      const asked = [[chain, 'Patient/p2']] as const;
      expect(provableParameters('AuditEvent', asked, () => false, server)).toEqual(asked);
      expect(namedByConditions('AuditEvent', asked, server)).toEqual([]);
    }
    const two = 'Patient/p1,Patient/p2';
    expect(provableParameters('Account', [['patient', two]], () => true, server)).toEqual([['patient', two]]);
  });

  test('is refused with the name of what is not supported, cut to a length', () => {
    const refusal = (name: string, value = 'x') => {
      try {
        provableParameters('List', [[name, value]], () => true, server);
      } catch (error) {
        return [(error as Refusal).status, (error as Refusal).code, (error as Refusal).message];
      }
      return undefined;
    };
    const sentence = (what: string) => [403, 'not-supported', `With this token ${what} is not supported here.`];
    expect(refusal('_sort', 'date,-item')).toEqual(sentence("'_sort=date,-item'"));
    expect(refusal('_sort', `item,${'y'.repeat(90)}`)).toEqual(sentence(`'_sort=item,${'y'.repeat(75)}'`));
    for (const modifier of ['not', 'aB', `L${'i'.repeat(64)}`, `not${'y'.repeat(90)}`]) {
      const name = `item:${modifier}`;
      expect(refusal(name)).toEqual(sentence(`the parameter '${name.slice(0, 80)}'`));
    }
    expect(refusal(`item:L${'i'.repeat(63)}`)).toBeUndefined();
  });

  test.each<[string, string[]]>([
    [
      'Appointment',
      [
        ...['appointment-type', 'date', 'identifier', 'location', 'practitioner', 'reason-code', 'requested-period'],
        ...['service-category', 'service-type', 'slot', 'specialty', 'status', '_lastUpdated'],
      ],
    ],
    [
      'Group',
      [
        ...['actual', 'characteristic', 'characteristic-value', 'code', 'exclude', 'identifier', 'membership', 'name'],
        ...['type', 'value', '_lastUpdated'],
      ],
    ],
    ['Schedule', ['active', 'date', 'identifier', 'name', 'service-category', 'service-type', 'specialty', '_id']],
  ])('for %s may look at nothing else than %j', (type, safe) => {
    for (const name of safe) {
      expect(provableParameters(type, [[name, 'x']], () => false, server)).toEqual([[name, 'x']]);
      expect(provableParameters(type, [['_sort', name]], () => false, server)).toEqual([['_sort', name]]);
    }
    for (const name of ['part-status', 'text', 'x']) {
      expect(() => provableParameters(type, [[name, 'x']], () => true, server)).toThrow(/is not supported here/);
    }
  });
});

test.each([
  ['Provenance', 'target', true],
  ['Provenance', 'agent', false],
  ['Provenance', 'patient', false],
  ['List', 'target', false],
])('a search for %s by what is provable of %s is within the record by itself: %s', (type, name, expected) => {
  expect(
    areWithinRecord(type, [
      ['_count', '2'],
      [name, 'Observation/a'],
    ]),
  ).toBe(expected);
  expect(areWithinRecord(type, [])).toBe(false);
});
