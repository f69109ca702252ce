import type { TestPortal } from '../portal/portal.js';
import { runs } from '../runs.js';
import { Agent, type Answer } from './agent.js';

/** The number of requests in a race, over two nodes. */
export const raceSize = 20;
/** The number of repetitions of a race. */
export const { numRuns: rounds } = runs(1, 100);

/** The time limit in milliseconds for all rounds of a race. */
export const { numRuns: raceTimeout } = runs(240_000, 3_600_000);

/** Sends the same request at once over all nodes of a portal; returns the answers. */
export function race(
  portal: TestPortal,
  send: (agent: Agent, index: number) => Promise<Answer>,
  count = raceSize,
): Promise<Answer[]> {
  const agentOf = (index: number) => new Agent(portal.issuer, portal.ports[index % portal.ports.length]);
  return Promise.all(Array.from({ length: count }, (_, index) => send(agentOf(index), index)));
}

/** Returns the only answer with the status `success`; each other one must have one of the `refusals`. */
export function onlyWinner(answers: Answer[], success: number, refusals: number[]): Answer {
  const statuses = answers.map(({ status }) => status);
  const winners = answers.filter(({ status }) => status === success);
  expect([winners.length, statuses.filter((status) => ![success, ...refusals].includes(status))]).toEqual([1, []]);
  return winners[0] as Answer;
}
