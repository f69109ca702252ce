import type { ProblemBody } from '../../../src/contract/problem.js';
import type { CurrentUser } from '../../../src/contract/session.js';
import type { Agent, Answer } from './agent.js';

/** The errors of a refused call. */
export const errorsOf = (answer: Answer) => answer.json<ProblemBody & Record<string, unknown>>().errors;

/** The signed-in user of this browser. */
export async function currentUser(agent: Agent): Promise<CurrentUser & Record<string, unknown>> {
  return (await agent.get('/api/session')).json();
}
