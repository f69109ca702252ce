import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as yaml } from 'yaml';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { deployed, hasPrometheus, Prometheus } from '../support/http/prometheus.js';
import { everyKind, useEveryKind } from '../support/portal/every-kind.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { Scraped } from '../support/portal/scraped.js';
import { eventually, until } from '../support/until.js';

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const dashboard = JSON.parse(readFileSync('deploy/grafana/gatehouse.json', 'utf8')) as { panels: Panel[] };
const rules = (
  yaml(readFileSync(join(deployed, 'gatehouse.rules.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  }
).groups.flatMap((group) => group.rules);
/** As Grafana sends them, with all jobs and nodes chosen. */
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    query: expr.replaceAll(/\$(job|instance)\b/g, '.+').replaceAll('$__rate_interval', '10m'),
  })),
);

const promtool = (...parameters: string[]) =>
  execFileSync('promtool', parameters, { cwd: deployed, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let portal: TestPortal;
let scraped: Scraped;
let target: string;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  const [port = 0, management = 0] = await freePorts(2);
  target = `127.0.0.1:${management}`;
  portal = await startPortal({
    ports: [port],
    config: {
      ...everyKind,
      server: { management: { host: '127.0.0.1', port: management } },
      fhir: { baseUrl: fhirServer.url },
    },
  });
  const scrape = () => Scraped.from(`http://${target}/metrics`);
  await until(async () => (await scrape()).value('gatehouse_fhir_server_available') === 1);
  await useEveryKind(portal);
  scraped = await scrape();
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

describe('The alerts and the dashboard', () => {
  it('name only metrics that a portal has', () => {
    const known = new Set(scraped.text.match(/^# TYPE \S+/gm)?.map((line) => line.slice('# TYPE '.length)));
    const named = [...queries.map(({ query }) => query), ...rules.map(({ expr }) => expr)].flatMap(
      (text) => text.match(/\b(?:gatehouse|nodejs|process)_\w+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(50);
    expect([...new Set(named)].filter((name) => !known.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([]);
  });

  it('use all metrics of Gatehouse except those that only explain others', () => {
    const own = scraped.text.match(/^# TYPE gatehouse_\w+/gm)?.map((line) => line.slice('# TYPE '.length)) ?? [];
    const all = JSON.stringify([queries, rules]);
    expect(own.filter((name) => !all.includes(name)).sort()).toEqual([
      'gatehouse_audit_last_seal_age_seconds',
      'gatehouse_audit_seals',
      'gatehouse_launches_dropped_total',
    ]);
  });
});

const withPrometheus = hasPrometheus ? describe : describe.skip;

withPrometheus('A Prometheus with the files for operators', () => {
  let prometheus: Prometheus;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    prometheus = await Prometheus.start({ port, target });
    // Rates are of requests between two scrapes.
    await until(async () => (await prometheus.query('count_over_time(gatehouse_build_info[1m])')).length === 1);
    await useEveryKind(portal);
  });

  afterAll(() => prometheus.close());

  it('accepts the configuration and the alerts', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
    expect(promtool('check', 'rules', 'gatehouse.rules.yml')).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  it('fires each alert for its problem, and none without a problem', () => {
    expect(promtool('test', 'rules', 'gatehouse.rules.test.yml')).toContain('SUCCESS');
    const tested = readFileSync(join(deployed, 'gatehouse.rules.test.yml'), 'utf8');
    expect(rules.filter(({ alert }) => !tested.includes(`"${alert}"`))).toEqual([]);
  });

  it('evaluates the alerts for a running portal, and fires none', async () => {
    await eventually(async () => {
      const evaluated = await prometheus.rules();
      expect(evaluated.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
      expect(evaluated.filter(({ health }) => health !== 'ok')).toEqual([]);
    });
    expect((await prometheus.rules()).filter(({ state }) => state === 'firing')).toEqual([]);
  });

  it.each(queries)('has data for the panel $title: $query', async ({ query }) => {
    await eventually(async () => {
      const values = (await prometheus.query(query)).map(({ value: [, text] }) => Number(text));
      expect(values.filter(Number.isFinite).length).toBeGreaterThan(0);
    });
  });
});
