import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';

/** Runs a limited number of tasks at once, queues a limited number and refuses the rest immediately. */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: { running: number; waiting: number }) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.waitForTurn();
    try {
      return await work();
    } finally {
      this.startNext();
    }
  }

  private async waitForTurn(): Promise<void> {
    if (this.running < this.limits.running) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.limits.waiting) {
      throw new Problem('unavailable', message('service-busy'), {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the slot directly to the task that has waited longest, so that no other task can take it in between. */
  private startNext(): void {
    const resume = this.waiting.shift();
    if (resume) resume();
    else this.running--;
  }
}

/** Parameters of argon2id (the library's default algorithm, RFC 9106), of which one lane is computed. */
export interface PasswordCost {
  /** In KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
}

/** The minimum that OWASP recommends. */
const recommended: PasswordCost = { memoryCost: 19 * 1024, timeCost: 2 };

/** Leaves a core to the thread that answers all other requests: two hashes on two cores would take two thirds of it. */
const running = availableParallelism() > 2 ? 2 : 1;
const admitted = 66;

/**
 * Password hashing is slow on purpose and therefore a target for denial of service: each verification occupies a thread
 * of libuv's pool and a core. At most two run at once, one on a machine of two cores, and 66 run or wait; further
 * requests are told to retry later (security F-07).
 */
export class PasswordHashing {
  private readonly queue = new BoundedQueue({ running, waiting: admitted - running });
  /** No password has this hash; to compare one with it takes as long as with another. */
  private readonly decoy: string;

  constructor(private readonly cost = recommended) {
    this.decoy = encoded(cost, randomBytes(16), randomBytes(32));
  }

  hash(password: string): Promise<string> {
    return this.queue.run(() => hash(normalised(password), { ...this.cost, parallelism: 1 }));
  }

  /** Does the same work without a hash to compare with: the time must not reveal whether an account exists. */
  async verify(password: string, expected: string | undefined): Promise<boolean> {
    const matches = await this.queue.run(() => verify(expected ?? this.decoy, normalised(password)));
    return matches && expected !== undefined;
  }
}

/** Different keyboards send the same characters as different code points (`NIST SP 800-63B §3.1.1.2`). */
function normalised(password: string): string {
  return password.normalize('NFKC');
}

/** The PHC string of a salt and a hash. Not computed: a start would wait for it. */
function encoded({ memoryCost, timeCost }: PasswordCost, salt: Buffer, hashed: Buffer): string {
  const [inSalt, inHash] = [salt, hashed].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${inSalt}$${inHash}`;
}
