import { PendingSignIn, pendingSeconds, pendingTries } from '../../src/two-factor/domain/pending-sign-in.js';
import { recoveryCodeBytes, recoveryCodesFrom } from '../../src/two-factor/domain/recovery-codes.js';
import { TwoFactor } from '../../src/two-factor/domain/two-factor.js';

const now = new Date('2026-03-01T10:00:00Z');

describe('a sign-in that waits for its second factor', () => {
  it('G-03 ends five minutes after the password, and has used none of its five tries', () => {
    const given = { idHash: 'hash', accountId: 'amelia', securityStamp: 'first', remembered: true };
    expect(PendingSignIn.begin({ ...given, now })).toEqual({
      ...given,
      tries: 0,
      expiresAt: new Date('2026-03-01T10:05:00Z'),
    });
    expect([pendingSeconds, pendingTries]).toEqual([300, 5]);
  });
});

describe('recovery codes', () => {
  it('are ten of twelve characters, each from its own random bytes', () => {
    expect(recoveryCodeBytes).toBe(120);
    // The twelve bytes of each code are equal: 0, 1, 2 …
    const random = Uint8Array.from({ length: recoveryCodeBytes }, (_, index) => Math.floor(index / 12));
    const codes = recoveryCodesFrom(random);
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^(.)\1{11}$/);
    expect(new Set(codes).size).toBe(10);
  });

  it('take five bits of each byte, so that all 32 characters are equally likely', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const [sign = ''] = recoveryCodesFrom(new Uint8Array(recoveryCodeBytes).fill(byte))[0] ?? '';
      counts.set(sign, (counts.get(sign) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });
});

describe('a second factor', () => {
  it('that is activated by a code does not accept the code of that step again', () => {
    const sealedKey = Buffer.from('sealed');
    const { step, ...rest } = { accountId: 'amelia', sealedKey, keyId: 'key-1', step: 57_000, recoveryCodes: ['hash'] };
    expect(TwoFactor.activate({ ...rest, step, now })).toEqual({ ...rest, lastStep: step, enabledAt: now });
  });
});
