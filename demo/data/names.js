// @ts-check

/** @import { HumanName } from '@medplum/fhirtypes' */

const FEMALE = [
  ...['Amelia', 'Beatriz', 'Clara', 'Dorothea', 'Elif', 'Fiona', 'Greta', 'Hanna', 'Ingrid', 'Joana', 'Keiko'],
  ...['Leonie', 'Marisol', 'Noémie', 'Olive', 'Priya', 'Quinn', 'Renée', 'Sabine', 'Tamar', 'Uma', 'Viola'],
  ...['Wanda', 'Ximena', 'Yasmin', 'Zoë', 'Adele', 'Brigid', 'Celeste', 'Dalia', 'Esther', 'Flora'],
];
const MALE = [
  ...['Noah', 'Bruno', 'Caspar', 'Darius', 'Emil', 'Felix', 'Gideon', 'Hugo', 'Ibrahim', 'Jonas', 'Kenji'],
  ...['Luca', 'Mateo', 'Nils', 'Oscar', 'Pavel', 'Quentin', 'Rafael', 'Simon', 'Tomás', 'Ulrich', 'Victor'],
  ...['Walter', 'Xavier', 'Yusuf', 'Zeno', 'Arthur', 'Boris', 'Cyrus', 'Dmitri', 'Edwin', 'Frank'],
];

/** No real family has these names, so a reader sees at once that the records are invented. */
const FAMILY = [
  ...['Testwell', 'Samplewood', 'Mockridge', 'Demoray', 'Fixtureford', 'Specimann', 'Trialstone', 'Examplehurst'],
  ...['Placeholm', 'Prototypek', 'Synthfield', 'Stubbings', 'Draftmoor', 'Pilotson', 'Modelby', 'Dummeridge'],
];

export const NUMBER_OF_NAMES = FEMALE.length + MALE.length;

/**
 * The name of the n-th person: first names differ, women and men alternate, and families repeat.
 *
 * @param {number} index from 0
 * @returns {{ name: HumanName, gender: 'female' | 'male' }}
 */
export function personName(index) {
  const given = (index % 2 === 0 ? FEMALE : MALE)[Math.floor(index / 2)];
  const family = FAMILY[(index * 5) % FAMILY.length];
  if (!given || !family) {
    throw new RangeError(`There are names for ${NUMBER_OF_NAMES} people`);
  }
  return { name: { use: 'official', family, given: [given] }, gender: index % 2 === 0 ? 'female' : 'male' };
}

/** @param {HumanName} name */
export function fullName({ prefix = [], given = [], family }) {
  return [...prefix, ...given, family].join(' ');
}

/** @param {HumanName} name */
export function emailOf({ given = [], family }) {
  // Accents are stripped: mail addresses in the demo are plain ASCII.
  return `${given[0]}.${family}@gatehouse.demo`
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}
