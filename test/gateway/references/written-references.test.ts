import { referencesIn } from '../../../src/gateway/domain/references/written-references.js';

const bases = ['http://server/r4', 'https://portal.example/fhir'];
const found = (more: object, entries: string[] = []) =>
  referencesIn({ resourceType: 'Observation', ...more }, bases, new Set(entries)).map(
    ({ element, target }) => [element, target] as const,
  );
const at = (type: string, id: string) => ({ kind: 'resource', type, id });
const identifier = (system: string | undefined, value: string | undefined) => ({ system, value });

describe('a literal reference', () => {
  test.each<[string, object | undefined]>([
    ['Encounter/1', at('Encounter', '1')],
    ['Encounter/1/_history/7', at('Encounter', '1')],
    ['Encounter/1#part', at('Encounter', '1')],
    ['Encounter/1/_history/7#part', at('Encounter', '1')],
    ['https://portal.example/fhir/Encounter/1', at('Encounter', '1')],
    ['HTTP://SERVER/r4//Encounter/1/_history/7', at('Encounter', '1')],
    ['#contained', undefined],
    ['urn:uuid:1', { kind: 'entry', name: 'urn:uuid:1' }],
    ['https://other.example/x', { kind: 'elsewhere', types: [] }],
    ['https://portal.example/fhir/metadata', { kind: 'elsewhere', types: [] }],
    ['https://other.example/r4/Encounter/1', { kind: 'elsewhere', types: ['Encounter'] }],
    ['https://other.example/Patient%2F1/Encounter/1', { kind: 'elsewhere', types: ['Patient', 'Encounter'] }],
    ['https://other.example/r4/Encounter', { kind: 'elsewhere', types: [] }],
    ['https://portal.example/fhir/Encounter?identifier=1', { kind: 'unclear' }],
    ['/Encounter/1', { kind: 'unclear' }],
    ['Encounter/1/', { kind: 'unclear' }],
    ['Encounter/1/_history/', { kind: 'unclear' }],
    ['encounter/1', { kind: 'unclear' }],
    ['xEncounter/1', { kind: 'unclear' }],
    [' Encounter/1', { kind: 'unclear' }],
    ['Encounter/a_b', { kind: 'unclear' }],
    [`Encounter/${'1'.repeat(65)}`, { kind: 'unclear' }],
    [`Encounter/1/_history/${'1'.repeat(65)}`, { kind: 'unclear' }],
    [`E${'n'.repeat(64)}/1`, { kind: 'unclear' }],
    [`https://other.example/E${'n'.repeat(64)}/1`, { kind: 'elsewhere', types: [] }],
    ['https://other.example/x y', { kind: 'unclear' }],
    ['xhttps://other.example/x', { kind: 'unclear' }],
    ['ftp://other.example/x', { kind: 'unclear' }],
    ['', { kind: 'unclear' }],
  ])('%s', (reference, target) => {
    expect(found({ encounter: { reference } })).toEqual(target ? [['Observation.encounter', target]] : []);
  });

  test('is found in each place', () => {
    const reference = 'Encounter/1';
    expect(
      found({
        encounter: { reference },
        _status: { extension: [{ valueReference: { reference } }] },
        component: [{ deep: [[{ reference }]] }, { Reference: reference }, { reference: [reference, 7] }],
        contained: [{ resourceType: 'List', entry: [{ item: { reference } }] }],
        identifier: [{ assigner: { reference } }],
        subject: null,
        value: 7,
      }).map(([element]) => element),
    ).toEqual([
      'Observation.encounter',
      'Observation._status.extension.valueReference',
      'Observation.component.deep',
      'Observation.component',
      'Observation.component.reference',
      'Observation.contained.entry.item',
      'Observation.identifier.assigner',
    ]);
  });

  test('has a text, by which one that stays as it is can be told', () => {
    const [one] = referencesIn({ resourceType: 'List', subject: { reference: 'Group/1' } }, bases);
    expect(one).toEqual({ element: 'List.subject', text: 'Group/1', target: at('Group', '1') });
    expect(referencesIn(undefined, bases)).toEqual([]);
    expect(referencesIn('Group/1', bases)).toEqual([]);
  });
});

describe('an address in another element', () => {
  test.each<[string, object]>([
    ['an attachment', { content: { url: 'https://portal.example/fhir/List/1' } }],
    ['a relative attachment', { content: { url: 'List/1' } }],
    ['an attachment by its path', { content: { url: '/fhir/List/1' } }],
    ['a list of canonical URLs', { instantiatesCanonical: ['http://server/r4/List/1|2'] }],
    ['a relative list of them', { instantiates: ['List/1'] }],
    ['a URI', { valueUri: 'List/1/_history/2' }],
    ['a fullUrl', { contained: [{ entry: [{ fullUrl: 'http://server/r4/List/1' }] }] }],
    ['a text', { note: [{ text: 'at http://server/r4/List/1.' }] }],
    ['a narrative', { text: { div: '<a  HREF = "List/1">x</a>' } }],
    ['a picture of the narrative', { text: { div: "<img alt='' src='/r4/List/1'/>" } }],
    ['the same address twice', { text: { div: '<a href="http://server/r4/List/1">http://server/r4/List/1</a>' } }],
  ])('is found: %s', (_what, more) => {
    expect(found(more).map(([, target]) => target)).toEqual([at('List', '1')]);
  });

  test('is not found in text that is no address', () => {
    for (const more of [
      { note: [{ text: 'Procedure/Surgery' }] },
      { code: { text: 'List/1', coding: [{ code: 'List/1', display: 'List/1', system: 'urn:oid:1' }] } },
      { extension: [{ url: 'ombCategory' }, { url: 'Text' }, { url: 'a/b' }, { url: 'List' }] },
      { content: { url: 'https://other.example/List/1' } },
      { content: { url: 'List/1/x' } },
      { text: { div: '<p class="List/1">List/1</p>' } },
      { note: [{ text: 'a href="List/1"' }] },
      { url_: 'List/1', x_url: 'List/1', urls: 'List/1', valueUrls: 'List/1' },
    ]) {
      expect(found(more)).toEqual([]);
    }
    expect(found({ content: { url: 'http://server/r4/List?x=1' } })).toEqual([
      ['Observation.content.url', { kind: 'unclear' }],
    ]);
  });

  test('is one of several in a text', () => {
    const text = 'http://server/r4/List/1, http://server/r4/List/2, http://server/r4/List?x=1';
    const element = 'Observation.note.text';
    expect(found({ note: [{ text }] })).toEqual([
      [element, at('List', '1')],
      [element, at('List', '2')],
      [element, { kind: 'unclear' }],
    ]);
  });

  test('may be the name of an entry', () => {
    const entry = { kind: 'entry', name: 'urn:uuid:1' };
    expect(found({ content: { url: 'urn:uuid:1' }, a: { reference: 'urn:uuid:1' } }, ['urn:uuid:1'])).toEqual([
      ['Observation.content.url', entry],
      ['Observation.a', entry],
    ]);
    expect(found({ content: { url: 'urn:uuid:1' } }, ['urn:uuid:2'])).toEqual([]);
  });
});

describe('a reference by identifier', () => {
  const one = { system: 'urn:mrn', value: '1' };
  const by = (type: string | undefined, place?: object) => ({
    kind: 'identifier',
    type,
    identifier: identifier('urn:mrn', '1'),
    place,
  });

  test.each<[string, object, object]>([
    ['without a type', { identifier: one }, by(undefined)],
    ['with a type', { type: 'Patient', identifier: one, display: 'P.', _display: {} }, by('Patient')],
    [
      'with the address of a type',
      { type: 'http://hl7.org/fhir/StructureDefinition/Group', identifier: one },
      by('Group'),
    ],
  ])('is found %s', (_what, performer, target) => {
    expect(found({ performer: [performer] })).toEqual([['Observation.performer', target]]);
  });

  test('is found with every member of a reference, and is another one for another identifier', () => {
    const all = { id: 'a', extension: [], _reference: {}, type: 'Patient', _type: {}, identifier: one, _display: {} };
    expect(found({ performer: { ...all, reference: undefined } })).toEqual([['Observation.performer', by('Patient')]]);
    const others = [
      all,
      { ...all, type: 'Group' },
      { ...all, identifier: { ...one, value: '2' } },
      { ...all, identifier: { value: '1' } },
    ];
    const texts = others.map((performer) => referencesIn({ resourceType: 'Observation', performer }, bases)[0]?.text);
    expect(new Set(texts).size).toBe(4);
  });

  test('takes its type from the literal reference beside it', () => {
    const place = { type: 'Encounter', id: '1' };
    const identifiers = (performer: object) => found({ performer }).filter(([, { kind }]) => kind === 'identifier');
    expect(identifiers({ reference: 'Encounter/1', identifier: one })).toEqual([
      ['Observation.performer', by('Encounter', place)],
    ]);
    expect(identifiers({ reference: 'Encounter/1', type: 'Patient', identifier: one, odd: 1 })).toEqual([
      ['Observation.performer', by('Patient', place)],
    ]);
    expect(identifiers({ reference: '#x', identifier: one })).toEqual([['Observation.performer', by(undefined)]]);
  });

  test('names no patient where only organizations are referred to', () => {
    for (const name of [
      'assigner',
      'custodian',
      'manufacturer',
      'serviceProvider',
      'managingOrganization',
      'organization',
    ]) {
      expect(found({ [name]: { identifier: one } })).toEqual([[`Observation.${name}`, by('Organization')]]);
      expect(found({ [name]: { type: 'Patient', identifier: one } })).toEqual([[`Observation.${name}`, by('Patient')]]);
    }
    for (const name of ['assigner_', '_assigner', 'organizations'])
      expect(found({ [name]: { identifier: one } })).toEqual([[`Observation.${name}`, by(undefined)]]);
  });

  test('is told from identifiers that belong to the element', () => {
    for (const element of [
      { identifier: [one] },
      { identifier: one, preference: 1 },
      { identifier: one, type: { text: 'x' } },
      { identifier: null },
      { identifier: 'x' },
    ]) {
      expect(found({ element })).toEqual([]);
    }
    expect(found({ identifier: one, contained: [{ resourceType: 'Composition', identifier: one }] })).toEqual([]);
  });

  test('is each identifier of a contained Patient, but not those of the resource itself', () => {
    const contained = (identifiers: unknown) => [{ resourceType: 'Patient', id: 'p', identifier: identifiers }];
    const target = ['Observation.contained.identifier', by('Patient')];
    expect(found({ contained: contained([one, one]) })).toEqual([target, target]);
    expect(found({ contained: contained(one) })).toEqual([target]);
    expect(
      found({ contained: contained([null, { system: 7 }]) }).map(
        ([, target]) => (target as { identifier?: object }).identifier,
      ),
    ).toEqual([identifier(undefined, undefined), identifier(undefined, undefined)]);
    expect(found({ contained: contained(undefined) })).toEqual([]);
    expect(referencesIn({ resourceType: 'Patient', identifier: [one] }, bases)).toEqual([]);
  });
});
