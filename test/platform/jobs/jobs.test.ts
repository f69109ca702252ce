import type { Job } from '../../../src/platform/jobs/job-kind.js';
import { jobsChannel } from '../../../src/platform/jobs/jobs.js';
import { failing, kindOf, type Parcel, recorder, useJobNodes } from '../../support/portal/job-nodes.js';
import { until } from '../../support/until.js';

const nodes = useJobNodes();

describe('A job', () => {
  it('is done when its use case has committed, and removed', async () => {
    const kind = kindOf();
    const handler = recorder();
    await nodes.startNode(kind, handler);
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.allDone(kind);
    expect(handler.names()).toEqual(['a']);
  });

  it('does not exist when its use case is rolled back', async () => {
    const kind = kindOf();
    const useCase = nodes.database.transaction(async () => {
      await nodes.jobs.add(kind, { name: 'a' });
      throw new Error('this use case fails');
    });
    await expect(useCase).rejects.toThrow('this use case fails');
    expect(await nodes.waiting(kind)).toEqual([]);
  });

  it('is attempted outside of any transaction', async () => {
    const kind = kindOf();
    const begun: boolean[] = [];
    await nodes.startNode(
      kind,
      recorder(async () => {
        await nodes.database.query('SELECT 1');
        begun.push(nodes.database.hasBegun);
        return undefined;
      }),
    );
    await nodes.database.transaction(() => nodes.jobs.add(kind, { name: 'a' }));
    await nodes.allDone(kind);
    expect(begun).toEqual([false]);
  });

  it('can be withdrawn by its key until it is done', async () => {
    const kind = kindOf();
    await nodes.jobs.add(kind, { name: 'a' }, 'first');
    await nodes.jobs.add(kind, { name: 'b' }, 'second');
    await nodes.jobs.withdraw(kind, 'first');
    expect((await nodes.waiting(kind)).map(({ name }) => name)).toEqual(['b']);
  });

  it('of a kind without a handler waits', async () => {
    const [known, unknown] = [kindOf(), kindOf()];
    const node = await nodes.startNode(known, recorder());
    await nodes.jobs.add(unknown, { name: 'a' });
    await nodes.jobs.add(known, { name: 'b' });
    await nodes.allDone(known);
    expect(await nodes.waiting(unknown)).toMatchObject([{ name: 'a', attempts: 0 }]);
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
    await nodes.startNode(kind, { ...recorder(), whenDone });
    await nodes.jobs.add(kind, { name: 'a' });
    await until(async () => !isFirst && (await nodes.waiting(kind)).length === 1);
    await nodes.timePasses(kind);
    await nodes.allDone(kind);
    expect(done).toEqual(['a']);
  });
});

describe('The order of jobs', () => {
  it('is that in which they were added', async () => {
    const kind = kindOf({ batchSize: 2 });
    const handler = recorder();
    await nodes.addAll(kind, ['a', 'b', 'c', 'd', 'e']);
    await nodes.startNode(kind, handler);
    await nodes.allDone(kind);
    expect(handler.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('lets later jobs pass one that failed', async () => {
    const kind = kindOf();
    const handler = recorder(async ({ payload, attempts }) =>
      payload.name === 'a' && attempts === 1 ? { reason: 'refused' } : undefined,
    );
    await nodes.addAll(kind, ['a', 'b']);
    await nodes.startNode(kind, handler);
    await until(async () => (await nodes.waiting(kind)).length === 1);
    await nodes.timePasses(kind);
    await nodes.allDone(kind);
    expect(handler.names()).toEqual(['a', 'b', 'a']);
  });
});

describe('A failed job', () => {
  it('is attempted again after pauses that double up to the longest', async () => {
    const kind = kindOf();
    await nodes.startNode(kind, recorder(failing));
    await nodes.jobs.add(kind, { name: 'a' });
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      await nodes.failed(kind, attempts);
      const [job] = await nodes.waiting(kind);
      pauses.push(Math.ceil((job?.pause ?? 0) / 10) * 10);
      await nodes.timePasses(kind);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it('waits for the longest pause of its kind of failure', async () => {
    const kind = kindOf();
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.database.query('UPDATE job SET attempts = 30 WHERE kind = $1', [kind.name]);
    await nodes.startNode(
      kind,
      recorder(async () => ({ reason: 'refused', longestPauseSeconds: 5_000 })),
    );
    await until(async () => (await nodes.waiting(kind)).some(({ pause }) => pause > 4_000));
  });

  it('is dropped without another attempt when it is too old, and counted', async () => {
    const kind = kindOf({ giveUpAfterSeconds: 3_600 });
    const handler = recorder(failing);
    const node = await nodes.startNode(kind, handler);
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.failed(kind, 1);
    await nodes.database.query("UPDATE job SET created_at = now() - interval '3601 seconds'");
    await nodes.timePasses(kind);
    await nodes.allDone(kind);
    expect(handler.names()).toEqual(['a']);
    expect(await node.runner.figures()).toEqual([
      { kind: kind.name, due: 0, oldestSeconds: 0, failures: 1, givenUp: 1 },
    ]);
  });

  it('is attempted before it is dropped', async () => {
    const kind = kindOf({ giveUpAfterSeconds: 15, firstPauseSeconds: 1_000, longestPauseSeconds: 1_000 });
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.startNode(kind, recorder(failing));
    await until(async () => (await nodes.waiting(kind)).some(({ attempts, pause }) => attempts === 1 && pause < 15.1));
  });

  it('whose kind never expires stays at any age', async () => {
    const kind = kindOf();
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.database.query("UPDATE job SET created_at = now() - interval '10 years'");
    const handler = recorder();
    await nodes.startNode(kind, handler);
    await nodes.allDone(kind);
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
    await nodes.addAll(kind, ['a', 'poison', 'b']);
    const node = await nodes.startNode(kind, handler);
    await nodes.failed(kind, 1);
    expect(await nodes.waiting(kind)).toMatchObject([{ name: 'poison', attempts: 1 }]);
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
    await nodes.addAll(kind, ['a', 'b', 'poison', 'c', 'd']);
    await nodes.startNode(kind, { attempt });
    await until(async () => (await nodes.waiting(kind)).map(({ name }) => name).join() === 'poison');
    expect(batches[0]).toEqual(['a', 'b', 'poison', 'c', 'd']);
    expect(batches.find((names) => names.includes('poison') && names.length === 1)).toBeDefined();
  });

  it('and crashes the process is attempted with growing pauses', async () => {
    const kind = kindOf({ leaseSeconds: 20 });
    await nodes.jobs.add(kind, { name: 'poison' });
    const leases: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      // A node claims the job and never reports a result.
      await nodes.table.claim(kind);
      const [job] = await nodes.waiting(kind);
      leases.push(Math.ceil((job?.pause ?? 0) / 10) * 10);
      await nodes.database.query('UPDATE job SET due_at = now() WHERE kind = $1', [kind.name]);
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
    await nodes.addAll(away, ['a', 'b', 'c']);
    await nodes.startNode(away, { attempt }, [other, handler]);
    await nodes.failed(away, 1);
    await nodes.timePasses(away);
    await nodes.jobs.add(other, { name: 'd' });
    await nodes.allDone(other);
    expect([attempts, (await nodes.waiting(away)).length]).toEqual([1, 3]);
  });
});

it('the channel of jobs has the name that a migration uses', () => {
  expect(jobsChannel).toBe('gatehouse_jobs');
});
