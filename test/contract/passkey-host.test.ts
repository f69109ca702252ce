import { hasPasskeys } from '../../src/contract/rules/users/passkeys.js';

it.each([
  ['localhost', true],
  ['login.hospital.example', true],
  ['10.hospital.example', true],
  ['xn--bcher-kva.example', true],
  ['1password.example.', true],
  ['127.0.0.1', false],
  ['10.0.0.5', false],
  ['[::1]', false],
  ['[fd00::1]', false],
])('Passkeys at the host %s: %s', (hostname, expected) => {
  expect(hasPasskeys(hostname)).toBe(expected);
});
