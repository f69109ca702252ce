// @ts-check
import { localPart } from '../record/compartment.js';
import { listOf, objectOf } from '../server/capabilities.js';

/** @import { JsonObject, Resource } from '../types.js' */

/**
 * The search parameters by which a resource can be found, as far as they are named like its elements.
 *
 * @param {Resource} resource
 * @returns {{ param: string, target: string }[]} `target` is `Type/id`
 */
export function linksOf(resource) {
  const found = Object.entries(resource).flatMap(([name, value]) => {
    const objects = Array.isArray(value) ? listOf(value) : [objectOf(value) ?? {}];
    return objects.flatMap((object) => referencesWithin(object).map((reference) => ({ name, reference })));
  });
  return found.flatMap(({ name, reference }) => {
    const target = localPart(reference);
    return target && name !== 'contained' ? [{ param: parameterOf(name), target }] : [];
  });
}

/** @param {JsonObject} object */
function referencesWithin({ reference, actor, individual, location, item }) {
  const direct = typeof reference === 'string' ? [reference] : [];
  const nested = [actor, individual, location, item].flatMap((one) => objectOf(one)?.reference ?? []);
  return [...direct, ...nested].filter((one) => typeof one === 'string');
}

/** @param {string} element */
function parameterOf(element) {
  const special = /** @type {Record<string, string>} */ ({
    generalPractitioner: 'general-practitioner',
    managingOrganization: 'organization',
    medicationReference: 'medication',
    serviceProvider: 'service-provider',
    authorizingPrescription: 'prescription',
    entry: 'item',
  });
  return special[element] ?? element.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
