import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds after which other requests have a turn of the event loop. */
const turnMs = 10;

/** The time of one turn; `isOver` reads the clock. */
export class Turn {
  private until = performance.now() + turnMs;

  isOver(): boolean {
    return performance.now() >= this.until;
  }

  /** Called when the work is resumed. */
  begin(): void {
    this.until = performance.now() + turnMs;
  }
}

/** Carries out work that yields at the end of each of its turns. */
export async function inTurns<Result>(work: Generator<undefined, Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

type Test = (value: unknown, name: string | undefined) => boolean;

/**
 * True if the test holds for the value, or for one at any depth in it; `name` is that of the member that has it, or its
 * list.
 */
export const someInTurns = (value: unknown, test: Test): Promise<boolean> => inTurns(searching(value, test));

function* searching(root: unknown, test: Test): Generator<undefined, boolean> {
  const turn = new Turn();
  const values: unknown[] = [root];
  const names: (string | undefined)[] = [undefined];
  for (let seen = 1; values.length > 0; seen += 1) {
    if (seen % 512 === 0 && turn.isOver()) {
      yield;
      turn.begin();
    }
    const value = values.pop();
    const name = names.pop();
    if (test(value, name)) return true;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [member, child] of Object.entries(value)) {
      values.push(child);
      names.push(isList ? name : member);
    }
  }
  return false;
}
