import fc from 'fast-check';
import { wrapped } from '../../../src/gateway/domain/binary/wrapped-content.js';
import { runs } from '../../support/runs.js';

const binary = { resourceType: 'Binary', contentType: 'text/plain' };

async function textOf(pieces: readonly Uint8Array[]): Promise<string> {
  async function* content() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of wrapped(content(), binary)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('Content in any pieces is the data of one resource', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 7 }), { maxLength: 8 }), async (pieces) => {
      const all = Buffer.concat(pieces);
      const data = all.length === 0 ? {} : { data: all.toString('base64') };
      expect(JSON.parse(await textOf(pieces))).toEqual({ ...binary, ...data });
    }),
    runs(200, 5000),
  );
});

test('No content is no data', async () => {
  expect(await textOf([])).toBe('{"resourceType":"Binary","contentType":"text/plain"}');
});
