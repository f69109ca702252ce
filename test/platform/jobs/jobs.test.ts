import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { type Job, type JobHandler, type JobKind, oneByOne } from '../../../src/platform/jobs/job-kind.js';
import { JobRunner } from '../../../src/platform/jobs/job-runner.js';
import { JobTable } from '../../../src/platform/jobs/job-table.js';
import { Jobs, jobsChannel } from '../../../src/platform/jobs/jobs.js';
import { log } from '../../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from '../../support/database.js';
import { until } from '../../support/until.js';

interface Parcel {
  name: string;
}

let connection: TestConnection;
let drop: () => Promise<void>;
let dataSource: DataSource;
let database: Database;
let table: JobTable;
let jobs: Jobs;
let notifications: Notifications;
const nodes: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  log.level = 'silent';
  ({ connection, drop } = await createDatabase());
  dataSource = await new DataSource({ type: 'postgres', ...typeOrmConnection(connection) }).initialize();
  database = new Database(dataSource);
  table = new JobTable(database);
  notifications = new Notifications(connection, database);
  jobs = new Jobs(database, notifications);
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  await database.query('DELETE FROM job');
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

/** A new kind of job for each test. Nodes look for jobs only when they are notified. */
function kindOf(policy: Partial<JobKind<Parcel>> = {}): JobKind<Parcel> {
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

async function startNode(
  kind: JobKind<Parcel>,
  handler: JobHandler<Parcel>,
  other?: [JobKind<Parcel>, JobHandler<Parcel>],
) {
  const own = new Notifications(connection, database);
  const runner = new JobRunner(database, own);
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
  nodes.push(node);
  return node;
}

/** A handler that records the batches it receives; `outcome` decides the result of each job. */
function recorder(outcome: (job: Job<Parcel>) => Promise<undefined | { reason: string }> = async () => undefined) {
  const batches: string[][] = [];
  const attempt: JobHandler<Parcel>['attempt'] = (batch) => {
    batches.push(batch.map(({ payload }) => payload.name));
    return oneByOne(outcome)(batch);
  };
  return { attempt, batches, names: () => batches.flat() };
}

const failing = async () => ({ reason: 'refused' });
const waiting = (kind: JobKind<Parcel>) =>
  database
    .query<{ name: string; attempts: number; pause: number }>(
      `SELECT payload ->> 'name' AS name, attempts, extract(epoch FROM due_at - now())::float8 AS pause
         FROM job WHERE kind = $1 ORDER BY id`,
      [kind.name],
    )
    .then(({ rows }) => rows);
const allDone = (kind: JobKind<Parcel>) => until(async () => (await waiting(kind)).length === 0);
/** Waits for the pause after this many failures. A lease is longer than any pause. */
const failed = (kind: JobKind<Parcel>, attempts: number) =>
  until(async () => (await waiting(kind)).some((one) => one.attempts === attempts && one.pause > 0 && one.pause < 101));

/** Ends all pauses and leases, and lets the nodes look for jobs. */
async function timePasses(kind: JobKind<Parcel>): Promise<void> {
  await database.query('UPDATE job SET due_at = now() WHERE kind = $1', [kind.name]);
  await jobs.announce(kind);
}

async function addAll(kind: JobKind<Parcel>, names: string[]): Promise<void> {
  await database.transaction(async () => {
    for (const name of names) await jobs.add(kind, { name });
  });
}

describe('A job', () => {
  it('is done when its use case has committed, and removed', async () => {
    const kind = kindOf();
    const handler = recorder();
    await startNode(kind, handler);
    await jobs.add(kind, { name: 'a' });
    await allDone(kind);
    expect(handler.names()).toEqual(['a']);
  });

  it('does not exist when its use case is rolled back', async () => {
    const kind = kindOf();
    const useCase = database.transaction(async () => {
      await jobs.add(kind, { name: 'a' });
      throw new Error('this use case fails');
    });
    await expect(useCase).rejects.toThrow('this use case fails');
    expect(await waiting(kind)).toEqual([]);
  });

  it('is attempted outside of any transaction', async () => {
    const kind = kindOf();
    const begun: boolean[] = [];
    await startNode(
      kind,
      recorder(async () => {
        await database.query('SELECT 1');
        begun.push(database.hasBegun);
        return undefined;
      }),
    );
    await database.transaction(() => jobs.add(kind, { name: 'a' }));
    await allDone(kind);
    expect(begun).toEqual([false]);
  });

  it('can be withdrawn by its key until it is done', async () => {
    const kind = kindOf();
    await jobs.add(kind, { name: 'a' }, 'first');
    await jobs.add(kind, { name: 'b' }, 'second');
    await jobs.withdraw(kind, 'first');
    expect((await waiting(kind)).map(({ name }) => name)).toEqual(['b']);
  });

  it('of a kind without a handler waits', async () => {
    const [known, unknown] = [kindOf(), kindOf()];
    const node = await startNode(known, recorder());
    await jobs.add(unknown, { name: 'a' });
    await jobs.add(known, { name: 'b' });
    await allDone(known);
    expect(await waiting(unknown)).toMatchObject([{ name: 'a', attempts: 0 }]);
    expect(await node.runner.figures()).toContainEqual(expect.objectContaining({ kind: unknown.name, due: 1 }));
  });

  it('runs its consequences in the transaction that removes it', async () => {
    const kind = kindOf();
    let isFirst = true;
    const done: string[] = [];
    const whenDone = async ({ payload }: Job<Parcel>) => {
      if (isFirst) {
        isFirst = false;
        throw new Error('the first attempt to remove it fails');
      }
      done.push(payload.name);
    };
    await startNode(kind, { ...recorder(), whenDone });
    await jobs.add(kind, { name: 'a' });
    await until(async () => !isFirst && (await waiting(kind)).length === 1);
    await timePasses(kind);
    await allDone(kind);
    expect(done).toEqual(['a']);
  });
});

describe('The order of jobs', () => {
  it('is that in which they were added', async () => {
    const kind = kindOf({ batchSize: 2 });
    const handler = recorder();
    await addAll(kind, ['a', 'b', 'c', 'd', 'e']);
    await startNode(kind, handler);
    await allDone(kind);
    expect(handler.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('lets later jobs pass one that failed', async () => {
    const kind = kindOf();
    const handler = recorder(async ({ payload, attempts }) =>
      payload.name === 'a' && attempts === 1 ? { reason: 'refused' } : undefined,
    );
    await addAll(kind, ['a', 'b']);
    await startNode(kind, handler);
    await until(async () => (await waiting(kind)).length === 1);
    await timePasses(kind);
    await allDone(kind);
    expect(handler.names()).toEqual(['a', 'b', 'a']);
  });
});

describe('A failed job', () => {
  it('is attempted again after pauses that double up to the longest', async () => {
    const kind = kindOf();
    await startNode(kind, recorder(failing));
    await jobs.add(kind, { name: 'a' });
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      await failed(kind, attempts);
      const [job] = await waiting(kind);
      pauses.push(Math.ceil((job?.pause ?? 0) / 10) * 10);
      await timePasses(kind);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it('waits for the longest pause of its kind of failure', async () => {
    const kind = kindOf();
    await jobs.add(kind, { name: 'a' });
    await database.query('UPDATE job SET attempts = 30 WHERE kind = $1', [kind.name]);
    await startNode(
      kind,
      recorder(async () => ({ reason: 'refused', longestPauseSeconds: 5_000 })),
    );
    await until(async () => (await waiting(kind)).some(({ pause }) => pause > 4_000));
  });

  it('is dropped without another attempt when it is too old, and counted', async () => {
    const kind = kindOf({ giveUpAfterSeconds: 3_600 });
    const handler = recorder(failing);
    const node = await startNode(kind, handler);
    await jobs.add(kind, { name: 'a' });
    await failed(kind, 1);
    await database.query("UPDATE job SET created_at = now() - interval '3601 seconds'");
    await timePasses(kind);
    await allDone(kind);
    expect(handler.names()).toEqual(['a']);
    expect(await node.runner.figures()).toEqual([
      { kind: kind.name, due: 0, oldestSeconds: 0, failures: 1, givenUp: 1 },
    ]);
  });

  it('is attempted before it is dropped', async () => {
    const kind = kindOf({ giveUpAfterSeconds: 15, firstPauseSeconds: 1_000, longestPauseSeconds: 1_000 });
    await jobs.add(kind, { name: 'a' });
    await startNode(kind, recorder(failing));
    await until(async () => (await waiting(kind)).some(({ attempts, pause }) => attempts === 1 && pause < 15.1));
  });

  it('whose kind never expires stays at any age', async () => {
    const kind = kindOf();
    await jobs.add(kind, { name: 'a' });
    await database.query("UPDATE job SET created_at = now() - interval '10 years'");
    const handler = recorder();
    await startNode(kind, handler);
    await allDone(kind);
    expect(handler.names()).toEqual(['a']);
  });
});

describe('A job that always fails', () => {
  it('neither delays the others of its batch nor changes their outcome', async () => {
    const kind = kindOf({ batchSize: 5 });
    const handler = recorder(async ({ payload }) => {
      if (payload.name === 'poison') throw new Error('cannot be done');
      return undefined;
    });
    await addAll(kind, ['a', 'poison', 'b']);
    const node = await startNode(kind, handler);
    await failed(kind, 1);
    expect(await waiting(kind)).toMatchObject([{ name: 'poison', attempts: 1 }]);
    expect(await node.runner.figures()).toMatchObject([{ failures: 1 }]);
  });

  it('and makes its whole batch fail is finally attempted alone, and the others are done', async () => {
    const kind = kindOf({ batchSize: 8, leaseSeconds: 1, firstPauseSeconds: 0, longestPauseSeconds: 0 });
    const batches: string[][] = [];
    const attempt = async (batch: Job<Parcel>[]) => {
      const names = batch.map(({ payload }) => payload.name);
      batches.push(names);
      if (names.includes('poison')) throw new Error('the batch is refused');
      return batch.map(() => undefined);
    };
    await addAll(kind, ['a', 'b', 'poison', 'c', 'd']);
    await startNode(kind, { attempt });
    await until(async () => (await waiting(kind)).map(({ name }) => name).join() === 'poison');
    expect(batches[0]).toEqual(['a', 'b', 'poison', 'c', 'd']);
    expect(batches.find((names) => names.includes('poison') && names.length === 1)).toBeDefined();
  });

  it('and crashes the process is attempted with growing pauses', async () => {
    const kind = kindOf({ leaseSeconds: 20 });
    await jobs.add(kind, { name: 'poison' });
    const leases: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      // A node claims the job and never reports a result.
      await table.claim(kind);
      const [job] = await waiting(kind);
      leases.push(Math.ceil((job?.pause ?? 0) / 10) * 10);
      await database.query('UPDATE job SET due_at = now() WHERE kind = $1', [kind.name]);
    }
    expect(leases).toEqual([20, 20, 40, 80, 100]);
  });
});

describe('A system that cannot be reached', () => {
  it('pauses its own jobs on a node, and no others', async () => {
    const [away, other] = [kindOf({ batchSize: 1 }), kindOf()];
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      throw new Error('connection refused');
    };
    const handler = recorder();
    await addAll(away, ['a', 'b', 'c']);
    await startNode(away, { attempt }, [other, handler]);
    await failed(away, 1);
    await timePasses(away);
    await jobs.add(other, { name: 'd' });
    await allDone(other);
    expect([attempts, (await waiting(away)).length]).toEqual([1, 3]);
  });
});

describe('A lease', () => {
  it('excludes other nodes from a job, and ends with its node', async () => {
    const kind = kindOf();
    await jobs.add(kind, { name: 'a' });
    expect(await table.claim(kind)).toHaveLength(1);
    expect(await table.claim(kind)).toEqual([]);
    await database.query("UPDATE job SET due_at = due_at - interval '1000 seconds'");
    expect(await table.claim(kind)).toMatchObject([{ payload: { name: 'a' }, attempts: 2 }]);
  });

  it('that expired leaves the job to its new node: a late failure changes no row', async () => {
    const kind = kindOf();
    await jobs.add(kind, { name: 'a' });
    const [late] = await table.claim(kind);
    await database.query('UPDATE job SET due_at = now()');
    const [owner] = await table.claim(kind);
    const [before] = (await database.query('SELECT * FROM job')).rows;
    if (!late || !owner) throw new Error('it was not claimed');
    await table.postpone(kind, [{ job: late, failure: { reason: 'late' } }]);
    expect((await database.query('SELECT * FROM job')).rows).toEqual([before]);
    await table.postpone(kind, [{ job: owner, failure: { reason: 'in time' } }]);
    expect((await database.query('SELECT * FROM job')).rows).not.toEqual([before]);
  });

  it('that expired on a slow node does not run the consequences twice', async () => {
    const kind = kindOf();
    const ends: (() => void)[] = [];
    const done: string[] = [];
    const slow = (): JobHandler<Parcel> => ({
      attempt: oneByOne(async () => {
        await new Promise<void>((end) => ends.push(end));
        return undefined;
      }),
      whenDone: async ({ payload }) => {
        done.push(payload.name);
      },
    });
    await jobs.add(kind, { name: 'a' });
    const one = await startNode(kind, slow());
    await until(() => ends.length === 1);
    const other = await startNode(kind, slow());
    await timePasses(kind);
    await until(() => ends.length === 2);
    for (const end of ends) end();
    await Promise.all([one.stop(), other.stop()]);
    expect(done).toEqual(['a']);
    expect(await waiting(kind)).toEqual([]);
  });
});

describe('Two nodes', () => {
  it('do each job once', async () => {
    const kind = kindOf({ batchSize: 3 });
    const handlers = [recorder(), recorder()];
    for (const handler of handlers) await startNode(kind, handler);
    const names = Array.from({ length: 100 }, (_, number) => `job ${number}`);
    await Promise.all(names.map((name) => jobs.add(kind, { name })));
    await allDone(kind);
    expect(handlers.flatMap((handler) => handler.names()).sort()).toEqual(names.sort());
  });

  it('are both notified of a job, so that a busy node does not delay it', async () => {
    const kind = kindOf();
    let release: () => void = () => undefined;
    const busy = recorder(
      () =>
        new Promise((end) => {
          release = () => end(undefined);
        }),
    );
    const free = recorder();
    await startNode(kind, busy);
    await jobs.add(kind, { name: 'long' });
    await until(() => busy.batches.length === 1);
    await startNode(kind, free);
    await jobs.add(kind, { name: 'short' });
    await until(() => free.batches.length === 1);
    expect(free.names()).toEqual(['short']);
    release();
    await allDone(kind);
  });
});

describe('A node', () => {
  it('whose LISTEN connection broke does the jobs that were added meanwhile', async () => {
    const kind = kindOf();
    await startNode(kind, recorder());
    await jobs.add(kind, { name: 'before' });
    await allDone(kind);
    await database.query('INSERT INTO job (kind, payload) VALUES ($1, $2)', [kind.name, { name: 'a' }]);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'gatehouse notifications' AND datname = current_database()`,
    );
    await allDone(kind);
  });

  it('looks for jobs at intervals, too', async () => {
    const kind = kindOf({ lookEveryMs: 20 });
    await startNode(kind, recorder());
    await jobs.add(kind, { name: 'before' });
    await allDone(kind);
    await database.query('INSERT INTO job (kind, payload) VALUES ($1, $2)', [kind.name, { name: 'a' }]);
    await allDone(kind);
  });

  it('that stops finishes its attempt and claims no further job', async () => {
    const kind = kindOf();
    const ends: (() => void)[] = [];
    const handler = recorder(() => new Promise((end) => ends.push(() => end(undefined))));
    await addAll(kind, ['a', 'b']);
    const node = await startNode(kind, handler);
    await until(() => ends.length === 1);
    const stopped = node.stop();
    ends[0]?.();
    await stopped;
    expect(handler.names()).toEqual(['a']);
    expect(await waiting(kind)).toMatchObject([{ name: 'b', attempts: 0 }]);
  });

  it('with a wrong clock uses the database’s clock', async () => {
    const kind = kindOf({ giveUpAfterSeconds: 3_600 });
    const now = Date.now;
    Date.now = () => now() + 10 * 24 * 3_600_000;
    try {
      await startNode(kind, recorder(failing));
      await jobs.add(kind, { name: 'a' });
      await failed(kind, 1);
      await jobs.announce(kind);
      expect(await waiting(kind)).toMatchObject([{ attempts: 1 }]);
    } finally {
      Date.now = now;
    }
  });

  it('refuses two handlers of one kind', () => {
    const kind = kindOf();
    const runner = new JobRunner(database, new Notifications(connection, database));
    runner.register(kind, recorder());
    expect(() => runner.register(kind, recorder())).toThrow(kind.name);
  });
});

it('the channel of jobs has the name that a migration uses', () => {
  expect(jobsChannel).toBe('gatehouse_jobs');
});
