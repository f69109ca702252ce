import fc from 'fast-check';
import { decodeFrames, encodeFrames, type Frame } from '../../../src/platform/backup/content-frames.js';
import { runs } from '../../support/runs.js';

const contentsOf = (names: string[]): Frame => ({
  contents: {
    migrations: ['Platform1763700000000'],
    tables: names.map((name) => ({ name, columns: ['id', 'a "column"'] })),
    sequences: [{ name: 'audit_event_id_seq', value: '9007199254740993' }],
    partitions: [{ name: 'audit_event_2026_03', from: '2026-03-01 00:00:00+00', to: '2026-04-01 00:00:00+00' }],
    masterKey: null,
  },
});

async function* each<T>(list: T[]): AsyncGenerator<T> {
  yield* list;
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}

const encoded = async (frames: Frame[]) => Buffer.concat(await all(encodeFrames(each(frames))));
const decoded = (bytes: Buffer, size = bytes.length || 1) => {
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return all(decodeFrames(each(parts), 'a.backup'));
};

/** Tables with the pieces of their rows. */
const tables = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1 }),
    rows: fc.nat(1_000_000),
    pieces: fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
  }),
  { maxLength: 6, selector: ({ name }) => name },
);

describe('Frames of a backup', () => {
  it('are read as they were written, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 400 }), async (list, size) => {
        const frames: Frame[] = [
          contentsOf(list.map(({ name }) => name)),
          ...list.flatMap(({ name, rows, pieces }): Frame[] => [
            { table: name },
            ...pieces.map((piece) => ({ data: Buffer.from(piece) })),
            { rows },
          ]),
          { end: { tables: list.length, rows: list.reduce((sum, { rows }) => sum + rows, 0) } },
        ];
        expect(await decoded(await encoded(frames), size)).toEqual(frames);
      }),
      runs(100, 3_000),
    );
  });

  const contents = contentsOf(['account', 'client']);
  const whole: Frame[] = [
    contents,
    { table: 'account' },
    { data: Buffer.from('1\tada\n') },
    { rows: 1 },
    { table: 'client' },
    { rows: 0 },
    { end: { tables: 2, rows: 1 } },
  ];

  it.each<[what: string, frames: (Frame | undefined)[]]>([
    ['without the list of contents', whole.slice(1)],
    ['with the contents twice', [contents, ...whole]],
    ['with a table too few', [...whole.slice(0, 4), { end: { tables: 1, rows: 1 } }]],
    ['with a table twice', [...whole.slice(0, 4), ...whole.slice(1, 4), { end: { tables: 2, rows: 2 } }]],
    ['with tables in another order', [contents, ...whole.slice(4, 6), ...whole.slice(1, 4), whole[6]]],
    ['with rows outside of a table', [contents, whole[2], ...whole.slice(1)]],
    ['with a table that has no end', [contents, { table: 'account' }, ...whole.slice(4)]],
    ['with another sum', [...whole.slice(0, 6), { end: { tables: 2, rows: 2 } }]],
    ['without an end', whole.slice(0, 6)],
    ['with something after its end', [...whole, { table: 'account' }]],
    ['without anything', []],
  ])('are refused %s', async (_what, frames) => {
    const given = frames.flatMap((frame) => frame ?? []);
    await expect(encoded(given).then((bytes) => decoded(bytes))).rejects.toThrow(
      'a.backup was not written as this release reads it',
    );
  });

  it.each<[what: string, bytes: Buffer]>([
    ['of an unknown kind', Buffer.from([9, 0, 0, 0, 0])],
    ['of facts that are no JSON', Buffer.from([1, 0, 0, 0, 1, 123])],
    ['of facts that are not known', Buffer.concat([Buffer.from([1, 0, 0, 0, 9]), Buffer.from('{"a":"b"}')])],
    ['longer than any', Buffer.from([2, 0xff, 0xff, 0xff, 0xff, 0])],
    ['that has no end', Buffer.from([1, 0, 0, 0, 200, 123])],
  ])('are refused with one %s', async (_what, bytes) => {
    await expect(decoded(bytes)).rejects.toThrow('a.backup was not written as this release reads it');
  });
});
