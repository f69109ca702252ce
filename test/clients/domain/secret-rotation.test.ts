import type { Client } from '../../../src/clients/domain/client.js';
import type { ClientSecret } from '../../../src/clients/domain/client-secret.js';
import { overlapEnd, replacementOf } from '../../../src/clients/domain/secret-rotation.js';

const now = new Date('2026-03-01T08:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const old = (description: string | null, expiresAt: Date | null = null) => ({ description, expiresAt }) as ClientSecret;
const replaced = (secret: ClientSecret, ...others: (string | null)[]) =>
  replacementOf(secret, { secrets: [secret, ...others.map((description) => old(description))] } as unknown as Client, {
    secret: 'new value',
    now,
  });

describe('the secret that replaces another one', () => {
  it('is a shared secret with its value', () => {
    expect(replaced(old('Production'))).toEqual({
      secretType: 'SharedSecret',
      secret: 'new value',
      description: 'Production 2',
      expires: null,
    });
  });

  it.each<[description: string | null, others: string[], name: string]>([
    ['Production 2', [], 'Production 3'],
    ['Production 12', ['Production 2', 'Production 3'], 'Production 4'],
    ['Production2', [], 'Production2 2'],
    ['Production 2 b', [], 'Production 2 b 2'],
    [null, [], 'Secret 2'],
    ['x'.repeat(100), [], `${'x'.repeat(96)} 2`],
  ])('of "%s" is named after it, by the first free number', (description, others, name) => {
    expect(replaced(old(description), ...others).description).toBe(name);
  });

  it('ends after a year if the old one had an end', () => {
    expect(replaced(old('Production', inDays(3))).expires).toBe(inDays(365).toISOString());
  });
});

describe('the end of a replaced secret', () => {
  it('is after two weeks, but never later than it was', () => {
    expect(overlapEnd(old('Production'), now)).toEqual(inDays(14));
    expect(overlapEnd(old('Production', inDays(13)), now)).toEqual(inDays(13));
    expect(overlapEnd(old('Production', inDays(15)), now)).toEqual(inDays(14));
  });
});
