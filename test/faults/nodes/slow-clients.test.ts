import { connect, type Socket } from 'node:net';
import { basicAuthorization, SmartApp } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** The number of connections of each kind. A portal without the limits keeps any number of them. */
const slow = isLong ? 170 : 70;
/** The number of those that read nothing, for each of which the portal prepares megabytes. */
const readers = isLong ? 170 : 10;

let portal: TestPortal;
const sockets: Socket[] = [];

beforeAll(async () => {
  portal = await startPortal({
    config: { fhir: { timeoutMs: 1_000 }, users: [people.patient], clients: [publicApp, backendService] },
  });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await portal.close();
});

/** Opens connections that send `text` and then only `drip`; with `reads` false they read nothing. */
async function hold(
  text: string,
  { drip = '', reads = true, count = slow } = {},
): Promise<{ open: number; lastedMs: number }> {
  const group = { open: 0, lastedMs: 0 };
  const begun = performance.now();
  const host = new URL(portal.issuer).host;
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(portal.ports[0] ?? 0, '127.0.0.1', () => {
            group.open += 1;
            socket.write(text.replaceAll('HOST', host));
            resolve();
          });
          sockets.push(socket);
          const dripping = drip === '' ? undefined : setInterval(() => socket.write(drip), 1_000).unref();
          socket.on('error', () => undefined);
          socket.on('close', () => {
            group.open -= 1;
            group.lastedMs = performance.now() - begun;
            clearInterval(dripping);
          });
          if (reads) socket.resume();
        }),
    ),
  );
  return group;
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    portal.servers[0]?.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const headers = 'POST /connect/token HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/x-www-form-urlencoded\r\n';

it('S-02 hundreds of clients that send or read slowly delay no other client, and are disconnected', async () => {
  const slowHeaders = await hold(headers, { drip: 'X: y\r\n' });
  const slowBodies = await hold(`${headers}Content-Length: 5000\r\n\r\ngrant_type=`, { drip: 'x' });
  const page = 'GET /texts.en.json HTTP/1.1\r\nHost: HOST\r\n\r\n';
  const slowReaders = await hold(page.repeat(100), { reads: false, count: readers });
  expect([slowHeaders.open, slowBodies.open, slowReaders.open]).toEqual([slow, slow, readers]);
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const service = { headers: basicAuthorization(backendService.clientId, sharedSecret) };
  for (let round = 0; round < 20; round += 1) {
    expect((await new Agent(portal.issuer).postForm('/connect/token', form, service)).status).toBe(200);
  }
  expect((await new SmartApp(portal).tokens(people.patient)).access_token).toBeDefined();
  // The limits are ten seconds for the headers and thirty for the whole request or a stalled reader.
  await until(() => slowHeaders.open === 0, 40_000);
  expect(slowHeaders.lastedMs).toBeLessThan(28_000);
  if (!isLong) return;
  await until(() => slowBodies.open === 0, 40_000);
  // These clients do not notice it. The limit starts again for a connection on which data was sent.
  await until(async () => (await connections()) === 0, 180_000);
  expect((await new Agent(portal.issuer).postForm('/connect/token', form, service)).status).toBe(200);
});
