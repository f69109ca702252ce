import fc from 'fast-check';
import { chunkBytes, openChunks, type Seal, sealChunks } from '../../../src/platform/backup/sealed-chunks.js';
import { runs } from '../../support/runs.js';

const seal: Seal = { key: Buffer.alloc(32, 3), context: Buffer.from('header') };
const sealedBytes = chunkBytes + 16;

async function* cut(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function joined(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

const sealed = (content: Buffer, sizes = [content.length || 1]) => joined(sealChunks(cut(content, sizes), seal));
const opened = (bytes: Buffer, sizes = [bytes.length || 1], by = seal) =>
  joined(openChunks(cut(bytes, sizes), by, 'a.backup'));

const bytesOf = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 256));

/** As long as some chunks, also exactly, with different bytes at each place. */
const content = fc
  .record({ chunks: fc.integer({ min: 0, max: 3 }), more: fc.constantFrom(-1, 0, 1, 17, 30_000) })
  .map(({ chunks, more }) => bytesOf(Math.max(0, chunks * chunkBytes + more)));
const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });

describe('Sealed content', () => {
  it('is opened as it was, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(content, sizes, sizes, async (bytes, written, read) => {
        const stored = await sealed(
          bytes,
          written.map((size) => size + 2_000),
        );
        expect(stored.length).toBe(bytes.length + 16 * Math.max(1, Math.ceil(bytes.length / chunkBytes)));
        expect(
          (
            await opened(
              stored,
              read.map((size) => size + 2_000),
            )
          ).equals(bytes),
        ).toBe(true);
      }),
      runs(30, 500),
    );
  });

  it('is refused after a change of any bit', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.nat(), fc.integer({ min: 0, max: 7 }), async (bytes, place, bit) => {
        const stored = await sealed(bytes);
        const at = place % stored.length;
        stored[at] = (stored[at] ?? 0) ^ (1 << bit);
        await expect(opened(stored)).rejects.toThrow('a.backup was ');
      }),
      runs(30, 500),
    );
  });

  it('is refused after it was cut off at any place', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.nat(), async (bytes, place) => {
        const stored = await sealed(bytes);
        await expect(opened(stored.subarray(0, place % stored.length))).rejects.toThrow('a.backup was cut off');
      }),
      runs(30, 500),
    );
  });

  const three = bytesOf(2 * chunkBytes + 100);
  const chunk = (stored: Buffer, number: number) => stored.subarray(number * sealedBytes, (number + 1) * sealedBytes);

  it.each<[what: string, sentence: string, change: (stored: Buffer) => Buffer[]]>([
    ['a chunk is missing', 'was changed: part 1', (all) => [chunk(all, 1), chunk(all, 2)]],
    ['the last chunk is missing', 'was cut off.', (all) => [chunk(all, 0), chunk(all, 1)]],
    ['chunks have changed places', 'was changed: part 1', (all) => [chunk(all, 1), chunk(all, 0), chunk(all, 2)]],
    ['a chunk is repeated', 'was changed: part 2', (all) => [chunk(all, 0), chunk(all, 0), chunk(all, 2)]],
    ['bytes follow', 'was cut off or changed', (all) => [all, Buffer.from('more')]],
    ['nothing is left', 'was cut off or changed', () => []],
  ])('is refused when %s', async (_what, sentence, change) => {
    await expect(opened(Buffer.concat(change(await sealed(three))))).rejects.toThrow(`a.backup ${sentence}`);
  });

  it('is refused when bytes follow a last chunk that is full', async () => {
    const stored = await sealed(three.subarray(0, chunkBytes));
    await expect(opened(Buffer.concat([stored, Buffer.from('more')]))).rejects.toThrow(
      'a.backup was changed: bytes follow after its end.',
    );
  });

  it('is refused with another key or another header', async () => {
    const stored = await sealed(three);
    for (const other of [{ key: Buffer.alloc(32, 4) }, { context: Buffer.from('other header') }])
      await expect(opened(stored, [stored.length], { ...seal, ...other })).rejects.toThrow('was changed');
  });
});
