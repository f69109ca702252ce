import { removeInPortions } from '../../../src/platform/process/portions.js';

/** A number of rows, and a removal from them. */
function rows(count: number) {
  const portions: number[] = [];
  const remove = async (most: number) => {
    const removed = Math.min(most, count);
    count -= removed;
    portions.push(removed);
    return removed;
  };
  return { portions, remove };
}

describe('A removal in portions', () => {
  it.each([
    [0, [0]],
    [2, [2]],
    [3, [3, 0]],
    [7, [3, 3, 1]],
  ])('of %i rows takes %j', async (count, expected) => {
    const { portions, remove } = rows(count);
    expect(await removeInPortions(3, remove)).toBe(count);
    expect(portions).toEqual(expected);
  });

  it('ends when the node stops', async () => {
    const { portions, remove } = rows(100);
    expect(await removeInPortions(3, remove, () => portions.length === 2)).toBe(6);
    const stopped = rows(100);
    expect(await removeInPortions(3, stopped.remove, () => true)).toBe(0);
    expect(stopped.portions).toEqual([]);
  });
});
