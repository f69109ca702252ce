import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { givenTokens } from '../lib/command/given-tokens.js';
import { runKit } from '../lib/command/session.js';
import { Connection, Interrupted, Unreachable } from '../lib/server/connection.js';
import { startSmallGateway } from './small-gateway/listen.js';
import { sound } from './small-gateway/mutants/mutants.js';
import { tokenOf } from './small-gateway/tokens.js';

const ask = { method: 'GET', target: 'Patient/1', headers: [] };
const times: number[] = [];
let answer: (response: ServerResponse, count: number, request: IncomingMessage) => void;
const server = createServer((request, response) => {
  times.push(Date.now());
  answer(response, times.length, request);
});
let base: string;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
});
beforeEach(() => {
  times.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sent = async (pauseMs: number, perSecond = 1_000) => {
  const connection = new Connection(base, { perSecond, pauseMs });
  try {
    return (await connection.send(ask, undefined)).status;
  } finally {
    connection.close();
  }
};
/** Milliseconds between the requests. */
const gaps = () => times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('A request of the kit', () => {
  it.each<[string, () => string]>([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 1_500).toUTCString()],
  ])('is sent again after 429 when Retry-After says, in %s', async (_what, retryAfter) => {
    answer = (response, count) =>
      count === 1 ? response.writeHead(429, { 'Retry-After': retryAfter() }).end() : response.writeHead(200).end('{}');
    expect(await sent(1)).toBe(200);
    expect(gaps()).toEqual([expect.any(Number)]);
    // Dates have no fractions of a second.
    expect(gaps()[0]).toBeGreaterThanOrEqual(490);
  });

  it('is sent again after 503 without Retry-After, each time later, and then answered by it', async () => {
    answer = (response) => response.writeHead(503).end();
    expect(await sent(40)).toBe(503);
    const [first = 0, second = 0, third = 0] = gaps();
    expect([times.length, first >= 38, second >= 76, third >= 152]).toEqual([4, true, true, true]);
  });

  it('is followed by fewer ones after 429', async () => {
    answer = (response, count) => response.writeHead(count === 1 ? 429 : 200).end('{}');
    const connection = new Connection(base, { perSecond: 4, pauseMs: 1 });
    for (let index = 0; index < 4; index += 1) await connection.send(ask, undefined);
    connection.close();
    // 4 a second are 250 ms; after the first answer it is half as much again, less what a busy machine delays one.
    const whole = gaps().slice(1);
    expect([whole.length, whole.reduce((sum, gap) => sum + gap, 0) >= 900]).toEqual([3, true]);
  });

  it('fails in words when nothing answers', async () => {
    answer = (response) => response.socket?.destroy();
    await expect(sent(1)).rejects.toThrow(Unreachable);
    expect(times).toHaveLength(4);
  });

  it('is not sent once the run is interrupted, not even while it waits; what is to be removed is', async () => {
    const interruption = new AbortController();
    answer = (response) => {
      response.writeHead(429, { 'Retry-After': '30' }).end();
      setTimeout(() => interruption.abort(), 30);
    };
    const connection = new Connection(base, { perSecond: 1_000, signal: interruption.signal });
    const waiting = connection.send(ask, undefined);
    await expect(waiting).rejects.toThrow(Interrupted);
    await expect(connection.send(ask, undefined)).rejects.toThrow(Interrupted);
    expect(times).toHaveLength(1);
    answer = (response) => response.writeHead(204).end();
    expect((await connection.send(ask, undefined, { isCleanUp: true })).status).toBe(204);
    connection.close();
  });
});

it('A server that answers nothing but 429 ends the run, and the ways are not said to have found nothing', async () => {
  const { base: url, gateway, close } = await startSmallGateway(sound);
  const handle = gateway.handle.bind(gateway);
  let isBusy = false;
  gateway.handle = (...request) => {
    const [, target] = request;
    isBusy ||= target.startsWith('$graphql');
    return isBusy ? { status: 429, headers: { 'Retry-After': '0' } } : handle(...request);
  };
  const tokens = JSON.stringify({ a: tokenOf('ann', 'patient/*.rs'), b: tokenOf('ben', 'patient/*.rs') });
  // Each 429 makes it slower, so that the last requests of a usual rate would be seconds apart.
  const settings = { base: url, perSecond: 10_000_000, minutes: 0, pauseMs: 1, isWriting: false, only: ['graphql'] };
  const { results, stopped } = await runKit(settings, givenTokens(tokens, {}), { phase() {}, step() {}, found() {} });
  close();
  expect(stopped).toMatch(/keeps answering 429/);
  expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['could not be tried']));
});

it('A server that leaves one kind of request without an answer is tried with all others', async () => {
  const { base: url, gateway, close } = await startSmallGateway(sound);
  const handle = gateway.handle.bind(gateway);
  gateway.handle = (...request) => (request[1].startsWith('$graphql') ? { status: 0 } : handle(...request));
  const tokens = JSON.stringify({ a: tokenOf('ann', 'patient/*.rs'), b: tokenOf('ben', 'patient/*.rs') });
  const settings = { base: url, perSecond: 100_000, minutes: 0, timeoutMs: 1_000, isWriting: false };
  const report = await runKit({ ...settings, only: ['graphql', 'documents'] }, givenTokens(tokens, {}), {
    phase() {},
    step() {},
    found() {},
  });
  close();
  const { results, stopped } = report;
  expect(stopped).toBe(undefined);
  const [first] = results;
  expect([first?.way.id, first?.state, first?.reason]).toEqual([
    'graphql',
    'could not be tried',
    'each request ended with an error of the server',
  ]);
  expect(first?.tried).toBeLessThan(first?.variants ?? 0);
  expect(results.at(-1)?.state).toBe('nothing found');
});
