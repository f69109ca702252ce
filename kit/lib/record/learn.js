// @ts-check

import { withinJson } from '../probe/resources.js';
import { listOf, objectOf } from '../server/capabilities.js';
import { allReferences, COMPARTMENT, localPart, ownersOf } from './compartment.js';

/** @import { Connection } from '../server/connection.js' */
/** @import { Actor, PatientRecord, Resource, Server } from '../types.js' */

const PER_TYPE = 10;
const MOST_BINARIES = 3;
const SHORTEST_MARKER = 6;

/**
 * Reads a few resources of each type with the patient's own token.
 *
 * @param {Connection} connection
 * @param {Server} server
 * @param {Actor & { patient: string }} actor
 * @param {(done: number, all: number) => void} progress
 * @returns {Promise<PatientRecord>}
 */
export async function learnRecord(connection, server, actor, progress) {
  /** @type {PatientRecord} */
  const record = {
    patient: actor.patient,
    resources: new Map(),
    shared: new Set(),
    markers: [],
    pages: [],
    binaries: new Map(),
  };
  const types = Object.keys(COMPARTMENT).filter((type) => server.types.has(type));
  let done = 0;
  for (const type of types) {
    await learnType(connection, server, actor, type, record);
    progress(++done, types.length);
  }
  for (const reference of [...record.resources.values()].flatMap(referencesOf)) {
    const [type = ''] = reference.split('/');
    if (!(type in COMPARTMENT) && type !== 'Binary') record.shared.add(reference);
  }
  await learnPages(connection, server, actor, record);
  await learnBinaries(connection, actor, record);
  record.markers = markersOf(record);
  return record;
}

/**
 * @param {Connection} connection
 * @param {Server} server
 * @param {Actor & { patient: string }} actor
 * @param {string} type
 * @param {PatientRecord} record
 */
async function learnType(connection, server, actor, type, record) {
  const parameters = server.types.get(type)?.parameters ?? new Set();
  const named =
    COMPARTMENT[type]?.find((parameter) => parameters.has(parameter)) ?? COMPARTMENT[type]?.[0] ?? 'patient';
  const condition = type === 'Patient' ? `_id=${actor.patient}` : `${named}=Patient/${actor.patient}`;
  for (const query of [`${condition}&_count=${PER_TYPE}`, `_count=${PER_TYPE}`]) {
    const answer = await connection.send({ method: 'GET', target: `${type}?${query}`, headers: [] }, actor);
    if (answer.status !== 200) continue;
    const found = withinJson(answer.json).filter((one) => one.resourceType === type && one.id !== undefined);
    for (const resource of found) {
      const owners = ownersOf(resource);
      // A server without limits may answer with resources of others as well.
      if (owners.length === 0 || owners.includes(actor.patient))
        record.resources.set(`${type}/${resource.id}`, resource);
    }
    const next = listOf(objectOf(answer.json)?.link).find(({ relation }) => relation === 'next');
    if (typeof next?.url === 'string') record.pages.push(next.url);
    break;
  }
}

/**
 * Asks for links to further pages, of the types that have several resources.
 *
 * @param {Connection} connection
 * @param {Server} server
 * @param {Actor & { patient: string }} actor
 * @param {PatientRecord} record
 */
async function learnPages(connection, server, actor, record) {
  const types = [...record.resources.values()].map(({ resourceType }) => resourceType);
  const several = [...new Set(types.filter((type, at) => types.indexOf(type) !== at))];
  for (const type of several.slice(0, 3)) {
    const named = COMPARTMENT[type]?.find((parameter) => server.types.get(type)?.parameters.has(parameter));
    const condition = named === undefined ? '' : `${named}=Patient/${actor.patient}&`;
    const ask = { method: 'GET', target: `${type}?${condition}_count=1`, headers: [] };
    const { json } = await connection.send(ask, actor);
    const next = listOf(objectOf(json)?.link).find(({ relation }) => relation === 'next');
    if (typeof next?.url === 'string') record.pages.unshift(next.url);
  }
}

/** @param {Connection} connection @param {Actor} actor @param {PatientRecord} record */
async function learnBinaries(connection, actor, record) {
  const linked = [...record.resources.values()].flatMap((resource) =>
    [...JSON.stringify(resource).matchAll(/"url":"([^"]*?)(Binary\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^"]*)?"/g)].map(
      ([, , id = '']) => id,
    ),
  );
  for (const id of [...new Set(linked)].slice(0, MOST_BINARIES)) {
    const answer = await connection.send({ method: 'GET', target: id, headers: [] }, actor);
    const binary = objectOf(answer.json);
    if (answer.status === 200)
      record.binaries.set(id, binary?.resourceType === 'Binary' ? String(binary.data ?? '') : answer.text);
  }
}

/** @param {Resource} resource */
function referencesOf(resource) {
  return allReferences(resource).flatMap((reference) => localPart(reference) ?? []);
}

/**
 * The texts by which a record would be recognised: numbers, full names, addresses and identifiers.
 *
 * @param {PatientRecord} record
 */
function markersOf({ resources, patient }) {
  const found = new Set();
  for (const resource of resources.values()) {
    for (const { value } of [...listOf(resource.identifier), objectOf(resource.identifier) ?? {}]) found.add(value);
    if (resource.id && resource.id.length >= 8) found.add(resource.id);
  }
  const person = resources.get(`Patient/${patient}`);
  for (const { value } of listOf(person?.telecom)) found.add(value);
  for (const { text, family, given } of listOf(person?.name))
    for (const one of [text, [given, family].flat().join(' ')]) found.add(one);
  for (const { line } of listOf(person?.address)) for (const one of [line].flat()) found.add(one);
  return [...found].filter((one) => typeof one === 'string' && one.length >= SHORTEST_MARKER);
}

/**
 * Leaves only what stands in one record and not in the other.
 *
 * @param {PatientRecord} record
 * @param {PatientRecord} other
 */
export function keepDistinct(record, other) {
  const text = JSON.stringify([...other.resources.values()]);
  const distinct = record.markers.filter((marker) => !text.includes(marker));
  record.markers = distinct;
}
