import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundWork } from '../../../src/platform/process/background-work.js';

/** Work that the test ends. */
function held() {
  let end: (error?: Error) => void = () => undefined;
  let begun = 0;
  const work = () => {
    begun += 1;
    return new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
  };
  return { work, end: (error?: Error) => end(error), begun: () => begun };
}

const isFailure = (error: unknown) => (error as Error).message === 'failed';

describe('Work in the background', () => {
  it('runs once at a time for a key, and again after it', async () => {
    const background = new BackgroundWork();
    const { work, end, begun } = held();
    background.begin('one', work, isFailure);
    background.begin('one', work, isFailure);
    await sleep(1);
    expect(begun()).toBe(1);
    end();
    expect(await background.settled('one')).toBe(true);
    background.begin('one', work, isFailure);
    await sleep(1);
    expect(begun()).toBe(2);
    end();
    await background.stop();
  });

  it.each([
    ['that has ended', undefined, true],
    ['that failed', 'failed', false],
    ['whose error is none', 'another one was faster', true],
  ] as const)('%s says whether it is done', async (_, error, isDone) => {
    const background = new BackgroundWork();
    const { work, end } = held();
    background.begin('one', work, isFailure);
    const settled = background.settled('one');
    await sleep(1);
    end(error === undefined ? undefined : new Error(error));
    expect(await settled).toBe(isDone);
    expect(await background.settled('other')).toBe(true);
  });

  it('ends before a stop resolves, and none begins after it', async () => {
    const background = new BackgroundWork();
    const { work, end, begun } = held();
    background.begin('one', work, isFailure);
    await sleep(1);
    let isStopped = false;
    const stopped = background.stop().then(() => {
      isStopped = true;
    });
    await sleep(20);
    expect(isStopped).toBe(false);
    end();
    await stopped;
    background.begin('two', work, isFailure);
    await sleep(1);
    expect(begun()).toBe(1);
    expect(await background.settled('two')).toBe(false);
  });
});
