import { parameterForPatient } from '../decision/definitions.js';
import type { Asked, Json, Query, Resource, Token } from '../decision/world.js';
import { appBase, type Data } from '../run/data.js';
import type { Random } from './random.js';
import { anyPlace, patients, referenceTo, resourceOf } from './resources.js';
import { conditionOf } from './search.js';

/** Types that may name several patients, a document, and a device that may be of no patient. */
const shared = ['Appointment', 'Group', 'List', 'Binary', 'Device'];

function placeToMention(random: Random, places: readonly string[]): string {
  const several = places.filter((one) => shared.includes(one.split('/')[0] ?? ''));
  return several.length > 0 && random.percent(15) ? random.of(several) : anyPlace(random, places);
}

/** References in every form to places in and out of a record. */
function mention(random: Random, place: string): Json {
  const reference = random.percent(75) ? place : `${place}/_history/1`;
  return random.of<Json>([
    { encounter: { reference } },
    { hasMember: [{ reference: `${reference}#part` }] },
    { extension: [{ url: 'urn:x', extension: [{ valueReference: { reference } }] }] },
    { contained: [{ resourceType: 'Provenance', id: 'c', target: [{ reference }] }] },
    {
      contained: [
        { resourceType: 'Patient', id: 'c', identifier: [{ system: 'urn:mrn', value: place.split('/')[1] }] },
      ],
    },
    { valueAttachment: { url: random.of([place, `${appBase}/${reference}`]) } },
    { [random.of(['instantiatesUri', 'instantiatesCanonical', 'instantiates'])]: [place] },
    { note: [{ text: `See ${appBase}/${reference}.` }] },
    { text: { div: `<div><a href="${place}">x</a></div>` } },
    { performer: [referenceTo(random, place)] },
    { serviceProvider: { identifier: { system: 'urn:mrn', value: 'x' } } },
    {
      performer: [
        {
          type: random.of(['Practitioner', 'Condition', 'Patient']),
          identifier: { system: random.of(['urn:mrn', 'urn:mrn', 'urn:other']), value: random.of(patients) },
        },
      ],
    },
    { performer: [{ identifier: { system: 'urn:mrn' } }] },
    // The identifier may be one of another resource than the one that is named next to it.
    { performer: [{ reference, identifier: { system: 'urn:mrn', value: random.of(patients) } }] },
    { encounter: { Reference: reference } },
    {
      subject2: {
        reference: random.of(['https://other.example/r4/Patient/p1', 'https://other.example/r4/Practitioner/1']),
      },
    },
  ]);
}

/** What the app of a patient writes is refused for nothing but what it refers to. */
export function askedToRefer(random: Random, data: Data): { asked: Asked; token: Token } {
  const patient = random.of(patients);
  const own = { reference: `Patient/${patient}` };
  const more = mention(random, placeToMention(random, Object.keys(data.versions)));
  const body = { resourceType: 'Observation', subject: own, ...more };
  const token = { scopes: ['patient/*.cruds'], patient, user: own.reference, acr: 'aal2', age: 10 };
  return { asked: { interaction: 'create', type: 'Observation', query: [], body }, token };
}

function bodyOf(random: Random, data: Data, type: string, id: string | undefined): Resource {
  const places = Object.keys(data.versions);
  const stored = data.versions[`${type}/${id}`]?.at(-1);
  const isKept = stored !== undefined && random.percent(60);
  const body: Resource = isKept
    ? { ...stored }
    : resourceOf(random, random.percent(97) ? type : 'Observation', id ?? 'own', places);
  if (isKept && random.percent(10)) body.category = [{ coding: [{ code: random.of(['vital-signs', 'survey']) }] }];
  if (id === undefined && random.percent(80)) delete body.id;
  if (random.percent(3)) body.id = 'other';
  for (const more of random.list(0, 1, () => mention(random, placeToMention(random, places))))
    Object.assign(body, more);
  return body;
}

/** A document that is sent in its own type. */
function contentOf(random: Random, id: string): Asked {
  const context = random.percent(75) && { securityContext: { reference: `Patient/${random.of(patients)}` } };
  const body = { resourceType: 'Binary', contentType: 'text/plain', data: 'eA==', ...context };
  if (random.percent(50)) return { interaction: 'create', type: 'Binary', query: [], body, asContent: true };
  return { interaction: 'update', type: 'Binary', id, query: [], body: { ...body, id }, asContent: true };
}

/** A change of a resource, or of what a condition finds. */
export function changeOf(random: Random, data: Data, type: string, id: string): Asked {
  if (type === 'Binary' && random.percent(25)) return contentOf(random, id);
  const places = Object.keys(data.versions);
  const isConditional = random.percent(15);
  const condition: Query = random.list(1, 2, () =>
    random.of([
      ['identifier', `urn:mrn|${id}`],
      ['code', 'x'],
      [parameterForPatient(type).replace('_id', 'identifier'), `Patient/${random.of(patients)}`],
      conditionOf(random, type, places),
    ] as const),
  );
  const ifMatch = random.percent(8) ? { ifMatch: random.of(['W/"1"', 'W/"2"']) } : {};
  const onlyNew = random.percent(10) ? { onlyNew: true } : {};
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      return {
        interaction: 'create',
        type,
        query: [],
        body: bodyOf(random, data, type, undefined),
        ...(isConditional && { ifNoneExist: condition }),
      };
    case 3:
    case 4:
    case 5: {
      const own = random.percent(8) ? 'fresh' : id;
      if (isConditional)
        return {
          interaction: 'update',
          type,
          query: condition,
          body: bodyOf(random, data, type, undefined),
          ...ifMatch,
          ...onlyNew,
        };
      const body = bodyOf(random, data, type, own);
      return { interaction: 'update', type, id: own, query: [], body, ...ifMatch, ...onlyNew };
    }
    case 6: {
      const more = mention(random, placeToMention(random, places));
      const values = Object.entries(
        random.of<Json>([
          more,
          more,
          { status: 'final' },
          { birthDate: '2001-01-01' },
          { active: false },
          { meta: { security: [{ code: 'R' }] } },
          { category: [{ coding: [{ code: random.of(['vital-signs', 'survey']) }] }] },
          { subject: referenceTo(random, `Patient/${random.of(patients)}`) },
        ]),
      );
      const body = values.map(([name, value]) => ({
        op: random.of(['add', 'add', 'replace']),
        path: `/${name}`,
        value,
      }));
      return {
        interaction: 'patch',
        type,
        query: isConditional ? condition : [],
        ...(!isConditional && { id }),
        body,
        ...ifMatch,
      };
    }
    default:
      return {
        interaction: 'delete',
        type,
        query: isConditional ? condition : [],
        ...(!isConditional && { id }),
        ...ifMatch,
      };
  }
}
