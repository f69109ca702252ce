import { randomBytes } from 'node:crypto';
import { hash, hashSync, type Options, verify } from '@node-rs/argon2';
import { BoundedQueue } from './bounded-queue.js';

/** argon2id (the library's default algorithm) as OWASP asks for at least. */
const cost: Options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/**
 * Slow on purpose, and so a way to bring the portal down: each verification keeps a thread of libuv's pool busy, which
 * signing tokens needs too. At most two run at once and 64 wait; whoever comes after is told to come back (security F-07).
 */
export class PasswordHashing {
  private readonly queue = new BoundedQueue({ running: 2, waiting: 64 });
  /** Of a password that nobody has. */
  private readonly nobodys = hashSync(randomBytes(32), cost);

  hash(password: string): Promise<string> {
    return this.queue.run(() => hash(normalised(password), cost));
  }

  /** Does the same work when there is no hash to compare with: the time must not tell whether an account exists. */
  async verify(password: string, expected: string | undefined): Promise<boolean> {
    const matches = await this.queue.run(() => verify(expected ?? this.nobodys, normalised(password)));
    return matches && expected !== undefined;
  }
}

/** The same characters come in different code points from different keyboards (`NIST SP 800-63B §3.1.1.2`). */
function normalised(password: string): string {
  return password.normalize('NFKC');
}
