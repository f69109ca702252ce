import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { AnswerTypes, assertTypes, UnexpectedType } from '../../../src/gateway/domain/answers/answer-types.js';
import { piecesOf } from '../../support/fhir/pieces.js';
import { runs } from '../../support/runs.js';

/** Returns the text that is passed on, and whether the stream ended with an error. */
async function through(json: string, types: AnswerTypes, sizes: number[]): Promise<{ text: string; broke: boolean }> {
  let passed = '';
  types.on('data', (chunk: Buffer) => {
    passed += chunk.toString('latin1');
  });
  const broke = await pipeline(
    Readable.from(piecesOf(json, sizes)),
    types,
    async (source) => void (await text(source)),
  ).then(
    () => false,
    () => true,
  );
  return { text: passed, broke };
}

/** Writes the chunks one by one. Returns the text that has been passed on after each of them, and the error. */
async function written(
  types: AnswerTypes,
  ...chunks: (string | Buffer)[]
): Promise<{ passed: string[]; error?: Error }> {
  const outcome: { passed: string[]; error?: Error } = { passed: [] };
  types.on('error', (error) => {
    outcome.error = error;
  });
  for (const chunk of chunks) {
    types.write(chunk);
    outcome.passed.push(types.read()?.toString('latin1') ?? '');
  }
  types.end();
  types.resume();
  await finished(types).catch(() => undefined);
  return outcome;
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
    [
      'a type outside of a resource',
      true,
      '{"resourceType":"Bundle","entry":[{"request":{"resourceType":"Patient"}}]}',
    ],
    ['an outcome in place of a Bundle', true, '{"resourceType":"OperationOutcome"}'],
    [
      'a type in another member than the entries',
      true,
      '{"resourceType":"Bundle","x":[{"resource":{"resourceType":"Patient"}}]}',
    ],
    ['a member of any shape beside the entries', true, '{"resourceType":"Bundle","x":{"a":[["b"]]},"y":[["c"]]}'],
    [
      'a member of any shape beside a resource',
      true,
      '{"resourceType":"Bundle","entry":[{"link":[{"a":1},["b"]],"search":["c"],"resource":{"resourceType":"Observation"}}]}',
    ],
    ['a list in a resource', false, '{"resourceType":"Observation","entry":{"a":[[{"resource":["b"]}]]}}'],
    [
      'a type as deep as that of an entry',
      false,
      '{"resourceType":"Observation","entry":[{"resource":{"resourceType":"Patient"}}]}',
    ],
    ['an escaped name deeper in a resource', false, '{"resourceType":"Observation","a":{"\\u0062":1}}'],
    ['an escaped name deeper in an entry', true, bundleOf({ ...observation, a: 1 }).replace('"text"', '"\\u0074ext"')],
  ];

  const bad: [string, boolean, string][] = [
    ['a resource of another type', false, JSON.stringify(patient)],
    ['a Bundle in place of a resource', false, bundleOf(observation)],
    ['a resource without a type', false, '{"id":"secret"}'],
    ['two types', false, '{"resourceType":"Observation","resourceType":"Patient","id":"secret"}'],
    ['two resources', false, `${JSON.stringify(observation)}${JSON.stringify(patient)}`],
    ['two resources of the type', false, '{"resourceType":"Observation"}{"id":"secret","resourceType":"Observation"}'],
    ['a resource without a type before one with it', false, '{"id":"secret"}{"resourceType":"Observation"}'],
    ['an entry without a type before one with it', true, bundleOf({ id: 'secret' }, observation)],
    [
      'an entry with two resources, the first without a type',
      true,
      '{"resourceType":"Bundle","entry":[{"resource":{"id":"secret"},"resource":{"resourceType":"Observation"}}]}',
    ],
    ['an answer that is cut off before its type', false, '{"id":"secret'],
    [
      'an entry with an escaped second type',
      true,
      '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Observation","resource\\u0054ype":"Patient","id":"secret"}}]}',
    ],
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
      const chunks = json.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const text = (await written(new AnswerTypes(ofObservations, isBundle), ...chunks)).passed.join('');
      expect(text).not.toContain('secret');
      expect(text).not.toContain('Patient"');
    }
  });

  it.each(good)('accepts %s as a whole', (_title, isBundle, json) => {
    expect(() => assertTypes(json, { types: ofObservations, isBundle })).not.toThrow();
  });

  it.each(bad)('refuses %s as a whole', (_title, isBundle, json) => {
    expect(() => assertTypes(json, { types: ofObservations, isBundle })).toThrow(UnexpectedType);
  });

  it.each(['1', ' ', '"x"'])('refuses %j, which has no type', (json) => {
    expect(() => assertTypes(json, { types: ofObservations, isBundle: false })).toThrow(
      'the answer ended without the type of a resource',
    );
  });

  it('passes each resource on as soon as its type is known, and nothing of the next one', async () => {
    const [bundle, first, second] = [
      '{"resourceType":"Bundle","entry":[{"resource":',
      '{"id":"o1","resourceType":"Observation"',
      '{"id":"o2"',
    ];
    const { passed } = await written(
      new AnswerTypes(ofObservations, true),
      bundle,
      `${first}}},{"resource":${second}`,
      ',"resourceType":"Observation"',
      '}}]}',
    );
    expect(passed).toEqual([bundle, `${first}}},{"resource":`, `${second},"resourceType":"Observation"`, '}}]}']);
  });

  it('passes nothing on before the type of the answer is known', async () => {
    const { passed } = await written(
      new AnswerTypes(ofObservations, false),
      '{"id":',
      '"o1"',
      ',"resourceType":"Observation"}',
    );
    expect(passed).toEqual(['', '', '{"id":"o1","resourceType":"Observation"}']);
  });

  it('holds at most 10 MiB of a resource whose type is still unknown', async () => {
    const most = 10 * 1024 * 1024;
    const begun = (bytes: number) => Buffer.from('{"id":"'.padEnd(bytes, 'x'));
    const late = '","resourceType":"Observation"}';
    const held = await written(new AnswerTypes(ofObservations, false), begun(most), late);
    expect([held.error, held.passed[1]?.length]).toEqual([undefined, most + late.length]);
    const { passed, error } = await written(new AnswerTypes(ofObservations, false), begun(most), 'x', late);
    expect(error?.message).toBe('the type of a resource comes too late in the answer');
    expect(passed.join('')).toBe('');
  });

  it('holds as much of each resource', async () => {
    const most = 10 * 1024 * 1024;
    const [half, rest] = ['{"id":"'.padEnd(most / 2, 'x'), 'x'.repeat(most / 2)];
    const typed = '","resourceType":"Observation"}}';
    const { error } = await written(
      new AnswerTypes(ofObservations, true),
      '{"resourceType":"Bundle","entry":[{"resource":',
      half,
      rest,
      `${typed},{"resource":`,
      half,
      rest,
      `${typed}]}`,
    );
    expect(error).toBeUndefined();
  });

  it.each([
    ['another type', JSON.stringify(patient), 'Patient in place of Observation, Condition, OperationOutcome'],
    ['an escaped name', '{"\\u0069d":1}', 'the answer has an escaped name'],
    ['a list', '[]', 'the answer does not have the shape of a resource'],
    ['a resource without a type', '{"id":"o1"}', 'an answer without a type'],
    ['the first byte of a resource', '{', 'the answer ended without the type of a resource'],
    ['half a resource', '{"id":"o1"', 'the answer ended without the type of a resource'],
  ])('names the reason to end the response: %s', async (_, json, reason) => {
    const { error } = await written(new AnswerTypes(new Set(['Observation', 'Condition']), false), json);
    expect(error).toEqual(new UnexpectedType(reason));
  });

  it('names an entry without a type as the reason to end the response', async () => {
    const { error } = await written(new AnswerTypes(ofObservations, true), bundleOf({ id: 'o1' }));
    expect(error).toEqual(new UnexpectedType('a resource without a type'));
  });

  it.each([
    ['the first part was passed on', ['{"resourceType":"Observation"']],
    ['an empty answer has ended', []],
  ])('has begun when %s', async (_, chunks) => {
    const types = new AnswerTypes(ofObservations, false);
    for (const chunk of chunks) types.write(chunk);
    if (chunks.length === 0) types.end();
    types.resume();
    await expect(types.begun).resolves.toBeUndefined();
  });

  it('has not begun when the answer breaks off before', async () => {
    const [lost, refused] = [new AnswerTypes(ofObservations, false), new AnswerTypes(ofObservations, false)];
    lost.write('{"id":');
    lost.destroy();
    await expect(lost.begun).rejects.toThrow('the answer broke off');
    refused.on('error', () => undefined);
    refused.write('{"resourceType":"Patient"');
    await expect(refused.begun).rejects.toThrow('Patient in place of Observation');
  });

  it('ends quietly when no caller waits for its beginning', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    new AnswerTypes(ofObservations, false).destroy();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
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
