// @ts-check
import { COMPARTMENT } from '../record/compartment.js';
import { permitsResource, permitsType } from '../record/scopes.js';
import { listOf, objectOf } from '../server/capabilities.js';
import { isSameOrigin } from '../server/connection.js';
import { codedValuesOf, labelsOf } from './coded.js';
import { damagedTokens, forgedTokens } from './forged.js';
import { linksOf } from './links.js';

/** @import { Actor, Bindings, Facts, Resource } from '../types.js' */

/**
 * The values of one try of a way. `known` values are the same in a comparison; `secret` ones are replaced by values
 * that mean nothing.
 *
 * @typedef {{ known: Bindings, secret: Bindings }} Subject
 */

/** Types by how much of a record is usually in them. */
const RICH = ['Observation', 'Condition', 'Encounter', 'MedicationRequest', 'Procedure', 'AllergyIntolerance'];
const MAIN = ['Observation', 'Patient', ...RICH.slice(1), 'DocumentReference', 'DiagnosticReport'];
const MIXED = [
  'List',
  'Provenance',
  'AuditEvent',
  'Group',
  'Appointment',
  'AppointmentResponse',
  'Schedule',
  'Account',
];
const MORE_MIXED = [
  'Composition',
  'Communication',
  'Consent',
  'DetectedIssue',
  'Person',
  'Task',
  'RequestGroup',
  'Basic',
];
const ACTIONS = /** @type {const} */ ([
  ['r', '{type}/{own}'],
  ['s', '{type}?_count=1'],
  ['s', '{type}?patient=Patient/{A}'],
]);

/**
 * The subjects of a kind, for a token.
 *
 * @param {string} kind the `each` of a way
 * @param {Facts} facts
 * @param {Actor} actor
 * @returns {Subject[]}
 */
export function subjectsOf(kind, facts, actor) {
  const find = KINDS[kind];
  if (!find) throw new Error(`no such kind of subject: ${kind}`);
  const base = { base: facts.base, path: new URL(facts.base).pathname.replace(/\/$/, ''), A: facts.a.patient };
  const named = identifierOf(facts);
  return find(facts, actor).map(({ known, secret }) => ({
    known: { ...base, ...known },
    secret: { B: facts.b.patient, none: 'x', ...named, ...secret },
  }));
}

/** An identifier of the other patient. @param {Facts} facts @returns {Bindings} */
function identifierOf({ b }) {
  const person = b.resources.get(`Patient/${b.patient}`);
  const [identifier] = listOf(person?.identifier).filter(({ value }) => typeof value === 'string');
  if (!identifier) return {};
  return { system: String(identifier.system ?? ''), value: String(identifier.value), text: String(identifier.value) };
}

/** @param {Bindings} known @param {Bindings} [secret] @returns {Subject} */
const subject = (known, secret = {}) => ({ known, secret });

/** @type {Record<string, (facts: Facts, actor: Actor) => Subject[]>} */
const KINDS = {
  once: () => [subject({})],
  type: (facts) => firstOfEach(facts).map((resource) => ofResource(resource, facts)),
  resource: (facts) => others(facts).map((resource) => ofResource(resource, facts)),
  main: (facts) => richest(facts, 2).map((resource) => ofResource(resource, facts)),
  first: (facts) => richest(facts, 1).map((resource) => ofResource(resource, facts)),
  served: ({ server }) =>
    Object.keys(COMPARTMENT)
      .filter((type) => server.types.has(type))
      .map((type) => subject({ type })),
  version: (facts) =>
    firstOfEach(facts).flatMap((resource) => {
      const version = objectOf(resource.meta)?.versionId;
      return typeof version === 'string' ? [merged(ofResource(resource, facts), { version })] : [];
    }),
  case: (facts) =>
    richest(facts, 2).flatMap((resource) =>
      [resource.resourceType.toLowerCase(), resource.resourceType.toUpperCase()].map((word) =>
        merged(ofResource(resource, facts), { word }),
      ),
    ),
  parameter: (facts) =>
    firstOfEach(facts).flatMap((resource) =>
      (COMPARTMENT[resource.resourceType] ?? [])
        .filter((param) => param !== '_id' && isServed(facts, resource.resourceType, param))
        .slice(0, 3)
        .map((param) => merged(ofResource(resource, facts), { param })),
    ),
  reference: ({ server, b }) =>
    [...server.types].flatMap(([type, { parameters }]) =>
      [...parameters]
        .filter((param) => COMPARTMENT[type]?.slice(2).includes(param) || (type in COMPARTMENT && PEOPLE.has(param)))
        .filter(() => [...b.resources.keys()].some((key) => key.startsWith(`${type}/`)))
        .map((param) => subject({ type, param })),
    ),
  'any reference': ({ server, b }) =>
    [...new Set([...b.resources.values()].map(({ resourceType }) => resourceType))].flatMap((type) =>
      (server.types.get(type)?.includes ?? [])
        .flatMap((include) => /^[A-Za-z]+:([a-z-]+)$/.exec(include)?.[1] ?? [])
        .map((param) => subject({ type, param })),
    ),
  coded: (facts) => codedValuesOf(facts),
  label: (facts) => labelsOf(facts),
  'own resource': ({ a }) =>
    [...a.resources.values()].map(({ resourceType, id = '' }) => subject({ type: resourceType, own: id })),
  value: (facts) => valuesOf(facts),
  'value of patient': (facts) => valuesOf(facts).filter(({ known }) => known.type === 'Patient'),
  link: (facts) =>
    firstOfEach(facts).flatMap((resource) =>
      linksOf(resource)
        .filter(({ target }) => facts.b.resources.has(target) && !target.startsWith('Patient/'))
        .filter(({ param }) => isServed(facts, resource.resourceType, param))
        .map(({ param, target }) =>
          subject({ type: resource.resourceType, param }, { value: target, other: target.split('/')[1] ?? '' }),
        ),
    ),
  common: (facts) =>
    firstOfEach(facts).flatMap((resource) =>
      linksOf(resource)
        .filter(({ target, param }) => facts.b.shared.has(target) && isServed(facts, resource.resourceType, param))
        .slice(0, 2)
        .map(({ param, target }) => subject({ type: resource.resourceType, param, value: target })),
    ),
  shared: (facts) => {
    const all = [...facts.b.resources.values()].flatMap((resource) =>
      linksOf(resource)
        .filter(({ target }) => facts.b.shared.has(target))
        .map(({ param, target }) => {
          const [type = '', shared = ''] = target.split('/');
          const known = { type, shared, source: resource.resourceType, param };
          return subject(known, { other: resource.id ?? '' });
        }),
    );
    return distinct(all, ({ known }) => `${known.type} ${known.source} ${known.param}`);
  },
  'owned by patient': (facts) =>
    firstOfEach(facts)
      .filter(({ resourceType }) => resourceType !== 'Patient')
      .flatMap((resource) =>
        (COMPARTMENT[resource.resourceType] ?? [])
          .filter((param) => isServed(facts, resource.resourceType, param))
          .slice(0, 1)
          .map((param) => merged(ofResource(resource, facts), { param })),
      ),
  include: ({ server, a }) =>
    [...server.types].flatMap(([type, { includes }]) =>
      [...a.resources.keys()].some((key) => key.startsWith(`${type}/`))
        ? includes.map((value) => ({
            known: { type, value: value.includes(':') ? value : `${type}:${value}` },
            secret: {},
          }))
        : [],
    ),
  revinclude: ({ server, a }) =>
    [...server.types].flatMap(([type, { revIncludes }]) => {
      const own = ownOf(type, a.resources);
      return own ? revIncludes.map((value) => ({ known: { type, own, value }, secret: {} })) : [];
    }),
  compartment: (facts) =>
    firstOfEach(facts)
      .filter(({ resourceType }) => ['Encounter', 'Device', 'RelatedPerson'].includes(resourceType))
      .flatMap(({ resourceType, id = '' }) =>
        [...RICH.slice(0, 4), '*'].map((source) => subject({ source }, { ref: `${resourceType}/${id}` })),
      )
      .concat(
        [...facts.b.shared]
          .filter((key) => key.startsWith('Practitioner/'))
          .slice(0, 2)
          .flatMap((ref) => RICH.slice(0, 4).map((source) => subject({ source, ref }))),
      ),
  page: ({ b, base }) =>
    b.pages
      .filter((page) => isSameOrigin(page, base))
      .slice(0, 6)
      .map((link) => subject({ link })),
  'own page': ({ a, b, base }) =>
    a.pages
      .filter((page) => isSameOrigin(page, base))
      .slice(0, 4)
      .flatMap((page) => changedLinks(page, a.patient, b.patient)),
  binary: ({ b, a }) =>
    [...b.binaries.keys()].filter((key) => !a.binaries.has(key)).map((key) => subject({}, { binary: key })),
  mixed: ({ server }) =>
    [...MIXED, ...MORE_MIXED].filter((type) => server.types.has(type)).map((type) => subject({ type })),
  'own mixed': ({ a }) =>
    [...a.resources.values()]
      .filter(({ resourceType }) => [...MIXED, ...MORE_MIXED].includes(resourceType))
      .map(({ resourceType, id = '' }) => subject({ type: resourceType, own: id })),
  listed: (facts) => {
    const lists = others(facts).filter(({ resourceType }) => resourceType === 'List');
    return lists.slice(0, 2).flatMap(({ id = '' }) => RICH.slice(0, 3).map((type) => subject({ type }, { id })));
  },
  operation: ({ server, b }) =>
    [...server.types].flatMap(([type, { operations }]) => {
      const other = ownOf(type, b.resources);
      return [...operations]
        .filter((name) => SAFE.test(name))
        .flatMap((name) => [
          subject({ target: `${type}/$${name}` }),
          ...(other ? [subject({ target: `${type}/${other}/$${name}` })] : []),
        ]);
    }),
  forged: ({ b }, actor) => forgedTokens(actor, b.patient).map((word) => subject({ word })),
  damaged: (_facts, actor) => damagedTokens(actor).map((word) => subject({ word })),
  refused: (_facts, { refused }) => refused.map((one) => subject({ refused: one })),
  companion: (_facts, { companions }) => companions.map((companion) => subject({ companion })),
  beyond: (facts, actor) => beyond(facts, actor).map((resource) => ofOwn(resource)),
  'beyond permitted': (facts, actor) =>
    beyond(facts, actor)
      .flatMap((resource) =>
        [...facts.a.resources.values()]
          .filter((one) => actor.scopes && permitsType(actor.scopes, one.resourceType, 's'))
          .flatMap((one) =>
            linksOf(one)
              .filter(({ target }) => target.startsWith(`${resource.resourceType}/`))
              .slice(0, 1)
              .map(({ param }) => merged(ofOwn(resource), { source: one.resourceType, param })),
          ),
      )
      .filter(once(({ known }) => `${known.type} ${known.source} ${known.param}`)),
  'beyond category': ({ a }, { scopes = [] }) =>
    [...a.resources.values()]
      .filter((one) => one.category !== undefined && permitsType(scopes, one.resourceType, 'r'))
      .filter((one) => !permitsResource(scopes, one))
      .map((one) => ({ one, code: categoryOf(one) }))
      .filter(once(({ one, code }) => `${one.resourceType} ${code}`))
      .map(({ one, code }) => merged(ofOwn(one), { code })),
  'beyond action': ({ a }, { scopes }) =>
    scopes === undefined
      ? []
      : [...a.resources.values()]
          .filter(once(({ resourceType }) => resourceType))
          .flatMap(({ resourceType, id = '' }) =>
            ACTIONS.filter(([action]) => !permitsType(scopes, resourceType, action)).map(([, target]) =>
              subject({
                target: target.replace('{type}', resourceType).replace('{own}', id).replace('{A}', a.patient),
              }),
            ),
          ),
};

/** Parameters that may name a patient who is not the subject. */
const PEOPLE = new Set([
  'author',
  'source',
  'recorder',
  'asserter',
  'agent',
  'sender',
  'recipient',
  'focus',
  'requester',
]);
/** Operations that read. */
const SAFE =
  /^(?:everything|lastn|summary|docref|find|stats|match|graph|document|meta|validate|evaluate|care-gaps|expand|lookup|get-|list|current|last|search|diff|health-cards|populate)/;

/** @param {Subject} one @param {Bindings} more */
const merged = ({ known, secret }, more) => ({ known: { ...known, ...more }, secret });

/** @param {Resource} resource @param {Facts} facts @returns {Subject} */
function ofResource({ resourceType, id = '' }, { a }) {
  const own = resourceType === 'Patient' ? a.patient : ownOf(resourceType, a.resources);
  return subject({ type: resourceType, own: own ?? 'none' }, { id });
}

/** A resource of the own record. @param {Resource} resource @returns {Subject} */
const ofOwn = ({ resourceType, id = '' }) => subject({ type: resourceType }, { id });

/** @param {string} type @param {Map<string, Resource>} resources */
function ownOf(type, resources) {
  return [...resources.values()].find(({ resourceType }) => resourceType === type)?.id;
}

/** The content that the other record has and the own one has not. @param {Facts} facts */
function others({ a, b }) {
  return [...b.resources].filter(([key]) => !a.resources.has(key)).map(([, resource]) => resource);
}

/** @param {Facts} facts */
function firstOfEach(facts) {
  const all = others(facts).filter(once(({ resourceType }) => resourceType));
  // The main types come first: where there is little time, a way begins with them.
  const rank = (/** @type {Resource} */ { resourceType }) =>
    (MAIN.indexOf(resourceType) + MAIN.length + 1) % (MAIN.length + 1);
  return all.sort((one, two) => rank(one) - rank(two));
}

/** @param {Facts} facts @param {number} most */
function richest(facts, most) {
  const all = firstOfEach(facts).filter(({ resourceType }) => resourceType !== 'Patient');
  const rank = (/** @type {Resource} */ { resourceType }) =>
    (RICH.indexOf(resourceType) + RICH.length + 1) % (RICH.length + 1);
  const known = all.filter(({ resourceType }) => RICH.includes(resourceType)).sort((one, two) => rank(one) - rank(two));
  return [...known, ...all.filter(({ resourceType }) => !RICH.includes(resourceType))].slice(0, most);
}

/** The own resources that no scope permits, one of each type. @param {Facts} facts @param {Actor} actor */
function beyond({ a }, { scopes }) {
  if (scopes === undefined) return [];
  return [...a.resources.values()]
    .filter(({ resourceType }) => !permitsType(scopes, resourceType, 'r') && !permitsType(scopes, resourceType, 's'))
    .filter(once(({ resourceType }) => resourceType));
}

/** @param {Facts} facts @param {string} type @param {string} param */
function isServed({ server }, type, param) {
  const parameters = server.types.get(type)?.parameters;
  return !parameters || parameters.size === 0 || parameters.has(param);
}

/** Values of the other record that can be searched for. @param {Facts} facts @returns {Subject[]} */
function valuesOf(facts) {
  const { b } = facts;
  const person = b.resources.get(`Patient/${b.patient}`) ?? { resourceType: 'Patient' };
  const [name] = listOf(person.name);
  const [telecom] = listOf(person.telecom);
  const [address] = listOf(person.address);
  const ofPatient = [
    ['family', name?.family],
    ['name', name?.family],
    ['given', [name?.given].flat()[0]],
    ['birthdate', person.birthDate],
    ['telecom', telecom?.value],
    ['phone', telecom?.value],
    ['address', [address?.line].flat()[0]],
    ['address-postalcode', address?.postalCode],
  ].flatMap(([param, value]) =>
    typeof value === 'string' && isServed(facts, 'Patient', String(param))
      ? [subject({ type: 'Patient', param: String(param) }, { value })]
      : [],
  );
  const identifiers = firstOfEach(facts).flatMap((resource) => {
    const { system, value, type } = [...listOf(resource.identifier), objectOf(resource.identifier) ?? {}][0] ?? {};
    if (typeof value !== 'string') return [];
    const known = { type: resource.resourceType, param: 'identifier' };
    const [kind] = listOf(objectOf(type)?.coding);
    return [
      subject(known, { value }),
      ...(system ? [subject(known, { value: `${system}|${value}` })] : []),
      ...(kind?.code
        ? [subject({ ...known, param: 'identifier:of-type' }, { value: `${kind.system ?? ''}|${kind.code}|${value}` })]
        : []),
    ];
  });
  return [...ofPatient, ...identifiers];
}

/** @param {Resource} resource */
function categoryOf(resource) {
  const [concept] = Array.isArray(resource.category) ? listOf(resource.category) : [objectOf(resource.category) ?? {}];
  return String(listOf(concept?.coding)[0]?.code ?? 'unknown');
}

/**
 * The own link with the other patient in place of the own.
 *
 * @param {string} page
 * @param {string} own
 * @param {string} other
 */
function changedLinks(page, own, other) {
  const changed = page.replaceAll(new RegExp(`(?<![A-Za-z0-9.-])${own}(?![A-Za-z0-9.-])(?=[^/]*$)`, 'g'), other);
  const separate = page.includes('?') ? '&' : '?';
  return [
    ...(changed === page ? [] : [subject({ link: changed })]),
    subject({ link: `${page}${separate}patient=Patient/${other}` }),
    subject({ link: page.replace(/([?&](?:_offset|_getpagesoffset|_page|page|_skip)=)\d+/, '$10') }),
  ];
}

/** @template T @param {(one: T) => string} keyOf @returns {(one: T) => boolean} */
function once(keyOf) {
  const seen = new Set();
  return (one) => {
    const key = keyOf(one);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
}

/** @template T @param {T[]} all @param {(one: T) => string} keyOf */
const distinct = (all, keyOf) => all.filter(once(keyOf));
