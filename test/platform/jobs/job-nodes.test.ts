import { Notifications } from '../../../src/platform/database/notifications.js';
import { type JobHandler, oneByOne } from '../../../src/platform/jobs/job-kind.js';
import { JobRunner } from '../../../src/platform/jobs/job-runner.js';
import {
  failing,
  newJobKind,
  recordingHandler,
  type TestPayload,
  useJobNodes,
} from '../../support/portal/job-nodes.js';
import { until } from '../../support/until.js';

const nodes = useJobNodes();

describe('A lease', () => {
  it('excludes other nodes from a job, and ends with its node', async () => {
    const kind = newJobKind();
    await nodes.jobs.add(kind, { name: 'a' });
    expect(await nodes.table.claim(kind)).toHaveLength(1);
    expect(await nodes.table.claim(kind)).toEqual([]);
    await nodes.database.query("UPDATE job SET due_at = due_at - interval '1000 seconds'");
    expect(await nodes.table.claim(kind)).toMatchObject([{ payload: { name: 'a' }, attempts: 2 }]);
  });

  it('that expired leaves the job to its new node: a late failure changes no row', async () => {
    const kind = newJobKind();
    await nodes.jobs.add(kind, { name: 'a' });
    const [late] = await nodes.table.claim(kind);
    await nodes.database.query('UPDATE job SET due_at = now()');
    const [owner] = await nodes.table.claim(kind);
    const [before] = (await nodes.database.query('SELECT * FROM job')).rows;
    if (!late || !owner) throw new Error('it was not claimed');
    await nodes.table.postpone(kind, [{ job: late, failure: { reason: 'late' } }]);
    expect((await nodes.database.query('SELECT * FROM job')).rows).toEqual([before]);
    await nodes.table.postpone(kind, [{ job: owner, failure: { reason: 'in time' } }]);
    expect((await nodes.database.query('SELECT * FROM job')).rows).not.toEqual([before]);
  });

  it('that expired on a slow node does not run the consequences twice', async () => {
    const kind = newJobKind();
    const ends: (() => void)[] = [];
    const done: string[] = [];
    const slow = (): JobHandler<TestPayload> => ({
      attempt: oneByOne(async () => {
        await new Promise<void>((end) => ends.push(end));
        return undefined;
      }),
      whenDone: async ({ payload }) => {
        done.push(payload.name);
      },
    });
    await nodes.jobs.add(kind, { name: 'a' });
    const one = await nodes.startNode(kind, slow());
    await until(() => ends.length === 1);
    const other = await nodes.startNode(kind, slow());
    await nodes.endPauses(kind);
    await until(() => ends.length === 2);
    for (const end of ends) end();
    await Promise.all([one.stop(), other.stop()]);
    expect(done).toEqual(['a']);
    expect(await nodes.waiting(kind)).toEqual([]);
  });
});

describe('Two nodes', () => {
  it('do each job once', async () => {
    const kind = newJobKind({ batchSize: 3 });
    const handlers = [recordingHandler(), recordingHandler()];
    for (const handler of handlers) await nodes.startNode(kind, handler);
    const names = Array.from({ length: 100 }, (_, number) => `job ${number}`);
    await Promise.all(names.map((name) => nodes.jobs.add(kind, { name })));
    await nodes.untilAllDone(kind);
    expect(handlers.flatMap((handler) => handler.names()).sort()).toEqual(names.sort());
  });

  it('are both notified of a job, so that a busy node does not delay it', async () => {
    const kind = newJobKind();
    let release: () => void = () => undefined;
    const busy = recordingHandler(
      () =>
        new Promise((end) => {
          release = () => end(undefined);
        }),
    );
    const free = recordingHandler();
    await nodes.startNode(kind, busy);
    await nodes.jobs.add(kind, { name: 'long' });
    await until(() => busy.batches.length === 1);
    await nodes.startNode(kind, free);
    await nodes.jobs.add(kind, { name: 'short' });
    await until(() => free.batches.length === 1);
    expect(free.names()).toEqual(['short']);
    release();
    await nodes.untilAllDone(kind);
  });
});

describe('A node', () => {
  it('whose LISTEN connection broke does the jobs that were added meanwhile', async () => {
    const kind = newJobKind();
    await nodes.startNode(kind, recordingHandler());
    await nodes.jobs.add(kind, { name: 'before' });
    await nodes.untilAllDone(kind);
    await nodes.database.query('INSERT INTO job (kind, payload) VALUES ($1, $2)', [kind.name, { name: 'a' }]);
    await nodes.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'gatehouse notifications%' AND datname = current_database()`,
    );
    await nodes.untilAllDone(kind);
  });

  it('looks for jobs at intervals, too', async () => {
    const kind = newJobKind({ lookEveryMs: 20 });
    await nodes.startNode(kind, recordingHandler());
    await nodes.jobs.add(kind, { name: 'before' });
    await nodes.untilAllDone(kind);
    await nodes.database.query('INSERT INTO job (kind, payload) VALUES ($1, $2)', [kind.name, { name: 'a' }]);
    await nodes.untilAllDone(kind);
  });

  it('that stops finishes its attempt and claims no further job', async () => {
    const kind = newJobKind();
    const ends: (() => void)[] = [];
    const handler = recordingHandler(() => new Promise((end) => ends.push(() => end(undefined))));
    await nodes.addAll(kind, ['a', 'b']);
    const node = await nodes.startNode(kind, handler);
    await until(() => ends.length === 1);
    const stopped = node.stop();
    ends[0]?.();
    await stopped;
    expect(handler.names()).toEqual(['a']);
    expect(await nodes.waiting(kind)).toMatchObject([{ name: 'b', attempts: 0 }]);
  });

  it('with a wrong clock uses the database’s clock', async () => {
    const kind = newJobKind({ giveUpAfterSeconds: 3_600 });
    const now = Date.now;
    Date.now = () => now() + 10 * 24 * 3_600_000;
    try {
      await nodes.startNode(kind, recordingHandler(failing));
      await nodes.jobs.add(kind, { name: 'a' });
      await nodes.untilFailed(kind, 1);
      await nodes.jobs.announce(kind);
      expect(await nodes.waiting(kind)).toMatchObject([{ attempts: 1 }]);
    } finally {
      Date.now = now;
    }
  });

  it('refuses two handlers of one kind', () => {
    const kind = newJobKind();
    const runner = new JobRunner(nodes.database, new Notifications(nodes.connection, nodes.database));
    runner.register(kind, recordingHandler());
    expect(() => runner.register(kind, recordingHandler())).toThrow(kind.name);
  });
});
