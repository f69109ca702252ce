import { passkeyNameLength } from '../../../src/contract/rules/users/passkeys.js';
import { distinctName, methodsOfPasskey, mostPasskeys } from '../../../src/passkeys/domain/passkey.js';

describe('a sign-in with a passkey', () => {
  it('has the methods of a key in hardware if it stays in one device, else in software (RFC 8176 §2)', () => {
    expect(methodsOfPasskey({ backupEligible: false })).toEqual(['hwk', 'user', 'mfa']);
    expect(methodsOfPasskey({ backupEligible: true })).toEqual(['swk', 'user', 'mfa']);
  });

  it('is one of ten at the most', () => {
    expect(mostPasskeys).toBe(10);
  });
});

describe('The name of a new passkey', () => {
  it('gets a number if a passkey of the account has it', () => {
    expect(distinctName('iPhone', ['Mac'])).toBe('iPhone');
    expect(distinctName('iPhone', ['iPhone'])).toBe('iPhone 2');
    expect(distinctName('iPhone', ['iPhone', 'iPhone 2'])).toBe('iPhone 3');
    expect(distinctName('iPhone', ['iPhone 2'])).toBe('iPhone');
  });

  it('is no longer than names may be, and ends with a whole character', () => {
    const longest = 'a'.repeat(passkeyNameLength);
    expect(distinctName(longest, [longest])).toBe(`${'a'.repeat(passkeyNameLength - 2)} 2`);
    const withKey = `${'a'.repeat(passkeyNameLength - 3)}🔑a`;
    expect(distinctName(withKey, [withKey])).toBe(`${'a'.repeat(passkeyNameLength - 3)} 2`);
  });
});
