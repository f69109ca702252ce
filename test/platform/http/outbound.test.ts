import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import ipaddr from 'ipaddr.js';
import { Outbound } from '../../../src/platform/http/outbound.js';

const limits = { timeoutMs: 2_000, maxBytes: 1_000 };
let port: number;
let asked = 0;
const server = createServer((_request, response) => {
  asked += 1;
  response.end('here');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

beforeEach(() => {
  asked = 0;
});

afterAll(() => server.close());

async function reaches(allowed: string[], host: string): Promise<boolean> {
  const outbound = new Outbound(allowed);
  const answer = await outbound.send(`http://${host}:${port}/`, limits).catch(() => undefined);
  await outbound.close();
  expect(asked).toBe(answer ? 1 : 0);
  return answer?.body.toString() === 'here';
}

describe('M-03 requests to hosts of the own network', () => {
  test.each<[string[], string, boolean]>([
    [[], 'localhost', false],
    [[], '127.0.0.1', false],
    [[], '2130706433', false],
    [['other.example'], 'localhost', false],
    [['10.0.0.0/8'], '127.0.0.1', false],
    [['localhost'], 'localhost', true],
    [['127.0.0.0/8'], '127.0.0.1', true],
    [['127.0.0.0/8'], 'localhost', true],
    [['localhost'], '127.0.0.1', false],
  ])('with %j allowed, to %s: %s', async (allowed, host, expected) => {
    expect(await reaches(allowed, host)).toBe(expected);
  });

  test('prevent the start when no proxy or connector would refuse them', () => {
    const range = mock.method(ipaddr.IPv4.prototype, 'range', () => 'unicast');
    expect(() => new Outbound([])).toThrow('169.254.169.254');
    range.mock.restore();
  });
});
