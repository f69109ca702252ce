import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { type Job, type JobHandler, type JobKind, oneByOne } from '../../../src/platform/jobs/job-kind.js';
import { JobRunner } from '../../../src/platform/jobs/job-runner.js';
import { JobTable } from '../../../src/platform/jobs/job-table.js';
import { Jobs } from '../../../src/platform/jobs/jobs.js';
import { log } from '../../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from '../database/database.js';
import { until } from '../until.js';

export interface TestPayload {
  name: string;
}

/** A new kind of job for each test. Nodes look for jobs only when they are notified. */
export function newJobKind(policy: Partial<JobKind<TestPayload>> = {}): JobKind<TestPayload> {
  return {
    name: `parcel-${randomUUID()}`,
    batchSize: 1,
    leaseSeconds: 1_000,
    lookEveryMs: 3_600_000,
    firstPauseSeconds: 10,
    longestPauseSeconds: 100,
    ...policy,
  };
}

/** A handler that records the batches it receives; `outcome` decides the result of each job. */
export function recordingHandler(
  outcome: (job: Job<TestPayload>) => Promise<undefined | { reason: string }> = async () => undefined,
) {
  const batches: string[][] = [];
  const attempt: JobHandler<TestPayload>['attempt'] = (batch) => {
    batches.push(batch.map(({ payload }) => payload.name));
    return oneByOne(outcome)(batch);
  };
  return { attempt, batches, names: () => batches.flat() };
}

export const failing = async () => ({ reason: 'refused' });

/** A database with jobs, and the nodes that do them; each test starts its own nodes. */
class JobNodes {
  connection!: TestConnection;
  database!: Database;
  table!: JobTable;
  jobs!: Jobs;
  private dataSource!: DataSource;
  private drop!: () => Promise<void>;
  private readonly nodes: { stop(): Promise<void> }[] = [];

  async create(): Promise<void> {
    log.level = 'silent';
    ({ connection: this.connection, drop: this.drop } = await createDatabase());
    const options = typeOrmConnection(this.connection);
    this.dataSource = await new DataSource({ type: 'postgres', ...options }).initialize();
    this.database = new Database(this.dataSource);
    this.table = new JobTable(this.database);
    this.jobs = new Jobs(this.database, new Notifications(this.connection, this.database));
  }

  async clear(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map((node) => node.stop()));
    await this.database.query('DELETE FROM job');
  }

  async remove(): Promise<void> {
    await this.dataSource.destroy();
    await this.drop();
  }

  async startNode(
    kind: JobKind<TestPayload>,
    handler: JobHandler<TestPayload>,
    other?: [JobKind<TestPayload>, JobHandler<TestPayload>],
  ) {
    const own = new Notifications(this.connection, this.database);
    const runner = new JobRunner(this.database, own);
    runner.register(kind, handler);
    if (other) runner.register(...other);
    await own.onApplicationBootstrap();
    runner.onApplicationBootstrap();
    const stop = async () => {
      runner.onModuleDestroy();
      await own.onModuleDestroy();
      await runner.beforeApplicationShutdown();
    };
    const node = { runner, stop };
    this.nodes.push(node);
    return node;
  }

  async waiting(kind: JobKind<TestPayload>) {
    const { rows } = await this.database.query<{ name: string; attempts: number; pause: number }>(
      `SELECT payload ->> 'name' AS name, attempts, extract(epoch FROM due_at - now())::float8 AS pause
         FROM job WHERE kind = $1 ORDER BY id`,
      [kind.name],
    );
    return rows;
  }

  untilAllDone(kind: JobKind<TestPayload>): Promise<void> {
    return until(async () => (await this.waiting(kind)).length === 0);
  }

  /** Waits for the pause after this many failures. A lease is longer than any pause. */
  untilFailed(kind: JobKind<TestPayload>, attempts: number): Promise<void> {
    const isPausing = (one: { attempts: number; pause: number }) =>
      one.attempts === attempts && one.pause > 0 && one.pause < 101;
    return until(async () => (await this.waiting(kind)).some(isPausing));
  }

  /** Ends all pauses and leases, and lets the nodes look for jobs. */
  async endPauses(kind: JobKind<TestPayload>): Promise<void> {
    await this.database.query('UPDATE job SET due_at = now() WHERE kind = $1', [kind.name]);
    await this.jobs.announce(kind);
  }

  async addAll(kind: JobKind<TestPayload>, names: string[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const name of names) await this.jobs.add(kind, { name });
    });
  }
}

/** One database for all tests of a file, without jobs and nodes at the start of each. */
export function useJobNodes(): JobNodes {
  const nodes = new JobNodes();
  beforeAll(() => nodes.create());
  afterEach(() => nodes.clear());
  afterAll(() => nodes.remove());
  return nodes;
}
