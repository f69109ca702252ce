import { log } from '../../../src/platform/logging/log.js';
import { type Repeated, repeat } from '../../../src/platform/process/repeat.js';
import { until } from '../../support/until.js';

const open: Repeated[] = [];
const hourMs = 3_600_000;

/** Work whose runs the test ends one by one. */
function gate() {
  const runs: { end: () => void; fail: (error: Error) => void }[] = [];
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((end, fail) => runs.push({ end, fail })).finally(() => {
      running -= 1;
    });
  };
  return { runs, work, most: () => most, running: () => running };
}

function start(...parameters: Parameters<typeof repeat>): Repeated {
  const repeated = repeat(...parameters);
  open.push(repeated);
  return repeated;
}

beforeAll(() => {
  log.level = 'silent';
});
afterEach(() => Promise.all(open.splice(0).map((one) => one.stop())));

describe('Repeated work', () => {
  it('runs again and again', async () => {
    let runs = 0;
    start(1, 'failed', async () => {
      runs += 1;
    });
    await until(() => runs >= 3);
  });

  it('is not run by its timer before the first interval is over, but by a call of now()', async () => {
    let runs = 0;
    const repeated = start(hourMs, 'failed', async () => {
      runs += 1;
    });
    expect(runs).toBe(0);
    repeated.runNow();
    expect(runs).toBe(1);
  });

  it('does not overlap itself; calls of now() during a run cause one more run', async () => {
    const { runs, work, most, running } = gate();
    const repeated = start(hourMs, 'failed', work);
    for (let call = 0; call < 5; call += 1) repeated.runNow();
    runs[0]?.end();
    await until(() => runs.length === 2);
    runs[1]?.end();
    await until(() => running() === 0);
    await repeated.stop();
    expect([runs.length, most()]).toEqual([2, 1]);
  });

  it('continues after a failure', async () => {
    let runs = 0;
    start(1, 'failed', async () => {
      runs += 1;
      throw new Error('this run fails');
    });
    await until(() => runs >= 3);
  });

  it('runs again after the interval that a run returns', async () => {
    let runs = 0;
    const repeated = start(hourMs, 'failed', async () => {
      runs += 1;
      return runs < 4 ? 1 : hourMs;
    });
    repeated.runNow();
    await until(() => runs === 4);
  });

  it('asks for its interval before each run when it is a function', async () => {
    let runs = 0;
    start(
      () => (runs < 3 ? 1 : hourMs),
      'failed',
      async () => {
        runs += 1;
      },
    );
    await until(() => runs === 3);
  });

  it('stops when the current run has ended, and does not run again', async () => {
    const { runs, work } = gate();
    const repeated = start(1, 'failed', work);
    await until(() => runs.length === 1);
    repeated.runNow();
    let hasStopped = false;
    const stopped = repeated.stop().then(() => {
      hasStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasStopped).toBe(false);
    runs[0]?.end();
    await stopped;
    repeated.runNow();
    expect(runs).toHaveLength(1);
  });

  it('stops also when the current run fails', async () => {
    const { runs, work } = gate();
    const repeated = start(hourMs, 'failed', work);
    repeated.runNow();
    const stopped = repeated.stop();
    runs[0]?.fail(new Error('this run fails'));
    await stopped;
  });
});
