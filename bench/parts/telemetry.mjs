import { once } from 'node:events';
import { createServer } from 'node:http';
import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import { gatewayConfiguration, gatewayTokens } from './gateway.mjs';

const requests = Number(process.env.BENCH_REQUESTS ?? 4000);

/**
 * The cost of exporting traces and metrics for a read through the gateway: without a collector, with the usual share of
 * the traces, and with all of them. By CPU, because other load of the machine delays all three.
 */
export async function telemetry(table) {
  const port = await freePort();
  const fhir = await start('fhir-server.mjs', String(port));
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const otlpEndpoint = `http://127.0.0.1:${collector.address().port}`;
  const settings = gatewayConfiguration(port);
  try {
    await withGatehouse(settings, async (off) => {
      await withGatehouse({ ...settings, telemetry: { otlpEndpoint } }, async (usual) => {
        await withGatehouse({ ...settings, telemetry: { otlpEndpoint, sampleRatio: 1 } }, async (all) => {
          await measure(table, { 'no collector': off, 'a tenth of the traces': usual, 'all traces': all });
        });
      });
    });
  } finally {
    collector.closeAllConnections();
    collector.close();
    await fhir.stop();
  }
}

async function measure(table, servers) {
  const rows = [];
  for (const [name, server] of Object.entries(servers)) {
    const { everything } = await gatewayTokens(server);
    const next = () => ({
      path: '/fhir/Observation/1',
      method: 'GET',
      headers: { authorization: `Bearer ${everything}` },
    });
    rows.push({ name: `gateway read, ${name}`, server, next });
  }
  await table.measureInTurn(rows, { requests });
  const cpuOf = (wanted) => table.rows.find(({ name }) => name === `gateway read, ${wanted}`).cpu.node;
  for (const name of ['a tenth of the traces', 'all traces']) {
    table.ratio(`CPU of a read: ${name} / no collector`, cpuOf(name) / cpuOf('no collector'));
  }
}
