import { recoveryAlphabet, recoveryCodeLength } from '../../contract/rules/users/two-factor-code.js';

const recoveryCodeCount = 10;
/** The number of random bytes that {@link recoveryCodesFrom} needs. */
export const recoveryCodeBytes = recoveryCodeCount * recoveryCodeLength;

/** Ten codes of 60 bits; each sign takes five bits of a byte, so that all are equally likely. */
export function recoveryCodesFrom(random: Uint8Array): string[] {
  return Array.from({ length: recoveryCodeCount }, (_, index) =>
    [...random.subarray(index * recoveryCodeLength, (index + 1) * recoveryCodeLength)]
      .map((byte) => recoveryAlphabet[byte & 31])
      .join(''),
  );
}
