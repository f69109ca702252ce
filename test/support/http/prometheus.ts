import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify, parse as yaml } from 'yaml';
import { until } from '../until.js';

/** `npm test` installs it if it can. */
export const hasPrometheus =
  !spawnSync('prometheus', ['--version']).error && !spawnSync('promtool', ['--version']).error;

/** The files for operators. */
export const deployed = resolve('deploy/prometheus');

export interface Answered {
  metric: Record<string, string>;
  value: [time: number, value: string];
}

interface Rule {
  name: string;
  health: string;
  state: string;
  lastError?: string;
}

/**
 * A Prometheus that scrapes a management address with the configuration and the rules for operators, only more often.
 */
export class Prometheus {
  private constructor(
    private readonly address: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start({ port, target }: { port: number; target: string }): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-prometheus-'));
    const config = yaml(await readFile(join(deployed, 'prometheus.yml'), 'utf8'));
    config.global = { scrape_interval: '500ms', evaluation_interval: '500ms' };
    config.rule_files = config.rule_files.map((file: string) => join(deployed, file));
    config.scrape_configs[0].static_configs = [{ targets: [target] }];
    await writeFile(join(folder, 'prometheus.yml'), stringify(config));
    const options = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    const child = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((done) => child.once('close', done));
    const address = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady);
    return new Prometheus(address, async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    });
  }

  /** The answer to a query at this moment. */
  async query(expression: string): Promise<Answered[]> {
    const body = new URLSearchParams({ query: expression });
    const answer = await fetch(`${this.address}/api/v1/query`, { method: 'POST', body });
    const { status, error, data } = (await answer.json()) as {
      status: string;
      error?: string;
      data?: { result: Answered[] };
    };
    if (status !== 'success' || !data) throw new Error(`${expression}: ${error}`);
    return data.result;
  }

  async rules(): Promise<Rule[]> {
    const answer = await fetch(`${this.address}/api/v1/rules`);
    const { data } = (await answer.json()) as { data: { groups: { rules: Rule[] }[] } };
    return data.groups.flatMap(({ rules }) => rules);
  }
}
