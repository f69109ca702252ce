import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import type { FhirServerConnection } from '../../src/fhir-server/domain/connection.js';
import { UndiciConnections } from '../../src/fhir-server/infrastructure/undici-connection.js';
import { Outbound } from '../../src/platform/http/outbound.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { runs } from '../support/runs.js';

type Encode = (bytes: Buffer) => Buffer;
const { zstdCompressSync } = zlib as { zstdCompressSync?: Encode };
const encoders: Readonly<Record<string, Encode>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  'X-GZip': (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  'deflate ': (bytes) => zlib.deflateRawSync(bytes),
  identity: (bytes) => bytes,
  'UTF-8': (bytes) => bytes,
  ...(zstdCompressSync && { zstd: zstdCompressSync }),
};
const mark = Buffer.from('\uFEFF');
const text = JSON.stringify({ resourceType: 'Patient', name: [{ family: 'Müller' }] });

let upstream: Upstream;
let connection: FhirServerConnection;
let answer: { headers: Record<string, string>; body: Buffer; pieces?: number; isCut?: boolean };

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => {
    const { headers, body, pieces = body.length, isCut = false } = answer;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json', ...headers });
    for (let from = 0; from < body.length; from += pieces) response.write(body.subarray(from, from + pieces));
    if (isCut) setImmediate(() => response.destroy());
    else response.end();
  });
  connection = new UndiciConnections(new Outbound([])).connectionTo(
    { baseUrl: upstream.url, credentials: { type: 'none' } },
    5_000,
  );
});
afterAll(async () => {
  await connection.close();
  upstream.close();
});

const read = () => connection.send({ method: 'GET', path: '/Patient/1', headers: {} });

/** The body as it streams. */
async function streamed(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await read()).body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('An answer of the FHIR server', () => {
  it('is asked for without a coding', async () => {
    answer = { headers: {}, body: Buffer.from(text) };
    await (await read()).text(1_000);
    expect(upstream.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  });

  it.each(Object.keys(encoders))('in the coding %s is read, whole and while it arrives', async (coding) => {
    const encode = encoders[coding] as Encode;
    answer = { headers: { 'Content-Encoding': coding }, body: encode(Buffer.from(text)) };
    const whole = await read();
    expect([whole.headers.get('content-encoding'), await whole.text(1_000)]).toEqual([
      ['identity', 'UTF-8'].includes(coding) ? coding : undefined,
      text,
    ]);
    expect(await streamed()).toBe(text);
  });

  it('in any codings, with or without a byte order mark, in any pieces is read as it was', async () => {
    const codings = fc.array(fc.constantFrom(...Object.keys(encoders)), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        codings,
        fc.boolean(),
        fc.nat(200_000),
        fc.integer({ min: 1, max: 5_000 }),
        async (list, hasMark, length, pieces) => {
          const content = JSON.stringify({ resourceType: 'Binary', data: randomBytes(length).toString('base64') });
          const plain = hasMark ? Buffer.concat([mark, Buffer.from(content)]) : Buffer.from(content);
          const body = list.reduce<Buffer>((bytes, coding) => (encoders[coding] as Encode)(bytes), plain);
          answer = {
            headers: { 'Content-Encoding': list.join(', ') },
            body,
            pieces: Math.max(pieces, body.length / 200),
          };
          expect(await (await read()).text(1_000_000)).toBe(content);
          expect(await streamed()).toBe(content);
        },
      ),
      runs(15, 500),
    );
  });

  it('with a byte order mark byte by byte is read without it', async () => {
    answer = { headers: {}, body: Buffer.concat([mark, Buffer.from(text)]), pieces: 1 };
    expect(await (await read()).text(1_000)).toBe(text);
  });

  it('that is no JSON keeps its first bytes', async () => {
    const body = Buffer.concat([mark, Buffer.from('<html>')]);
    answer = { headers: { 'Content-Type': 'text/html' }, body };
    expect(await (await read()).bytes(1_000)).toEqual(body);
  });

  it('without content may name any coding', async () => {
    answer = { headers: { 'Content-Encoding': 'compress, gzip' }, body: Buffer.alloc(0) };
    expect(await (await read()).text(0)).toBe('');
  });

  it.each<[string, string, Buffer]>([
    ['is not known', 'compress', Buffer.from(text)],
    ['has the name of a member of every object', 'constructor', Buffer.from(text)],
    ['is not the one of its body', 'gzip', Buffer.from(text)],
    ['is one of too many', 'gzip, gzip, gzip, gzip', Buffer.from(text)],
    ['is cut off', 'gzip', zlib.gzipSync(randomBytes(1_000)).subarray(0, 500)],
    [
      'is cut off inside of another one',
      'gzip, br',
      zlib.brotliCompressSync(zlib.gzipSync(randomBytes(1_000)).subarray(0, 500)),
    ],
  ])('whose coding %s has a status, and fails where its body is read', async (_what, coding, body) => {
    answer = { headers: { 'Content-Encoding': coding }, body };
    const whole = await read();
    expect(whole.status).toBe(200);
    await expect(whole.text(10_000)).rejects.toMatchObject({ reason: 'garbage', wasSent: true });
    await expect(streamed()).rejects.toMatchObject({ reason: 'garbage' });
  });

  it.each<[string, string, Encode]>([
    ['gzip', 'gzip', (bytes) => zlib.gzipSync(bytes)],
    ['br', 'br', (bytes) => zlib.brotliCompressSync(bytes)],
    ['gzip twice', 'gzip, gzip', (bytes) => zlib.gzipSync(zlib.gzipSync(bytes))],
    ['deflate', 'deflate', (bytes) => zlib.deflateRawSync(bytes)],
  ])('that is a bomb in %s fails before its end, in little memory', async (_what, coding, encode) => {
    answer = { headers: { 'Content-Encoding': coding }, body: encode(Buffer.alloc(64 * 1024 * 1024, ' ')) };
    await expect((await read()).text(1_000_000)).rejects.toMatchObject({ reason: 'too-large' });
    let received = 0;
    const stream = (await read()).body;
    await expect(
      (async () => {
        for await (const chunk of stream) received += (chunk as Buffer).length;
      })(),
    ).rejects.toMatchObject({ reason: 'too-large' });
    expect(received).toBeLessThan(20 * 1024 * 1024);
  });
});
