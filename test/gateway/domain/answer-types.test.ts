import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { AnswerTypes } from '../../../src/gateway/domain/answer-types.js';
import { runs } from '../../support/runs.js';

/** Returns the text that is passed on, and whether the stream ended with an error. */
async function through(json: string, types: AnswerTypes, sizes: number[]): Promise<{ text: string; broke: boolean }> {
  const bytes = Buffer.from(json);
  const chunks: Buffer[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  let passed = '';
  types.on('data', (chunk: Buffer) => {
    passed += chunk.toString('latin1');
  });
  const broke = await pipeline(Readable.from(chunks), types, async (source) => void (await text(source))).then(
    () => false,
    () => true,
  );
  return { text: passed, broke };
}

const ofObservations = new Set(['Observation']);
const bundleOf = (...resources: unknown[]) =>
  JSON.stringify({ resourceType: 'Bundle', type: 'searchset', entry: resources.map((resource) => ({ resource })) });
const [observation, patient] = [
  { resourceType: 'Observation', id: 'o1', note: [{ text: '"}]' }] },
  { resourceType: 'Patient', id: 'secret' },
];

describe('checking the resource types of a response while it is streamed', () => {
  const good: [string, boolean, string][] = [
    ['a resource of the type', false, JSON.stringify(observation)],
    [
      'a resource with its type at the end',
      false,
      '{"id":"o1","x":{"resourceType":"Patient"},"resourceType":"Observation"}',
    ],
    ['an outcome', false, '{"resourceType":"OperationOutcome"}'],
    ['nothing', false, ''],
    ['a Bundle of the type', true, bundleOf(observation, observation)],
    ['an empty Bundle', true, '{"resourceType":"Bundle"}'],
    [
      'a Bundle with its type at the end',
      true,
      '{"entry":[{"resource":{"resourceType":"Observation"}}],"resourceType":"Bundle"}',
    ],
    ['a resource that contains one of another type', true, bundleOf({ ...observation, contained: [patient] })],
    ['a deletion', true, '{"resourceType":"Bundle","entry":[{"request":{"method":"DELETE"},"resource":null}]}'],
  ];

  const bad: [string, boolean, string][] = [
    ['a resource of another type', false, JSON.stringify(patient)],
    ['a Bundle in place of a resource', false, bundleOf(observation)],
    ['a resource without a type', false, '{"id":"secret"}'],
    ['two types', false, '{"resourceType":"Observation","resourceType":"Patient","id":"secret"}'],
    ['two resources', false, `${JSON.stringify(observation)}${JSON.stringify(patient)}`],
    ['a list', false, JSON.stringify([patient])],
    ['a name that is spelt in another way', false, '{"resourceType":"Observation","resource\\u0054ype":"Patient"}'],
    ['a Bundle with another type among its entries', true, bundleOf(observation, patient)],
    ['a resource in place of a Bundle', true, JSON.stringify(patient)],
    ['an entry without a type', true, bundleOf({ id: 'secret' })],
    ['entries that are no list', true, '{"resourceType":"Bundle","entry":{"resource":{"resourceType":"Patient"}}}'],
    ['an entry that is a list', true, '{"resourceType":"Bundle","entry":[[{"resource":{"resourceType":"Patient"}}]]}'],
    [
      'a resource that is a list',
      true,
      '{"resourceType":"Bundle","entry":[{"resource":[{"resourceType":"Patient"}]}]}',
    ],
    ['a member twice', true, '{"resourceType":"Bundle","entry":[],"entry":[{"resource":{"resourceType":"Patient"}}]}'],
    ['an escaped member', true, '{"resourceType":"Bundle","\\u0065ntry":[{"resource":{"resourceType":"Patient"}}]}'],
    [
      'an answer that is cut off within a resource',
      true,
      '{"resourceType":"Bundle","entry":[{"resource":{"id":"secret',
    ],
  ];

  it.each(good)('passes %s unchanged, however it is divided into chunks', async (_title, isBundle, json) => {
    for (const size of [1, 2, 7, 10_000]) {
      const passed = await through(json, new AnswerTypes(ofObservations, isBundle), [size]);
      expect(passed).toEqual({ text: json, broke: false });
    }
  });

  it.each(bad)('ends the response at %s, without any part of it', async (_title, isBundle, json) => {
    for (const size of [1, 2, 7, 10_000]) {
      const passed = await through(json, new AnswerTypes(ofObservations, isBundle), [size]);
      expect(passed.broke).toBe(true);
      expect(passed.text).not.toContain('secret');
      expect(passed.text).not.toContain('Patient"');
    }
  });

  it('decides for any Bundle as a check of the whole Bundle does', async () => {
    const resource = fc.record(
      {
        x: fc.jsonValue({ maxDepth: 2 }),
        resourceType: fc.constantFrom('Observation', 'Patient', 'OperationOutcome'),
        y: fc.string(),
      },
      { requiredKeys: ['x'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(resource, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (resources, sizes) => {
          const json = bundleOf(...resources);
          const isGood = resources.every(({ resourceType = '' }) =>
            /^(Observation|OperationOutcome)$/.test(resourceType),
          );
          const { text: passed, broke } = await through(
            json,
            new AnswerTypes(new Set(['Observation', 'OperationOutcome']), true),
            sizes,
          );
          expect(broke).toBe(!isGood);
          if (isGood) expect(Buffer.from(passed, 'latin1').toString()).toBe(json);
        },
      ),
      runs(200, 20_000),
    );
  });
});
