import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { type AnswerShape, AttributedAnswer } from '../../../src/gateway/domain/answers/attributed-answer.js';
import { Attribution, type SeenPatients } from '../../../src/gateway/domain/answers/attribution.js';
import { piecesOf } from '../../support/fhir/pieces.js';
import { runs } from '../../support/runs.js';
import { until } from '../../support/until.js';

const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  ...more,
  subject: { reference: `Patient/${patient}` },
});
const bundle = (resources: object[], more: object = {}) => ({
  resourceType: 'Bundle',
  link: [{ relation: 'self', url: 'http://x/Patient/none' }],
  ...more,
  entry: resources.map((resource) => ({ fullUrl: 'http://x/Patient/none', resource })),
});

interface Passed {
  text: string;
  /** Number of resources by patient. */
  counts: Record<string, number>;
  events: SeenPatients[];
  broke: boolean;
}

/**
 * Passes a text on in pieces. `inspect` gets what has left, and the patients that are recorded, each time that bytes
 * leave.
 */
async function through(
  json: string,
  {
    shape = 'entries',
    sizes = [16_384],
    record = async () => undefined,
    inspect = () => undefined,
  }: {
    shape?: AnswerShape;
    sizes?: number[];
    record?: (number: number) => Promise<void>;
    inspect?: (text: string, patients: ReadonlySet<string>) => void;
  } = {},
): Promise<Passed> {
  const attribution = new Attribution(['http://x']);
  const events: SeenPatients[] = [];
  const recorded = new Set<string>();
  const answer = new AttributedAnswer(attribution, shape, async () => {
    const taken = attribution.takeEvents();
    events.push(...taken);
    await record(events.length);
    for (const { patients } of taken) for (const patient of patients) recorded.add(patient);
  });
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    inspect(Buffer.concat(chunks).toString('latin1'), recorded);
  });
  Readable.from(piecesOf(json, sizes)).pipe(answer);
  const broke = await finished(answer).then(
    () => false,
    () => true,
  );
  const counts: Record<string, number> = {};
  for (const { patients, seen } of events) {
    for (const [index, patient] of patients.entries()) {
      counts[patient] = Object.values(seen[index] ?? {}).reduce((sum, count) => sum + count, counts[patient] ?? 0);
    }
  }
  return { text: Buffer.concat(chunks).toString(), counts, events, broke };
}

const lines = (resources: object[]) => resources.map((resource) => `${JSON.stringify(resource)}\n`).join('');

describe('an answer that is attributed while it passes', () => {
  const noise = fc.constantFrom(
    {},
    { note: [{ text: '"}]{[Patient/none\\' }] },
    { text: 'ä\u2028\uD83D\uDE00' },
    { x: [[{ entry: [1] }]] },
  );
  const resource = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom('p1', 'p2', 'p3', 'p4'), noise).map(([id, more]) => observation(id, more)),
    },
    fc.constantFrom<object>(
      { resourceType: 'Patient', id: 'p5' },
      { resourceType: 'Practitioner', id: 'd1' },
      bundle([observation('p6')]),
    ),
  );
  const shapes: [AnswerShape, (resources: object[]) => string][] = [
    ['entries', (resources) => JSON.stringify(bundle(resources))],
    ['entries', (resources) => `\uFEFF ${JSON.stringify(bundle(resources), null, 1)}\n`],
    ['entries', (resources) => JSON.stringify({ entry: bundle(resources).entry, resourceType: 'Bundle' })],
    ['entries', ([first = {}]) => JSON.stringify(first)],
    ['resource', (resources) => JSON.stringify(bundle(resources))],
    ['lines', lines],
    ['lines', (resources) => lines(resources).trimEnd().replaceAll('\n', '\r\n')],
  ];

  test.each(shapes)(
    'is the same wherever it is split, and no patient leaves unrecorded (%s)',
    async (shape, written) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(resource, { maxLength: 8 }),
          fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 400 })), {
            minLength: 1,
            maxLength: 5,
          }),
          async (resources, sizes) => {
            const text = written(resources);
            const whole = new Attribution(['http://x']);
            for (const one of shape === 'lines' ? text.trim().split(/\r?\n/) : [text])
              if (one !== '') whole.addText(one);
            const expected = Object.fromEntries(
              whole
                .takeEvents()
                .flatMap(({ patients, seen }) =>
                  patients.map((patient, index) => [
                    patient,
                    Object.values(seen[index] ?? {}).reduce((sum, count) => sum + count, 0),
                  ]),
                ),
            );
            const inspect = (left: string, recorded: ReadonlySet<string>) => {
              for (const [, id = ''] of left.matchAll(/"(?:Patient\/|id":\s?")(p\d)"/g)) expect(recorded).toContain(id);
            };
            const passed = await through(text, { shape, sizes, inspect });
            expect([passed.broke, passed.text, passed.counts]).toEqual([false, text, expected]);
          },
        ),
        runs(60, 3_000),
      );
    },
  );

  test('is recorded once when all of it arrives together', async () => {
    const { events } = await through(JSON.stringify(bundle([observation('p1'), observation('p2'), observation('p1')])));
    expect(events).toEqual([{ patients: ['p1', 'p2'], seen: [{ Observation: 2 }, { Observation: 1 }] }]);
  });

  test('is recorded in parts of 500 patients', async () => {
    const many = Array.from({ length: 2_345 }, (_, number) => observation(`p${number}`));
    const { events, counts } = await through(JSON.stringify(bundle(many)));
    expect(Math.max(...events.map(({ patients }) => patients.length))).toBeLessThanOrEqual(500);
    expect(Object.keys(counts)).toHaveLength(2_345);
  });

  test('breaks off where an event cannot be written, and no byte of its patients leaves', async () => {
    const many = Array.from({ length: 300 }, (_, number) => observation(`p${number}`));
    const record = async (events: number) => {
      if (events > 3) throw new Error('the database is gone');
    };
    const passed = await through(JSON.stringify(bundle(many)), { sizes: [2_000], record });
    expect(passed.broke).toBe(true);
    const left = new Set([...passed.text.matchAll(/Patient\/(p\d+)"/g)].map(([, id = '']) => id));
    const named = new Set(passed.events.slice(0, -1).flatMap(({ patients }) => patients));
    expect(left.size).toBeGreaterThan(10);
    expect([...left].filter((id) => !named.has(id))).toEqual([]);
  });

  test('breaks off at its end where the last event cannot be written', async () => {
    const one = lines([observation('p1')]);
    const record = async (events: number) => {
      if (events > 1) throw new Error('the database is gone');
    };
    const passed = await through(one + one, { shape: 'lines', sizes: [one.length], record });
    expect([passed.broke, passed.text]).toEqual([true, one + one]);
  });

  test('that is given up ends quietly where no caller waits for its beginning', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    new AttributedAnswer(new Attribution([]), 'lines', async () => undefined).destroy();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('that cannot be recorded at all does not begin', async () => {
    const attribution = new Attribution([]);
    const answer = new AttributedAnswer(attribution, 'resource', () =>
      Promise.reject(new Error('the database is gone')),
    );
    answer.on('error', () => undefined);
    answer.end(JSON.stringify(observation('p1')));
    await expect(answer.begun).rejects.toThrow('the database is gone');
    expect(answer.read()).toBeNull();
  });

  test('passes on what has arrived, while the rest is still to come', async () => {
    const text = JSON.stringify(bundle([observation('p1'), observation('p2')]));
    const attribution = new Attribution([]);
    const answer = new AttributedAnswer(attribution, 'entries', async () => void attribution.takeEvents());
    let left = '';
    answer.on('data', (chunk: Buffer) => {
      left += chunk;
    });
    answer.write(text.slice(0, -10));
    await until(() => left.includes('Patient/p1'));
    expect(left).not.toContain('p2');
    answer.end(text.slice(-10));
    await finished(answer);
    expect(left).toBe(text);
  });

  test('records the patients counted so far when the client disconnects', async () => {
    const attribution = new Attribution([]);
    const events: SeenPatients[] = [];
    const answer = new AttributedAnswer(
      attribution,
      'lines',
      async () => void events.push(...attribution.takeEvents()),
    );
    answer.on('data', () => undefined);
    answer.write(lines([observation('p1')]));
    await answer.begun;
    answer.write(lines([observation('p1'), observation('p1')]));
    await until(() => !attribution.isEmpty);
    answer.destroy();
    await until(() => attribution.isEmpty);
    expect(events.map(({ seen }) => seen)).toEqual([[{ Observation: 1 }], [{ Observation: 2 }]]);
  });
});

describe('an answer that is not as it should be', () => {
  const long = 'x'.repeat(11 * 1024 * 1024);
  // A text that cannot be read is searched for names: it is better to name a patient too many than one too few.

  test.each<[string, string, string[]]>([
    ['is empty', '', []],
    ['is no JSON', `<html>${'x'.repeat(100_000)}`, []],
    [
      'ends in the midst of a resource',
      JSON.stringify(bundle([observation('p1'), observation('p2')])).slice(0, -6),
      ['none', 'p1', 'p2'],
    ],
    [
      'has two members of one name',
      '{"resourceType":"Observation","x":{},"x":{},"subject":{"reference":"Patient/p1"}}',
      ['p1'],
    ],
    ['has a NUL', '{"resourceType":"Observation","id":"\u0000","subject":{"reference":"Patient/p1"}}', ['p1']],
    ['has a list of resources', `[${JSON.stringify(observation('p1'))}]`, ['p1']],
    [
      'has one resource after the other',
      JSON.stringify(observation('p1')) + JSON.stringify(observation('p2')),
      ['p1', 'p2'],
    ],
    [
      'has entries that are no list',
      '{"resourceType":"Bundle","entry":{"resource":{"resourceType":"Patient","id":"p1"}}}',
      ['p1'],
    ],
    [
      'has an escaped name',
      '{"resource\\u0054ype":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"p1"}}]}',
      ['p1'],
    ],
    ['closes more than it opened', '}}]', []],
    [
      'is nested 10,000 levels deep',
      `${'['.repeat(10_000)}${JSON.stringify(observation('p1'))}${']'.repeat(10_000)}`,
      ['p1'],
    ],
    [
      'has a resource that is too long to be held',
      JSON.stringify(bundle([observation('p1', { long }), observation('p2')])),
      ['none', 'p1', 'p2'],
    ],
    ['has a Patient that is too long to be held', JSON.stringify({ resourceType: 'Patient', id: 'p1', long }), ['p1']],
  ])('passes as it is, and is recorded, when it %s', async (_what, text, patients) => {
    const passed = await through(text, { sizes: [65_536] });
    expect([passed.broke, passed.text === text, Object.keys(passed.counts).sort()]).toEqual([false, true, patients]);
  });
});
