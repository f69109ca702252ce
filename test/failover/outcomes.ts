import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/http/agent.js';

/** Counts of what was answered since the last failover began, and all that must not be answered at all. */
export class Outcomes {
  readonly wrong: string[] = [];
  answered = 0;
  refused = 0;
  private byStatus = new Map<string, number>();

  /** From now on for the next failover; returns the refusals until now by their status. */
  reset(): { answered: number; refused: number; refusals: string } {
    const { answered, refused } = this;
    const refusals = [...this.byStatus].map(([status, count]) => `${count} × ${status}`).join(', ');
    this.answered = 0;
    this.refused = 0;
    this.byStatus = new Map();
    return { answered, refused, refusals };
  }

  /**
   * Returns the answer if its status is one of those expected, and undefined if the request was refused as it must be
   * while there is no database. Anything else is wrong.
   */
  judge(what: string, answer: Answer, ...expected: number[]): Answer | undefined {
    if (expected.includes(answer.status)) {
      this.answered += 1;
      return answer;
    }
    this.refused += 1;
    const isAsked = answer.status === 503 && Number(answer.headers['retry-after']) > 0;
    const status = isAsked ? '503' : `${answer.status}${answer.status === 503 ? ' without Retry-After' : ''}`;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    if (!isAsked) this.note(`${what}: ${answer.status} ${answer.location ?? ''} ${answer.text.slice(0, 200)}`);
    return undefined;
  }

  note(wrong: string): void {
    this.wrong.push(`${new Date().toISOString()} ${wrong}`);
  }

  /** As {@link judge}, but repeats the request until it is not refused, as clients do; undefined when the load ends. */
  async insist(
    what: string,
    send: () => Promise<Answer>,
    expected: number[],
    isOver: () => boolean,
  ): Promise<Answer | undefined> {
    for (;;) {
      const answer = await send();
      const judged = this.judge(what, answer, ...expected);
      if (judged) return judged;
      // A wrong answer will not become a right one.
      if (answer.status !== 503 || isOver()) return undefined;
      await sleep(150);
    }
  }
}
