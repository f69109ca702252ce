import { issuer, masterKey, signingKeys, trustedProxies } from '../../../src/readiness/domain/network-rules.js';
import { day, expectRows, type RuleRow } from '../../support/readiness/rule-rows.js';

describe('The rules about network and keys', () => {
  const secure = { issuer: 'https://login.example', isTrial: false };
  const trial = { issuer: 'http://localhost:3000', isTrial: true };
  const plain = { issuer: 'http://login.example', isTrial: false };
  const proxies = 'server.trustedProxies';
  const keys = { signing: 2, overdue: 0, secondsToNext: 5 * day };
  const file = '/data/master.key';
  expectRows([
    ['TLS', issuer(secure), 'pass', 'issuer-pass', { issuer: secure.issuer }],
    ['TLS in capitals', issuer({ ...secure, issuer: 'HTTPS://a' }), 'pass', 'issuer-pass', { issuer: 'HTTPS://a' }],
    [
      'TLS in the path only',
      issuer({ ...plain, issuer: 'http://a/https:' }),
      ...(['blocking', 'issuer-plain', { issuer: 'http://a/https:' }, 'issuer-do | server.issuer'] as const),
    ],
    ['a trial', issuer(trial), 'improve', 'issuer-local', { issuer: trial.issuer }, 'issuer-do | server.issuer'],
    ['no TLS', issuer(plain), 'blocking', 'issuer-plain', { issuer: plain.issuer }, 'issuer-do | server.issuer'],
    [
      'named proxies',
      trustedProxies(['10.0.0.5', '10.0.0.0/8', 'fd00::/16', '::1'], secure),
      ...(['pass', 'trusted-proxies-pass', { networks: '10.0.0.5, 10.0.0.0/8, fd00::/16, ::1' }] as const),
    ],
    [
      'one named proxy',
      trustedProxies(['10.0.0.5'], secure),
      ...(['pass', 'trusted-proxies-pass', { networks: '10.0.0.5' }] as const),
    ],
    ...['0.0.0.0/0', '10.0.0.0/7', '::/0', 'fd00::/15'].map(
      (network): RuleRow => [
        `${network} is trusted`,
        trustedProxies(['10.0.0.5', network], secure),
        ...(['blocking', 'trusted-proxies-wide', { networks: network }] as const),
        `trusted-proxies-wide-do | ${proxies}`,
      ],
    ),
    [
      'two large networks are trusted',
      trustedProxies(['0.0.0.0/0', '::/0'], secure),
      ...(['blocking', 'trusted-proxies-wide', { networks: '0.0.0.0/0, ::/0' }] as const),
      `trusted-proxies-wide-do | ${proxies}`,
    ],
    [
      'no proxy in front of TLS',
      trustedProxies([], secure),
      ...(['improve', 'trusted-proxies-none', undefined, `trusted-proxies-none-do | ${proxies}`] as const),
    ],
    ['no proxy without TLS', trustedProxies([], trial), 'pass', 'trusted-proxies-unneeded'],
    ['a configured key', masterKey(undefined, secure), 'pass', 'master-key-pass'],
    [
      'a key beside the data',
      masterKey(file, secure),
      ...(['blocking', 'master-key-beside', { file }, 'master-key-do | keys.masterKey'] as const),
    ],
    [
      'a key beside the data of a trial',
      masterKey(file, trial),
      ...(['improve', 'master-key-beside', { file }, 'master-key-do | keys.masterKey'] as const),
    ],
    ['keys in time', signingKeys(keys, 366), 'pass', 'signing-keys-pass', { duration: 5 * day }],
    [
      'keys that are replaced sooner than they were meant to be',
      signingKeys({ ...keys, secondsToNext: 90 * day }, 30),
      ...(['pass', 'signing-keys-pass', { duration: 30 * day }] as const),
    ],
    [
      'overdue keys',
      signingKeys({ ...keys, overdue: 1 }, 90),
      ...(['improve', 'signing-keys-due', { count: 1 }, 'signing-keys-due-do | npx gatehouse keys rotate'] as const),
    ],
    [
      'keys that sign for more than a year',
      signingKeys(keys, 367),
      ...(['improve', 'signing-keys-seldom', { days: 367 }, 'signing-keys-seldom-do | keys.rotationDays'] as const),
    ],
    [
      'no keys',
      signingKeys({ ...keys, signing: 0 }, 90),
      ...(['unknown', 'signing-keys-none', undefined, 'signing-keys-none-do'] as const),
    ],
  ]);
});
