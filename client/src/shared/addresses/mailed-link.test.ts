import { linkOf } from './mailed-link.js';

describe('a link from a mail', () => {
  it('names the account and carries the token', () => {
    expect(linkOf('?u=7f3a&t=a%2Bb')).toEqual({ userId: '7f3a', token: 'a+b' });
  });

  it.each(['', '?u=7f3a', '?t=secret', '?u=&t=secret'])('is incomplete as %j', (search) => {
    expect(linkOf(search)).toBeNull();
  });
});
