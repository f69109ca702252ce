import type { Asked, Json, Query, Resource, Token } from '../decision/world.js';
import type { Data } from '../run/data.js';
import type { Random } from './random.js';
import { levelOf, onDay, relationshipOf } from './relationship.js';
import { directoryIds, laboratory, patients } from './resources.js';
import { conditionsOfPatient, trimming } from './search.js';

/** Types whose kinds the levels tell apart. */
const typesOfLevels = new Set(
  'AllergyIntolerance Communication Condition Consent DiagnosticReport DocumentReference Encounter Goal List Media'
    .concat(' MedicationRequest Observation Patient Provenance')
    .split(' '),
);
const categories = ['laboratory', 'vital-signs', 'survey'];

/** What a user of one patient's record asks about that record: what levels open, close and protect in it. */
export function askedOfRecord(random: Random, data: Data): { asked: Asked; token: Token } {
  const patient = random.of(patients);
  const [type = '', id = ''] = placeInRecord(random, data, patient).split('/');
  const scopes = random.percent(80)
    ? ['patient/*.cruds']
    : [`patient/${type}.cruds?category=${random.of(categories)}`, `patient/${type}.${random.of(['r', 's', 'cud'])}`];
  if (random.percent(8))
    return { asked: askedAbout(random, data, `${type}/${id}`), token: ofTwoExtents(random, type, patient) };
  const acting = random.percent(75);
  const user = acting
    ? random.of(['RelatedPerson/r1', 'RelatedPerson/r2', 'Person/r3', 'Patient/p2'])
    : `Patient/${patient}`;
  const token: Token = {
    scopes: random.percent(20) ? [...scopes, 'openid', 'fhirUser'] : scopes,
    patient,
    user,
    ...(random.percent(75) ? { acr: 'aal2', age: 10 } : { acr: random.of(['aal1', 'aal2']), age: 10_000 }),
    ...(acting && { relationship: random.percent(20) ? relationshipOf(random) : activeAt(random) }),
  };
  // The documents of a record are read by themselves.
  if (random.percent(20)) return { asked: documentOf(random, data, patient), token };
  return { asked: askedAbout(random, data, random.percent(5) ? user : `${type}/${id}`), token };
}

/** A token of staff that opens one patient's record, and a category of everyone's. */
function ofTwoExtents(random: Random, type: string, patient: string): Token {
  const scopes = [`patient/${type}.cruds`, `user/${type}.cruds?category=${random.of(categories)}`];
  return { scopes, patient, user: 'Practitioner/d1', acr: 'aal2', age: 10 };
}

/** A Binary, most of the time one of which something in the record says whose it is. */
function documentOf(random: Random, { versions }: Data, patient: string): Asked {
  const all = ['b1', 'b2', 'b3'];
  const own = all.filter((id) => {
    const context = JSON.stringify(versions[`Binary/${id}`]?.at(-1)?.securityContext ?? {});
    const named = /"(?:[^"]*\/)?([A-Z][A-Za-z]+\/[A-Za-z0-9]+)"/.exec(context)?.[1] ?? '';
    return (
      named === `Patient/${patient}` || JSON.stringify(versions[named]?.at(-1) ?? '').includes(`Patient/${patient}"`)
    );
  });
  const id = random.of(own.length > 0 && random.percent(70) ? own : all);
  const form = random.percent(50) && { asContent: true };
  return { interaction: 'read', type: 'Binary', id, query: [], ...form };
}

function activeAt(random: Random): NonNullable<Token['relationship']> {
  if (random.percent(35)) return limitedByAge(random);
  const basis = random.percent(75) ? 'power-of-attorney' : 'court-appointed';
  const birthDate = basis === 'court-appointed' ? '2000-06-15' : '1944-05-05';
  const relationship = { basis, ...levelOf(random), status: 'active', agreed: [] };
  return { relationship, ...onDay(random, '2026-06-15'), facts: { birthDate } };
}

/** Two levels that must both permit, some of them by an approval for the step, to the day or to one next to it. */
function limitedByAge(random: Random): NonNullable<Token['relationship']> {
  const [basis, birthDate, step] = random.of([
    ['parental-responsibility', '2020-06-15', 0],
    ['parental-responsibility', '2013-06-15', 13],
    ['parental-responsibility', '2010-06-15', 16],
    ['court-appointed', '2020-06-15', 0],
    ['carer', '1944-05-05', 18],
  ] as const);
  const relationship = {
    ...{ basis, ...levelOf(random), status: 'active', agreed: [16] },
    ...(random.percent(30) && {
      above: { step, until: random.of(['2026-06-14', '2026-06-15', '2026-06-16']), level: levelOf(random).level },
    }),
  };
  return { relationship, ...onDay(random, '2026-06-15'), facts: { birthDate } };
}

/** A resource of the record most of the time, or one of the directory. */
function placeInRecord(random: Random, { versions }: Data, patient: string): string {
  if (random.percent(10)) return random.of(directoryIds);
  const special = Object.keys(versions).find((place) => place.endsWith(`/k${patient}`));
  if (special !== undefined && random.percent(40)) return special;
  const own = Object.keys(versions).filter(
    (place) =>
      place === `Patient/${patient}` ||
      (typesOfLevels.has(place.split('/')[0] ?? '') &&
        JSON.stringify(versions[place]?.at(-1)).includes(`Patient/${patient}"`)),
  );
  return random.of(own);
}

function askedAbout(random: Random, { versions }: Data, place: string): Asked {
  const [type = '', id = ''] = place.split('/');
  const stored = versions[place]?.at(-1);
  const kind = random.below(10);
  if (kind < 2) {
    const version = (versions[place]?.length ?? 0) > 1 && random.percent(40);
    if (version) return { ...random.of(ofVersions), type, id, query: [] };
    return { interaction: 'read', type, id, query: trimming(random, 10) };
  }
  if (kind < 4) {
    if (type === 'Patient' && random.percent(60))
      return { interaction: 'search', type, query: [random.of(conditionsOfPatient)] };
    const asked = random.of([...categories, laboratory, 'survey,laboratory', 'vital-signs,survey']);
    const condition: Query = random.percent(75)
      ? [type === 'Patient' ? numberOf(random, id) : ['category', asked]]
      : [];
    const wished: Query = random.percent(5) ? [[random.of(['_offset', '_skip', '_page']), '2']] : trimming(random, 15);
    return { interaction: 'search', type, query: [...condition, ...wished] };
  }
  // By its id, or by a condition that finds it.
  const named: Pick<Asked, 'id' | 'query'> = random.percent(85)
    ? { id, query: [] }
    : { query: [['identifier', `urn:mrn|${id}`]] };
  if (kind < 5) return { interaction: 'delete', type, ...named };
  const changed = elementsToChange(random, stored, Object.keys(versions));
  if (kind < 6) {
    const body = Object.entries(changed).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    return { interaction: 'patch', type, ...named, body };
  }
  const body = { resourceType: type, ...stored, ...changed };
  if (kind < 9) return { interaction: 'update', type, ...named, body: named.id === undefined ? body : { ...body, id } };
  const { id: _id, ...made } = body;
  return { interaction: 'create', type, query: [], body: made };
}

/** Identifiers of a Patient, some of which a level shows. */
function numberOf(random: Random, id: string): Query[number] {
  const values = [id, `urn:mrn|${id}`, 'secret', 'urn:mrn|secret', 'urn:mrn|', '|', `secret,${id}`, `urn:other|${id}`];
  return [
    random.of(['identifier', 'identifier', 'identifier', 'identifier:not', 'language', 'link', 'phone']),
    random.of(values),
  ];
}

/** What decides about representatives, and what does not. */
const ofPatients: readonly Json[] = [
  { birthDate: '2001-01-01' },
  { _birthDate: { extension: [{ url: 'urn:other' }] } },
  { active: false },
  { deceasedBoolean: true },
  { deceasedDateTime: '2026' },
  { link: [{ other: { reference: 'Patient/p2' }, type: 'replaced-by' }] },
  { name: [{ family: 'Silva' }] },
  { photo: [] },
];

const ofVersions = [
  { interaction: 'vread', version: '1' },
  { interaction: 'vread', version: '2' },
  { interaction: 'history-instance' },
];

/** Categories, labels and codes, some of which are taken off. */
function elementsToChange(random: Random, stored: Resource | undefined, places: readonly string[]): Json {
  const label = (code: string) => ({ system: 'urn:labels', code });
  const category = [{ coding: [{ code: random.of(categories) }] }];
  const meta = { ...(stored?.meta as Json | undefined) };
  if (stored?.resourceType === 'Patient' && random.percent(70)) return random.of(ofPatients);
  return random.of<Json>([
    { category },
    { category },
    { category: [...[stored?.category ?? []].flat(), ...category] },
    { meta: { ...meta, security: [label(random.of(['R', 'SEX']))] } },
    { meta: { ...meta, security: [{ code: random.of(['R', 'SEX']) }] } },
    { meta: { versionId: meta.versionId } },
    { code: { coding: [{ system: 'urn:codes', code: random.of(['x', 'y']) }] } },
    { code: { text: 'x' } },
    { encounter: { reference: random.of(places) } },
  ]);
}
