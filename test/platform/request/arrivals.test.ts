import { setImmediate as turn } from 'node:timers/promises';
import { Arrivals } from '../../../src/platform/request/arrivals.js';
import { until } from '../../support/until.js';

let arrivals: Arrivals;

beforeEach(() => {
  arrivals = new Arrivals();
  arrivals.onModuleInit();
});
afterEach(() => arrivals.onModuleDestroy());

/** A busy machine may let the process stand still at any time. */
const certain = () => until(() => !arrivals.isCatchingUp);

/** Nothing is read meanwhile. */
function standStill(ms: number): number {
  const begun = performance.now();
  while (performance.now() - begun < ms);
  return begun;
}

describe('The time at which a request arrived', () => {
  it('is that at which it was read', async () => {
    await certain();
    const before = performance.now();
    expect(arrivals.earliest()).toBeGreaterThanOrEqual(before);
  });

  it('can be as early as the begin of a time in which nothing was read', async () => {
    await certain();
    const begun = standStill(300);
    expect(arrivals.isCatchingUp).toBe(true);
    expect(arrivals.earliest()).toBeLessThanOrEqual(begun);
    expect(arrivals.earliest()).toBeGreaterThanOrEqual(begun - 100);
  });

  it('stays uncertain while the connections that waited are accepted one by one, and is certain after that', async () => {
    await certain();
    const begun = standStill(300);
    for (let connections = 0; connections < 20; connections += 1) {
      arrivals.connected();
      await turn();
      expect(arrivals.earliest()).toBeLessThanOrEqual(begun);
    }
    for (let turns = 0; turns < 8; turns += 1) await turn();
    const now = performance.now();
    expect(arrivals.isCatchingUp).toBe(false);
    expect(arrivals.earliest()).toBeGreaterThanOrEqual(now);
    arrivals.connected();
    expect(arrivals.isCatchingUp).toBe(false);
  });

  it('is a minute ago at most', () => {
    Object.assign(arrivals, { lookedAt: performance.now() - 600_000 });
    expect(performance.now() - arrivals.earliest()).toBeLessThanOrEqual(60_001);
  });
});
