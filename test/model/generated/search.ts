import { parameterForPatient, parametersOf, searchedBy, subjectElements } from '../decision/definitions.js';
import type { Asked, Query } from '../decision/world.js';
import { appBase, type Data } from '../run/data.js';
import type { Random } from './random.js';
import { anyPlace, anyType, directoryIds, laboratory, patients } from './resources.js';

/** Sometimes a wish for a part of the elements. */
export function trimming(random: Random, share: number): Query {
  if (!random.percent(share)) return [];
  return [
    random.of([
      ['_elements', 'code'],
      ['_elements', 'a b'],
      ['_summary', 'true'],
      ['_summary', 'text'],
      ['_summary', 'x'],
    ] as const),
  ];
}

/** Parameters by which resources are found that name others. */
export const naming = [
  'actor',
  'agent',
  'appointment',
  'data',
  'encounter',
  'entity',
  'entry',
  'focus',
  'implicated',
  'item',
  'link',
].concat(
  ...[
    'member',
    'participant',
    'patient',
    'performer',
    'related-ref',
    'source',
    'subject',
    'target',
    'general-practitioner',
  ],
);

/** Of `$docref`, and what is not. */
const ofDocuments: Query = [
  ['start', '2020-01-01'],
  ['end', '2030'],
  ['start', 'spring'],
  ['type', 'x'],
  ['on-demand', 'false'],
  ['on-demand', 'true'],
  ['profile', 'x'],
  ['code', 'x'],
];

/** A search for a type. */
export function searchOf(random: Random, data: Data, type: string): Asked {
  const places = Object.keys(data.versions);
  const query = random.list(0, 2, () => conditionOf(random, type, places));
  const isLastn = type === 'Observation' && random.percent(8);
  const isDocref = type === 'DocumentReference' && random.percent(15);
  if (isDocref) {
    const patient = random.of(['p1', 'Patient/p1', 'p2', 'p3', 'a b', 'Patient/']);
    const own: Query = random.percent(10) ? [] : [['patient', patient]];
    const more: Query = random.percent(30) ? [random.of(ofDocuments)] : [];
    const form = random.percent(20) && { byPost: true };
    return { interaction: 'search', type, operation: 'docref', query: [...own, ...more], ...form };
  }
  const names = query.map(([name]) => name);
  // Several of one name are alternatives in what is sent in a body.
  const form = isLastn && random.percent(20) && new Set(names).size === names.length && { byPost: true };
  return {
    interaction: 'search',
    type,
    query: isLastn ? [...query, ['max', '3']] : query,
    ...(isLastn && { operation: 'lastn' }),
    ...form,
    ...(!isLastn && random.percent(12) && { byPost: true }),
    ...(!isLastn && subjectElements.has(type) && random.percent(8) && { inRecordOf: random.of(patients) }),
  };
}

/** Conditions that look at elements of a Patient which some may see. */
export const conditionsOfPatient: readonly (readonly [string, string])[] = [
  ['address-city', 'Porto'],
  ['phone', '1'],
  ['link', 'Patient/old'],
  ['language', 'x'],
  ['identifier', 'secret'],
  ['identifier', 'urn:mrn|secret,urn:mrn|p1'],
  ['identifier', 'p1'],
  ['identifier', 'urn:mrn|'],
  ['identifier:not', 'secret'],
  ['birthdate', '1980-01-01'],
  ['family:exact', 'Duarte'],
];

/** A condition of a search, or a wish for its answer. */
export function conditionOf(random: Random, type: string, places: readonly string[]): readonly [string, string] {
  const own = parametersOf(type).filter((name) => naming.includes(name));
  const name = random.of([parameterForPatient(type), ...own, ...own]);
  const [, id = ''] = random.of(places).split('/');
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2: {
      const patient = random.of(patients);
      return [
        parameterForPatient(type),
        random.of([patient, `Patient/${patient}`, `${appBase}/Patient/${patient}`, `Patient/p1,Patient/${patient}`]),
      ];
    }
    case 3:
    case 4:
      return [
        name,
        random.of([
          anyPlace(random, places),
          id,
          `${anyPlace(random, places)},${anyPlace(random, places)}`,
          random.of(directoryIds),
        ]),
      ];
    case 5:
      return [
        `${name}:${random.of(['Patient', 'Condition', 'missing', 'not', 'identifier'])}`,
        random.of(['p1', 'p2', 'true', id]),
      ];
    case 6:
      return [
        'category',
        random.of(['laboratory', 'vital-signs', 'survey', laboratory, 'LABORATORY', 'vital-signs,survey', '|']),
      ];
    case 7:
      if (type === 'Patient' && random.percent(70)) return random.of(conditionsOfPatient);
      return [
        random.of(['code', 'identifier', 'status', 'unheard-of', 'part-status', 'date']),
        random.of(['x', 'urn:mrn|p1', 'r3']),
      ];
    case 8:
      return ['_id', random.of([id, 'p1', 'r1,r2,r3'])];
    case 9:
    case 10:
      return [
        `_include${random.percent(10) ? ':iterate' : ''}`,
        `${random.percent(95) ? type : 'Encounter'}:${name}${random.percent(50) ? `:${random.of(['Patient', 'Practitioner', 'Condition', 'Encounter'])}` : ''}`,
      ];
    case 11: {
      const source = anyType(random);
      const by = random.of(naming.filter((one) => searchedBy(source, one)).concat('subject'));
      return [
        `_revinclude${random.percent(10) ? ':iterate' : ''}`,
        `${source}:${by}${random.percent(15) ? `:${type}` : ''}`,
      ];
    }
    case 12:
      return [
        random.of([
          `${name}.name`,
          `${name}:Patient.name`,
          '_has:Observation:subject:code',
          `_has:${anyType(random)}:patient:_id`,
          `${name}:Encounter.subject:Patient.name`,
          '_has:Observation:subject:encounter.patient.name',
          'a.b.c.d',
          'a.b.c.d.e',
        ]),
        'x',
      ];
    default:
      return random.of([
        ...([
          ['_summary', 'count'],
          ['_count', '0'],
          ['_elements', 'code'],
          ['_summary', 'true'],
          ['_filter', 'x'],
          ['_list', '1'],
        ] as const),
        ...([
          ['_sort', name],
          ['_sort', '-_lastUpdated,date'],
          ['_sort', 'patient.name'],
          ['_tag', 'x'],
          ['_contained', 'both'],
        ] as const),
      ]);
  }
}
