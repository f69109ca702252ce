import { asText, inGroups } from './codes.js';

describe('the key of an authenticator', () => {
  it.each([
    ['JBSWY3DPEHPK3PXP', 'JBSW Y3DP EHPK 3PXP'],
    ['JBSWY3', 'JBSW Y3'],
    ['', ''],
  ])('%j is shown as %j', (key, text) => {
    expect(inGroups(key)).toBe(text);
  });
});

it('recovery codes are saved with one code per line', () => {
  expect(asText(['7KQ4MX-P2VD9R', 'HW83NB-T6YC1J'])).toBe('7KQ4MX-P2VD9R\nHW83NB-T6YC1J\n');
});
