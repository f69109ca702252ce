import { methodsOfPasskey, mostPasskeys } from '../../../src/passkeys/domain/passkey.js';

describe('a sign-in with a passkey', () => {
  it('has the methods of a key in hardware if it stays in one device, else in software (RFC 8176 §2)', () => {
    expect(methodsOfPasskey({ backupEligible: false })).toEqual(['hwk', 'user', 'mfa']);
    expect(methodsOfPasskey({ backupEligible: true })).toEqual(['swk', 'user', 'mfa']);
  });

  it('is one of ten at the most', () => {
    expect(mostPasskeys).toBe(10);
  });
});
