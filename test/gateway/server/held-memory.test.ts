import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation } from '../../../src/gateway/application/server/gateway-request.js';
import { HeldMemory, type RequestMemory } from '../../../src/gateway/application/server/held-memory.js';
import { configSchema } from '../../../src/platform/config/config.js';
import { until } from '../../support/until.js';

const mb = 1024 * 1024;
/** What each request holds without being counted. */
const uncounted = mb / 4;

function memoryOf(held: number, { answer = 100 * mb, patienceMs = 60_000 } = {}) {
  const node = new HeldMemory({ answer, body: mb, held }, patienceMs);
  return () => {
    const cancellation = new Cancellation();
    return {
      memory: node.forRequest(cancellation),
      again: () => node.forRequest(cancellation),
      end: () => cancellation.end(),
    };
  };
}

/** Whether a request has its bytes at once, or has to wait, and how that ends. */
function taken(memory: RequestMemory, bytes: number) {
  const pending = memory.take(bytes);
  let state: 'at once' | 'waits' | 'later' | number = pending ? 'waits' : 'at once';
  pending?.then(
    () => {
      state = 'later';
    },
    ({ status }) => {
      state = status;
    },
  );
  return {
    async state() {
      await sleep(0);
      return state;
    },
  };
}

describe('the memory of a node', () => {
  test('is given to requests as long as there is some, and what is little is not counted', async () => {
    const request = memoryOf(10 * mb);
    expect(await taken(request().memory, 10 * mb).state()).toBe('at once');
    const other = request().memory;
    expect(await taken(other, uncounted).state()).toBe('at once');
    expect(await taken(other, 1).state()).toBe('waits');
  });

  test('is counted in whole megabytes for each request, so that many small parts cost little', async () => {
    const request = memoryOf(2 * mb);
    const { memory } = request();
    expect(await taken(memory, uncounted + 1).state()).toBe('at once');
    expect(await taken(memory, mb - 1).state()).toBe('at once');
    expect(await taken(request().memory, mb + uncounted).state()).toBe('at once');
    expect(await taken(request().memory, mb + uncounted).state()).toBe('waits');
  });

  test('is one for all that a request holds', async () => {
    const request = memoryOf(10 * mb);
    const { memory, again } = request();
    expect(again()).toBe(memory);
    expect(request().memory).not.toBe(memory);
  });

  test('has the others wait until one ends, in the order in which they came', async () => {
    const request = memoryOf(10 * mb);
    const [first, second, third] = [request(), request(), request()];
    taken(first.memory, 10 * mb);
    const [next, last] = [taken(second.memory, 8 * mb), taken(third.memory, 8 * mb)];
    expect(await Promise.all([next.state(), last.state()])).toEqual(['waits', 'waits']);
    first.end();
    expect(await Promise.all([next.state(), last.state()])).toEqual(['later', 'waits']);
    second.end();
    expect(await last.state()).toBe('later');
  });

  test('has one wait only for what it needs: a smaller one behind it is served', async () => {
    const request = memoryOf(10 * mb);
    const [first, second, third, fourth] = [request(), request(), request(), request()];
    taken(first.memory, 6 * mb);
    taken(second.memory, 3 * mb);
    const [large, small] = [taken(third.memory, 9 * mb), taken(fourth.memory, 3 * mb)];
    expect(await Promise.all([large.state(), small.state()])).toEqual(['waits', 'waits']);
    second.end();
    expect(await Promise.all([large.state(), small.state()])).toEqual(['waits', 'later']);
  });

  test('is given to the oldest of those that hold some, however much it needs, so that one always comes to its end', async () => {
    const request = memoryOf(10 * mb);
    const [first, second] = [request(), request()];
    taken(first.memory, 5 * mb);
    taken(second.memory, 5 * mb);
    const waits = taken(second.memory, 5 * mb);
    expect(await taken(first.memory, 50 * mb).state()).toBe('at once');
    expect(await waits.state()).toBe('waits');
    // It is the oldest now.
    first.end();
    expect(await waits.state()).toBe('later');
    expect(await taken(second.memory, 50 * mb).state()).toBe('at once');
  });

  test('comes back when a request holds less', async () => {
    const request = memoryOf(10 * mb);
    const [first, second] = [request(), request()];
    taken(first.memory, 10 * mb);
    const waits = taken(second.memory, 5 * mb);
    first.memory.give(3 * mb);
    expect(await waits.state()).toBe('waits');
    first.memory.give(3 * mb);
    expect(await waits.state()).toBe('later');
    first.memory.give(4 * mb);
    expect(await taken(second.memory, 5 * mb).state()).toBe('at once');
  });

  test('comes back as a whole from each request that has ended, and none is counted after that', async () => {
    const request = memoryOf(10 * mb);
    for (let round = 0; round < 5; round += 1) {
      const { memory, end } = request();
      expect(await taken(memory, 3 * mb).state()).toBe('at once');
      memory.give(mb);
      expect(await taken(memory, 8 * mb).state()).toBe('at once');
      end();
      expect(await taken(memory, 50 * mb).state()).toBe('at once');
    }
    taken(request().memory, 9 * mb);
    expect(await taken(request().memory, mb).state()).toBe('at once');
  });

  test('is refused with 503 after some time, and to a request that has ended while it waits', async () => {
    const request = memoryOf(10 * mb, { patienceMs: 500 });
    taken(request().memory, 10 * mb);
    const late = taken(request().memory, 5 * mb);
    const gone = request();
    const ended = taken(gone.memory, 5 * mb);
    expect(await late.state()).toBe('waits');
    gone.end();
    expect(await ended.state()).toBe(503);
    await until(async () => (await late.state()) !== 'waits');
    expect(await late.state()).toBe(503);
  });
});

describe('the memory of one request', () => {
  test('counts one resource several times, and refuses one that is too large', async () => {
    const request = memoryOf(8 * mb, { answer: 2 * mb });
    const { add } = request().memory.counted(4);
    expect(add(mb)).toBeUndefined();
    expect(add(mb)).toBeUndefined();
    expect(await taken(request().memory, mb).state()).toBe('waits');
    expect(() => add(1)).toThrow(expect.objectContaining({ status: 502, code: 'too-long' }));
    expect(() =>
      request()
        .memory.counted()
        .add(2 * mb + 1),
    ).toThrow('over 2 MB');
  });

  test('is what a stream may hold back', async () => {
    const request = memoryOf(8 * mb, { answer: 3 * mb });
    const { longest, take, give } = request().memory.limits;
    expect([longest, take?.(8 * mb)]).toEqual([3 * mb, undefined]);
    const waits = taken(request().memory, mb);
    give?.(8 * mb);
    expect(await waits.state()).toBe('later');
  });
});

describe('gateway.limits', () => {
  const limitsOf = (limits: object) =>
    configSchema.parse({ server: { issuer: 'http://localhost' }, gateway: { limits } }).gateway.limits;

  test('are 100 MB for answers, 20 MB for bodies and 400 MB for all together, if they are not set', () => {
    expect(limitsOf({})).toEqual({ answerMegabytes: 100, bodyMegabytes: 20, heldMegabytes: 400 });
    const set = { answerMegabytes: '1000', bodyMegabytes: 1, heldMegabytes: 100_000 };
    expect(limitsOf(set)).toEqual({ answerMegabytes: 1000, bodyMegabytes: 1, heldMegabytes: 100_000 });
  });

  test.each([
    { answerMegabytes: 0 },
    { answerMegabytes: 1001 },
    { answerMegabytes: 1.5 },
    { bodyMegabytes: 0 },
    { bodyMegabytes: 1001 },
    { heldMegabytes: 0 },
    { heldMegabytes: 100_001 },
    { heldMegabytes: 'all' },
    { bytes: 1 },
  ])('cannot be %j', (limits) => {
    expect(() => limitsOf(limits)).toThrow();
  });
});
