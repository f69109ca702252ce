import { BoundedQueue, PasswordHashing } from '../../src/platform/crypto/password-hashing.js';

const hashing = new PasswordHashing();

describe('password hashing', () => {
  it('uses argon2id at the specified cost and a new salt each time', async () => {
    const [one, other] = await Promise.all([hashing.hash('violet kettle'), hashing.hash('violet kettle')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  it('accepts the password and no other', async () => {
    const hash = await hashing.hash('violet kettle');
    expect(await hashing.verify('violet kettle', hash)).toBe(true);
    expect(await hashing.verify('violet Kettle', hash)).toBe(false);
    expect(await hashing.verify('violet kettle', undefined)).toBe(false);
  });

  it('accepts the same characters from another keyboard', async () => {
    const hash = await hashing.hash('caf\u00e9 au lait');
    expect(await hashing.verify('cafe\u0301 au lait', hash)).toBe(true);
  });

  it('F-02 F-07 refuses more than 66 running and waiting verifications at once, and works equally without an account', async () => {
    // Passwords without an account wait in the same queue. How long that takes is measured by
    // `npm run bench -- timing`.
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => hashing.verify('violet kettle', undefined)));
    const refused = all.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(34);
    expect(refused[0]?.reason).toMatchObject({ kind: 'unavailable', options: { retryAfterSeconds: 2 } });
  });
});

describe('a bounded queue', () => {
  it('never runs more at once than permitted, keeps the order, and continues after a failure', async () => {
    const queue = new BoundedQueue({ running: 2, waiting: 10 });
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (index: number) => {
      started.push(index);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      if (index === 1) throw new Error('failed');
    };
    const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((index) => queue.run(() => work(index))));
    expect(started).toEqual([0, 1, 2, 3, 4, 5]);
    expect(most).toBe(2);
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
  });
});
