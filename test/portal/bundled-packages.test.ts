import { createDatabase } from '../support/database/database.js';
import { Collector } from '../support/http/collector.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';

/** Packages that the build leaves in node_modules (scripts/bundle-server.mjs), with their own. */
const leftOut = /^(pg|postgres|jsonc-parser|@node-rs\/argon2|pino|xtend|passport|oauth|pause|utils-merge)/;
const atExit = `
  import { Module } from 'node:module';
  process.on('exit', () => {
    const packages = Object.keys(Module._cache).map((file) => /.*node_modules.((?:@[^/]+.)?[^/]+)/.exec(file)?.[1]);
    console.log('loaded from node_modules: ' + [...new Set(packages)].join(' '));
  });`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let collector: Collector;

beforeAll(async () => {
  [database, collector] = await Promise.all([createDatabase(), Collector.start()]);
});

afterAll(async () => {
  await Promise.all([database.drop(), collector.close()]);
});

/** The packages that a built node has loaded from node_modules when it ends. */
async function packagesOf(config: object): Promise<string[]> {
  const [port = 0] = await freePorts(1);
  const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(atExit)}`];
  const node = await PortalProcess.start({ database: database.connection, port, config, nodeArguments });
  expect((await fetch(`${node.issuer}/api/settings`)).status).toBe(200);
  await node.end('SIGTERM');
  const [, packages = ''] = /loaded from node_modules: (.*)/.exec(node.output) ?? [];
  return packages.split(' ');
}

it('a built node loads no package from node_modules that the build has bundled', async () => {
  const packages = await packagesOf({});
  expect(packages).toContain('pg');
  expect(packages.filter((name) => !leftOut.test(name))).toEqual([]);
});

it('a built node with a collector loads OpenTelemetry, and exports the traces and metrics of its requests before it ends', async () => {
  const packages = await packagesOf({ telemetry: { otlpEndpoint: collector.url, sampleRatio: 1 } });
  expect(packages).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace', '@opentelemetry/sdk-metrics']));
  expect(packages.filter((name) => !leftOut.test(name) && !name.startsWith('@opentelemetry/'))).toEqual([]);
  expect(collector.spans.map(({ name }) => name)).toContain('api read');
  expect(collector.metrics.map(({ name }) => name)).toContain('gatehouse_requests_total');
});
