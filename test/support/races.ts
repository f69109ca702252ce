import { Agent, type Answer } from './agent.js';
import type { TestPortal } from './portal.js';
import { runs } from './runs.js';

/** How many requests run in a race, over two nodes. */
export const ways = 20;
/** How often a race is run. */
export const { numRuns: rounds } = runs(2, 100);

/** In milliseconds, for all rounds of a race. */
export const { numRuns: patience } = runs(240_000, 3_600_000);

/** The answers to the same request, sent at once over all nodes of a portal. */
export function race(
  portal: TestPortal,
  send: (agent: Agent, index: number) => Promise<Answer>,
  count = ways,
): Promise<Answer[]> {
  const agentOf = (index: number) => new Agent(portal.issuer, portal.ports[index % portal.ports.length]);
  return Promise.all(Array.from({ length: count }, (_, index) => send(agentOf(index), index)));
}

/** The one that was answered with `success`; each other one must have one of the `refusals`. */
export function onlyWinner(answers: Answer[], success: number, refusals: number[]): Answer {
  const statuses = answers.map(({ status }) => status);
  const winners = answers.filter(({ status }) => status === success);
  expect([winners.length, statuses.filter((status) => ![success, ...refusals].includes(status))]).toEqual([1, []]);
  return winners[0] as Answer;
}
