import type { Job } from '../../../src/platform/jobs/job-kind.js';
import { jobsChannel } from '../../../src/platform/jobs/jobs.js';
import {
  failing,
  newJobKind,
  recordingHandler,
  type TestPayload,
  useJobNodes,
} from '../../support/portal/job-nodes.js';
import { until } from '../../support/until.js';

const nodes = useJobNodes();

describe('A job', () => {
  it('is done when its use case has committed, and removed', async () => {
    const kind = newJobKind();
    const handler = recordingHandler();
    await nodes.startNode(kind, handler);
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.untilAllDone(kind);
    expect(handler.names()).toEqual(['a']);
  });

  it('does not exist when its use case is rolled back', async () => {
    const kind = newJobKind();
    const useCase = nodes.database.transaction(async () => {
      await nodes.jobs.add(kind, { name: 'a' });
      throw new Error('this use case fails');
    });
    await expect(useCase).rejects.toThrow('this use case fails');
    expect(await nodes.waiting(kind)).toEqual([]);
  });

  it('is attempted outside of any transaction', async () => {
    const kind = newJobKind();
    const begun: boolean[] = [];
    await nodes.startNode(
      kind,
      recordingHandler(async () => {
        await nodes.database.query('SELECT 1');
        begun.push(nodes.database.hasBegun);
        return undefined;
      }),
    );
    await nodes.database.transaction(() => nodes.jobs.add(kind, { name: 'a' }));
    await nodes.untilAllDone(kind);
    expect(begun).toEqual([false]);
  });

  it('can be withdrawn by its key until it is done', async () => {
    const kind = newJobKind();
    await nodes.jobs.add(kind, { name: 'a' }, { key: 'first' });
    await nodes.jobs.add(kind, { name: 'b' }, { key: 'second' });
    await nodes.jobs.withdraw(kind, 'first');
    expect((await nodes.waiting(kind)).map(({ name }) => name)).toEqual(['b']);
  });

  it('of a kind without a handler waits', async () => {
    const [known, unknown] = [newJobKind(), newJobKind()];
    const node = await nodes.startNode(known, recordingHandler());
    await nodes.jobs.add(unknown, { name: 'a' });
    await nodes.jobs.add(known, { name: 'b' });
    await nodes.untilAllDone(known);
    expect(await nodes.waiting(unknown)).toMatchObject([{ name: 'a', attempts: 0 }]);
    expect(await node.runner.figures()).toContainEqual(expect.objectContaining({ kind: unknown.name, due: 1 }));
  });

  it('runs its consequences in the transaction that removes it', async () => {
    const kind = newJobKind();
    let isFirst = true;
    const done: string[] = [];
    const whenDone = async ({ payload }: Job<TestPayload>) => {
      if (isFirst) {
        isFirst = false;
        throw new Error('the first attempt to remove it fails');
      }
      done.push(payload.name);
    };
    await nodes.startNode(kind, { ...recordingHandler(), whenDone });
    await nodes.jobs.add(kind, { name: 'a' });
    await until(async () => !isFirst && (await nodes.waiting(kind)).length === 1);
    await nodes.endPauses(kind);
    await nodes.untilAllDone(kind);
    expect(done).toEqual(['a']);
  });
});

describe('The order of jobs', () => {
  it('is that in which they were added', async () => {
    const kind = newJobKind({ batchSize: 2 });
    const handler = recordingHandler();
    await nodes.addAll(kind, ['a', 'b', 'c', 'd', 'e']);
    await nodes.startNode(kind, handler);
    await nodes.untilAllDone(kind);
    expect(handler.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('lets later jobs pass one that failed', async () => {
    const kind = newJobKind();
    const handler = recordingHandler(async ({ payload, attempts }) =>
      payload.name === 'a' && attempts === 1 ? { reason: 'refused' } : undefined,
    );
    await nodes.addAll(kind, ['a', 'b']);
    await nodes.startNode(kind, handler);
    await until(async () => (await nodes.waiting(kind)).length === 1);
    await nodes.endPauses(kind);
    await nodes.untilAllDone(kind);
    expect(handler.names()).toEqual(['a', 'b', 'a']);
  });
});

describe('A failed job', () => {
  it('is attempted again after pauses that double up to the longest', async () => {
    const kind = newJobKind();
    await nodes.startNode(kind, recordingHandler(failing));
    await nodes.jobs.add(kind, { name: 'a' });
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      await nodes.untilFailed(kind, attempts);
      const [job] = await nodes.waiting(kind);
      pauses.push(Math.ceil((job?.pause ?? 0) / 10) * 10);
      await nodes.endPauses(kind);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it('waits for the longest pause of its kind of failure', async () => {
    const kind = newJobKind();
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.database.query('UPDATE job SET attempts = 30 WHERE kind = $1', [kind.name]);
    await nodes.startNode(
      kind,
      recordingHandler(async () => ({ reason: 'refused', longestPauseSeconds: 5_000 })),
    );
    await until(async () => (await nodes.waiting(kind)).some(({ pause }) => pause > 4_000));
  });

  it('is dropped without another attempt when it is too old, and counted', async () => {
    const kind = newJobKind({ giveUpAfterSeconds: 3_600 });
    const handler = recordingHandler(failing);
    const node = await nodes.startNode(kind, handler);
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.untilFailed(kind, 1);
    await nodes.database.query("UPDATE job SET created_at = now() - interval '3601 seconds'");
    await nodes.endPauses(kind);
    await nodes.untilAllDone(kind);
    expect(handler.names()).toEqual(['a']);
    expect(await node.runner.figures()).toEqual([
      { kind: kind.name, due: 0, oldestSeconds: 0, failures: 1, givenUp: 1 },
    ]);
  });

  it('is attempted before it is dropped', async () => {
    const kind = newJobKind({ giveUpAfterSeconds: 15, firstPauseSeconds: 1_000, longestPauseSeconds: 1_000 });
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.startNode(kind, recordingHandler(failing));
    await until(async () => (await nodes.waiting(kind)).some(({ attempts, pause }) => attempts === 1 && pause < 15.1));
  });

  it('whose kind never expires stays at any age', async () => {
    const kind = newJobKind();
    await nodes.jobs.add(kind, { name: 'a' });
    await nodes.database.query("UPDATE job SET created_at = now() - interval '10 years'");
    const handler = recordingHandler();
    await nodes.startNode(kind, handler);
    await nodes.untilAllDone(kind);
    expect(handler.names()).toEqual(['a']);
  });
});

describe('A job that always fails', () => {
  it('neither delays the others of its batch nor changes their outcome', async () => {
    const kind = newJobKind({ batchSize: 5 });
    const handler = recordingHandler(async ({ payload }) => {
      if (payload.name === 'poison') throw new Error('cannot be done');
      return undefined;
    });
    await nodes.addAll(kind, ['a', 'poison', 'b']);
    const node = await nodes.startNode(kind, handler);
    await nodes.untilFailed(kind, 1);
    expect(await nodes.waiting(kind)).toMatchObject([{ name: 'poison', attempts: 1 }]);
    expect(await node.runner.figures()).toMatchObject([{ failures: 1 }]);
  });

  it('and makes its whole batch fail is finally attempted alone, and the others are done', async () => {
    const kind = newJobKind({ batchSize: 8, leaseSeconds: 1, firstPauseSeconds: 0, longestPauseSeconds: 0 });
    const batches: string[][] = [];
    const attempt = async (batch: Job<TestPayload>[]) => {
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
    const kind = newJobKind({ leaseSeconds: 20 });
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
    const [away, other] = [newJobKind({ batchSize: 1 }), newJobKind()];
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      throw new Error('connection refused');
    };
    const handler = recordingHandler();
    await nodes.addAll(away, ['a', 'b', 'c']);
    await nodes.startNode(away, { attempt }, [other, handler]);
    await nodes.untilFailed(away, 1);
    await nodes.endPauses(away);
    await nodes.jobs.add(other, { name: 'd' });
    await nodes.untilAllDone(other);
    expect([attempts, (await nodes.waiting(away)).length]).toEqual([1, 3]);
  });
});

it('the channel of jobs has the name that a migration uses', () => {
  expect(jobsChannel).toBe('gatehouse_jobs');
});
