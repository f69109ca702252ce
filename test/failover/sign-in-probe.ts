import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '../support/http/agent.js';
import type { Credentials } from '../support/users/people.js';
import type { Outcomes } from './outcomes.js';

interface Attempt {
  began: number;
  ended: number;
  works: boolean;
}

/** A sign-in that takes longer than this does not work, for the user. */
const patienceMs = 2_000;

/** Signs in again and again, by the load balancer or at one of the nodes. */
export class SignInProbe {
  private attempts: Attempt[] = [];
  private isOver = false;
  private running: Promise<void> | undefined;

  constructor(
    readonly name: string,
    private readonly issuer: string,
    private readonly port: number,
    /** A person for this probe alone: attempts of one account at once are counted as guesses. */
    private readonly person: Credentials,
    private readonly outcomes: Outcomes,
  ) {}

  start(): void {
    const { email, password } = this.person;
    const run = async () => {
      while (!this.isOver) {
        const began = performance.now();
        const answer = await new Agent(this.issuer, this.port).post('/api/session/login', {
          username: email,
          password,
        });
        const ended = performance.now();
        const works = this.outcomes.judge(`sign-in at ${this.name}`, answer, 200) !== undefined;
        this.attempts.push({ began, ended, works: works && ended - began < patienceMs });
        await sleep(150);
      }
    };
    this.running = run().catch((error: unknown) => this.outcomes.note(`sign-in at ${this.name}: ${error}`));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /** Forgets earlier attempts. */
  reset(): void {
    this.attempts = [];
  }

  /** Resolves when a sign-in that began after the call has worked. */
  get works(): boolean {
    return this.attempts.at(-1)?.works === true;
  }

  /** Seconds for which no sign-in worked: each from its beginning, or `from` for the first, until one has worked. */
  outages(from: number): number[] {
    const outages: number[] = [];
    let since: number | undefined;
    for (const { began, ended, works } of this.attempts) {
      if (!works) since ??= outages.length === 0 ? from : began;
      else if (since !== undefined) {
        outages.push((ended - since) / 1000);
        since = undefined;
      }
    }
    if (since !== undefined) outages.push(Number.POSITIVE_INFINITY);
    return outages;
  }
}
