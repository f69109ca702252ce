import fc from 'fast-check';
import { ArrivingBinary, BrokenBinary, NoBinary } from '../../../src/gateway/domain/binary/arriving-binary.js';
import { piecesOf } from '../../support/fhir/pieces.js';
import { runs } from '../../support/runs.js';

async function* arrival(text: string, sizes: number[]): AsyncGenerator<Buffer> {
  yield* piecesOf(text, sizes);
}

async function whole(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const reading = (text: string, sizes = [text.length]) => new ArrivingBinary(arrival(text, sizes), () => undefined);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('a Binary that arrives', () => {
  test('is told from its content in whatever order and pieces it comes', async () => {
    const members = fc.uniqueArray(
      fc.constantFrom<[string, unknown]>(
        ['resourceType', 'Binary'],
        ['id', 'b1'],
        ['contentType', 'text/plain'],
        ['data', Buffer.from('a "text" \\ of some length').toString('base64')],
        ['meta', { versionId: '1', data: 'in another member', tag: [{ display: 'ä "data": "x"' }] }],
        ['language', 'de \\"data\\": {'],
        ['_data', { extension: [{ url: 'http://x', valueString: 'data' }] }],
      ),
      { minLength: 7, maxLength: 7, selector: ([name]) => name },
    );
    await fc.assert(
      fc.asyncProperty(
        members,
        sizes,
        fc.boolean(),
        fc.constantFrom('', ' ', '\n\t'),
        async (all, pieces, early, space) => {
          const text = `{${all.map(([name, value]) => `${space}"${name}"${space}:${space}${JSON.stringify(value)}`)}${space}}`;
          const { data: _, ...rest } = JSON.parse(text);
          const arriving = reading(text, pieces);
          const head = await arriving.head(!early);
          expect(head?.hasContent).toBe(true);
          if (early) expect(head?.resource).toMatchObject({ resourceType: 'Binary', contentType: 'text/plain' });
          else expect(head?.resource).toEqual({ ...rest, data: '' });
          expect(await whole(arriving.content())).toBe('a "text" \\ of some length');
          const again = reading(text, pieces);
          await again.head(!early);
          expect(await whole(again.text())).toBe(text);
        },
      ),
      runs(150, 3_000),
    );
  });

  test('is not read further than to its content', async () => {
    const arrived: number[] = [];
    async function* pieces() {
      for (const piece of ['{"resourceType":"Binary","contentType":"text/plain","data":"QUJD', 'QUJD', '"}']) {
        arrived.push(piece.length);
        yield Buffer.from(piece);
      }
    }
    const held: number[] = [];
    const arriving = new ArrivingBinary(pieces(), (bytes) => {
      held.push(bytes);
    });
    await arriving.head(false);
    expect([arrived.length, held]).toEqual([1, arrived]);
    expect(await whole(arriving.content())).toBe('ABC'.repeat(2));
    expect([arrived.length, held.length]).toEqual([3, 1]);
  });

  test.each([
    '{"resourceType":"Bundle","data":"x"}',
    '{"resourceType":"Bundle","entry":[',
    '{"a":{"resourceType":"Binary"}}',
    '{}',
  ])('is none if it is %s', async (text) => {
    const arriving = reading(text, [3]);
    expect(await arriving.head(true)).toBeUndefined();
    expect(await whole(arriving.text())).toBe(text);
  });

  test.each([
    ['[{"resourceType":"Binary"}]', NoBinary],
    ['null', NoBinary],
    ['"Binary"', NoBinary],
    ['', NoBinary],
    ['{"id":"1"', NoBinary],
    [`{"a":"${'x'.repeat(1024 * 1024)}"}`, NoBinary],
    ['{"resourceType":"Binary"', BrokenBinary],
    ['{"resourceType":"Binary","data":"AAAA","data":"BBBB"}', BrokenBinary],
    [`{"resourceType":"Binary","a":"${'x'.repeat(1024 * 1024)}"}`, BrokenBinary],
  ])('is not read from %.60s', async (text, kind) => {
    await expect(reading(text, [100_000]).head(true)).rejects.toThrow(kind);
  });

  test.each([
    ['{"resourceType":"Binary"}', false, undefined],
    ['{"resourceType":"Binary","data":null}', false, null],
    ['{"resourceType":"Binary","data":""}', true, ''],
    ['{"resourceType":"Binary","data":{"data":"AAAA"}}', false, { data: 'AAAA' }],
  ])('may lack its content: %s', async (text, hasContent, data) => {
    const head = await reading(text).head(true);
    expect([head?.hasContent, (head?.resource as { data?: unknown } | undefined)?.data]).toEqual([hasContent, data]);
  });

  test('ends the answer that it is read from', async () => {
    let isEnded = false;
    async function* pieces() {
      try {
        for (;;) yield Buffer.from('{"resourceType":"Binary","contentType":"a/b","data":"AAAA');
      } finally {
        isEnded = true;
      }
    }
    const arriving = new ArrivingBinary(pieces(), () => undefined);
    await arriving.head(false);
    await arriving.close();
    await arriving.close();
    expect([isEnded, await whole(arriving.text())]).toEqual([true, '']);
  });
});
