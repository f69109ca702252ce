import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { UndiciConnections } from '../../src/fhir-server/infrastructure/undici-connection.js';
import { Outbound } from '../../src/platform/http/outbound.js';
import { startUpstream } from '../support/fhir/gateway.js';

const bytes = 60_000;
const answers = 100;

test('the bytes of answers that were read are freed without a full garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');
  // An object that is in use during a full collection lives until the next full one, with everything that it refers to.
  const upstream = await startUpstream((request, response) => {
    if (request.url === '/first') collect();
    response.end('x'.repeat(bytes));
  });
  const connection = new UndiciConnections(new Outbound([])).connectionTo(
    { baseUrl: upstream.url, credentials: { type: 'none' } },
    5_000,
  );
  const read = async (path: string) => {
    const answer = await connection.send({ method: 'GET', path, headers: {} });
    expect(await answer.text(bytes)).toHaveLength(bytes);
  };
  await read('/first');
  const before = process.memoryUsage().arrayBuffers;
  for (let turn = 1; turn <= answers; turn += 1) {
    await read('/next');
    if (turn % 5 === 0) collect({ type: 'minor' });
  }
  const kept = process.memoryUsage().arrayBuffers - before;
  await connection.close();
  upstream.close();
  expect(kept).toBeLessThan((answers * bytes) / 4);
});
