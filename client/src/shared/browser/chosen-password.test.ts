import { handOverPassword, takeOverPassword } from './chosen-password.js';

describe('A password that was chosen by a link', () => {
  const chosen = { email: 'ida@example.org', password: 'copper-meadow-8841' };

  it('is handed to the sign-in page once', () => {
    expect(takeOverPassword(chosen.email)).toBeNull();
    handOverPassword(chosen);
    expect(takeOverPassword(chosen.email)).toEqual(chosen);
    expect(takeOverPassword(chosen.email)).toBeNull();
  });

  it.each<[string, string | undefined, number]>([
    ['of another account', 'other@example.org', 0],
    ['that a user has opened by other ways', undefined, 0],
    ['half a minute later', chosen.email, 30_000],
  ])('is not handed to the sign-in page %s, and is dropped', (_, email, after) => {
    handOverPassword(chosen, 1_000);
    expect(takeOverPassword(email, 1_000 + after)).toBeNull();
    expect(takeOverPassword(chosen.email, 1_000)).toBeNull();
  });
});
