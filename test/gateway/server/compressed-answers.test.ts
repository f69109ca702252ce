import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib';
import { codingFor } from '../../../src/gateway/http/compression.js';
import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';
import { sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const json = { 'Content-Type': 'application/fhir+json; charset=utf-8' };

describe('The content coding of an answer', () => {
  test.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['deflate', undefined],
    ['zstd', undefined],
    ['gzip;q=1.2.3', undefined],
    ['gzip;level=9', 'gzip'],
  ])('for Accept-Encoding %j is %s', (accepted, coding) => {
    expect(codingFor(accepted, json, 5_000)).toBe(coding);
  });

  test.each<[string, object, number | undefined, string | undefined]>([
    ['a long one', json, 1_400, 'gzip'],
    ['a short one', json, 1_399, undefined],
    ['one whose length is not known', json, undefined, 'gzip'],
    ['an export', { 'Content-Type': 'application/fhir+ndjson' }, undefined, 'gzip'],
    ['the SMART configuration', { 'Content-Type': 'application/json' }, 2_000, 'gzip'],
    ['a picture', { 'Content-Type': 'image/png' }, 2_000, undefined],
    ['a document in JSON', { ...json, 'Content-Disposition': 'attachment' }, 2_000, undefined],
    ['nothing', {}, 2_000, undefined],
  ])('for %s is %s', (_what, headers, bytes, coding) => {
    expect(codingFor('gzip', { ...headers }, bytes)).toBe(coding);
  });
});

interface Raw {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** As it is on the wire. */
function raw(url: string, token: string, headers: Record<string, string>, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { authorization: `Bearer ${token}`, ...headers } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
    })
      .on('error', reject)
      .end();
  });
}

const decoded = { br: brotliDecompressSync, gzip: gunzipSync };

describe('An answer to an app', () => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect('HAPI'));
  });
  afterAll(() => gateway.close());

  test.each(tokenKinds)('is compressed if it accepts that, with the token for %s', async (kind) => {
    for (const path of ['/Observation?patient=a', '/Patient/a/$everything']) {
      const url = gateway.gateway.base + path;
      const token = gateway.tokenFor(kind);
      const plain = await raw(url, token, {});
      expect([plain.status, plain.headers['content-encoding'], plain.body.length > 1_400]).toEqual([
        200,
        undefined,
        true,
      ]);
      for (const coding of ['br', 'gzip'] as const) {
        const { status, headers, body } = await raw(url, token, { 'accept-encoding': coding });
        expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'Accept-Encoding']);
        expect(Number(headers['content-length'])).toBe(body.length);
        expect(body.length).toBeLessThan(plain.body.length / 2);
        const text = (bytes: Buffer) => bytes.toString().replace(/_link=[\w-]+/g, '');
        expect(text(decoded[coding](body))).toBe(text(plain.body));
      }
    }
  });

  test('is left as it is if it is short, a document, a refusal or asked for by HEAD', async () => {
    const token = gateway.tokenFor('everything');
    for (const [path, method] of [
      ['/Patient/a', 'GET'],
      ['/Binary/a-bin', 'GET'],
      ['/Patient/none', 'GET'],
      ['/Observation?patient=a', 'HEAD'],
    ] as const) {
      const { headers } = await raw(gateway.gateway.base + path, token, { 'accept-encoding': 'br, gzip' }, method);
      expect([path, headers['content-encoding']]).toEqual([path, undefined]);
    }
  });
});

test('is not compressed where the portal is told not to', async () => {
  const gateway = await DialectGateway.start(dialect('HAPI'), {}, { compress: false });
  try {
    const url = `${gateway.gateway.base}/Observation?patient=a`;
    const { headers } = await raw(url, gateway.tokenFor('everything'), { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  } finally {
    await gateway.close();
  }
});

describe('A streamed answer', () => {
  const server = useScriptedServer({ audit: { attribution: 'context' } });
  const entry = (index: number) => ({ resource: { resourceType: 'Patient', id: `${index}`, name: [{ text: 'Sam' }] } });
  const bundle = (count: number) => ({
    resourceType: 'Bundle',
    type: 'searchset',
    entry: Array.from({ length: count }, (_, index) => entry(index)),
  });

  test.each(['br', 'gzip'] as const)('is compressed as %s', async (coding) => {
    const { gateway, systemToken } = server;
    const whole = JSON.stringify(bundle(10_000));
    server.behave = (_request, response) => sendFhir(response, whole);
    const { headers, body } = await raw(`${gateway.base}/Patient`, systemToken, { 'accept-encoding': coding });
    expect([headers['content-encoding'], headers['content-length']]).toEqual([coding, undefined]);
    expect(decoded[coding](body).toString()).toBe(whole);
  });

  test('arrives while the server still sends it, and breaks off as the server’s does', async () => {
    const { gateway, systemToken } = server;
    const whole = JSON.stringify(bundle(10_000));
    let destroy = () => {};
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).write(whole.slice(0, 300_000));
      destroy = () => response.destroy();
    };
    const headers = { authorization: `Bearer ${systemToken}`, 'accept-encoding': 'gzip' };
    const response = await new Promise<IncomingMessage>((resolve) =>
      request(`${gateway.base}/Patient`, { headers }, resolve).end(),
    );
    let size = 0;
    const unzipped = response.pipe(createGunzip());
    unzipped.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    const failed = new Promise((resolve) => response.once('error', resolve));
    while (size < 250_000) await sleep(10);
    destroy();
    expect(await failed).toBeInstanceOf(Error);
    expect(size).toBeLessThanOrEqual(300_000);
  });
});
