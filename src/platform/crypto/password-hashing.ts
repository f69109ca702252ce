import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, hashSync, type Options, verify } from '@node-rs/argon2';
import { BoundedQueue } from './bounded-queue.js';

/** Parameters of argon2id (the library's default algorithm); the minimum that OWASP recommends. */
const cost: Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

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
  /** Hash of a random password that no account has. */
  private readonly decoy = hashSync(randomBytes(32), cost);

  hash(password: string): Promise<string> {
    return this.queue.run(() => hash(normalised(password), cost));
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
