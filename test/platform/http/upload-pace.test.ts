import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseUnreadable } from '../../../src/platform/http/front-door.js';
import { limitUploads } from '../../../src/platform/http/upload-pace.js';

const pace = { graceMs: 400, bytesPerSecond: 10_000, intervalMs: 20 };

let server: Server;

beforeAll(async () => {
  server = createServer({ headersTimeout: 10_000, requestTimeout: 0 }, async (request, response) => {
    let size = 0;
    try {
      for await (const chunk of request) size += (chunk as Buffer).length;
    } catch {
      return;
    }
    // Answers may take their time.
    if (size === 1) await sleep(600);
    response.end(`received ${size}`);
  });
  limitUploads(server, pace);
  server.on('clientError', refuseUnreadable);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * Sends a head and then parts of the body, one every 50 ms; returns the answers of the connection and the time until it
 * has closed or the last answer is there.
 */
async function upload(requests: { head: string; parts: string[] }[]) {
  const begun = performance.now();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  let isClosed = false;
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  for (const [index, { head, parts }] of requests.entries()) {
    // Connections are kept between requests.
    if (index > 0) await sleep(600);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    for (const part of parts) {
      if (isClosed) break;
      socket.write(part);
      await sleep(50);
    }
    const isAnswered = () => text.split('received').length > index + 1;
    for (let wait = 0; wait < 100 && !isClosed && !isAnswered(); wait += 1) await sleep(20);
  }
  socket.destroy();
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  return { statuses, text, ms: performance.now() - begun };
}

const parts = (count: number, bytes: number) => Array.from({ length: count }, () => 'x'.repeat(bytes));
const chunks = (all: string[]) => [...all.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`), '0\r\n\r\n'];
const withLength = (all: string[]) => ({ head: `Content-Length: ${all.join('').length}`, parts: all });
const chunked = (all: string[]) => ({ head: 'Transfer-Encoding: chunked', parts: chunks(all) });

describe.each([
  ['with its length', withLength],
  ['in chunks', chunked],
])('a body %s', (_, body) => {
  it('has all the time that it needs as long as it arrives fast enough', async () => {
    const { statuses, text, ms } = await upload([body(parts(24, 1_000))]);
    expect([statuses, text]).toEqual([[200], expect.stringContaining('received 24000')]);
    expect(ms).toBeGreaterThan(2 * pace.graceMs);
  });

  it('is refused with 408, and its connection ended, when it arrives more slowly', async () => {
    const { statuses, text } = await upload([body(parts(60, 50))]);
    expect([statuses, text]).toEqual([[408], expect.stringContaining('Connection: close')]);
  });
});

it('a body that does not arrive is refused after the time of any request', async () => {
  const { statuses, ms } = await upload([{ head: 'Content-Length: 5', parts: parts(60, 0) }]);
  expect(statuses).toEqual([408]);
  expect(ms).toBeGreaterThan(pace.graceMs);
});

it('what arrived with an earlier request on the connection gives a later one no time', async () => {
  const { statuses } = await upload([withLength(parts(1, 60_000)), { head: 'Content-Length: 5', parts: parts(60, 0) }]);
  expect(statuses).toEqual([200, 408]);
});

it('a slow answer, and a connection between two requests, are left alone', async () => {
  const { statuses } = await upload([withLength(['x']), withLength(parts(1, 10))]);
  expect(statuses).toEqual([200, 200]);
});
