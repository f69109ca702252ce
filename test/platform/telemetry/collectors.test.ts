import { mock } from 'node:test';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { log } from '../../../src/platform/logging/log.js';
import { ExportReport } from '../../../src/platform/telemetry/export-report.js';
import { Agent } from '../../support/http/agent.js';
import { Collector, type CollectorMood } from '../../support/http/collector.js';
import { freePorts, startPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';

const moods: (CollectorMood | 'absent')[] = ['absent', 'error', 'hang', 'garbage'];

/** The address of a collector in this mood, and what ends it. */
async function collectorIn(mood: (typeof moods)[number]): Promise<{ url: string; collector?: Collector }> {
  if (mood === 'absent') return { url: `http://127.0.0.1:${(await freePorts(1))[0]}` };
  const collector = await Collector.start(mood);
  return { url: collector.url, collector };
}

it.each(moods)(
  'A collector in the state "%s" fails no request, and does not keep a node from stopping',
  async (mood) => {
    const { url, collector } = await collectorIn(mood);
    const portal = await startPortal({ config: { telemetry: { otlpEndpoint: url, sampleRatio: 1 } } });
    const agent = new Agent(portal.issuer);
    // More than one batch of spans, so that an export begins while requests are answered.
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => agent.get('/api/settings')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    if (collector) await until(() => collector.received.length > 0);
    expect((await agent.get('/api/settings')).status).toBe(200);
    await portal.close();
    await collector?.close();
  },
);

it('A collector that fails is logged once, without what was sent, and once more when it works again', async () => {
  const collector = await Collector.start('error');
  const [warned, informed] = [mock.method(log, 'warn', () => undefined), mock.method(log, 'info', () => undefined)];
  const report = new ExportReport(collector.url);
  const exporter = report.watch(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }));
  const exported = () => new Promise((resolve) => exporter.export([], resolve));
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) await exported();
    expect(warned.mock.calls.map(({ arguments: [facts, text] }) => [facts, text])).toEqual([
      [
        { endpoint: collector.url, failures: 1, reason: 'Internal Server Error' },
        'telemetry export failed; requests are not affected',
      ],
    ]);
    collector.mood = 'ok';
    for (let attempt = 0; attempt < 2; attempt += 1) await exported();
    expect(informed.mock.calls.map(({ arguments: [facts, text] }) => [facts, text])).toEqual([
      [{ endpoint: collector.url, failures: 3 }, 'telemetry export resumed'],
    ]);
  } finally {
    await exporter.shutdown();
    await collector.close();
  }
});
