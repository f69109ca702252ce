import {
  mailQueue,
  mailSender,
  mailServer,
  mailTest,
  type TestMail,
} from '../../../src/readiness/domain/mail-rules.js';
import { day, expectRows, hour, type RuleRow } from '../../support/readiness/rule-rows.js';

describe('The rules about mail', () => {
  const server = { host: 'mail.example', isLocal: false, usesTls: true };
  const sent: TestMail = {
    to: 'ada@example.org',
    sentSecondsAgo: 130,
    isWaiting: false,
    confirmedSecondsAgo: undefined,
  };
  const unset = ['mail-server-none', undefined, 'mail-server-do | email.smtp'] as const;
  const late = 'mail-queue-do | email.smtp';
  const other = { address: 'portal@mail.example', host: 'hospital.example' };
  expectRows([
    ['no server', mailServer(undefined, false), 'blocking', ...unset],
    ['no server in a trial', mailServer(undefined, true), 'improve', ...unset],
    ['a server with TLS', mailServer(server, false), 'pass', 'mail-server-pass', { host: 'mail.example' }],
    [
      'a server on this machine',
      mailServer({ ...server, isLocal: true, usesTls: false }, false),
      ...(['pass', 'mail-server-pass', { host: 'mail.example' }] as const),
    ],
    [
      'a server without TLS',
      mailServer({ ...server, usesTls: false }, false),
      ...(['improve', 'mail-server-plain', { host: 'mail.example' }] as const),
      'mail-server-plain-do | email.smtp.security',
    ],
    ['no waiting mail', mailQueue({ count: 0, oldestSeconds: 0 }), 'pass', 'mail-queue-pass'],
    ['mail that waits for ten minutes', mailQueue({ count: 2, oldestSeconds: 600 }), 'pass', 'mail-queue-pass'],
    [
      'mail that waits for longer',
      mailQueue({ count: 1, oldestSeconds: 601 }),
      ...(['improve', 'mail-queue-waiting', { count: 1, duration: 600 }, late] as const),
    ],
    [
      'mail that waits for an hour',
      mailQueue({ count: 1, oldestSeconds: hour }),
      ...(['improve', 'mail-queue-waiting', { count: 1, duration: hour }, late] as const),
    ],
    [
      'mail that waits for more than an hour',
      mailQueue({ count: 3, oldestSeconds: hour + 1 }),
      ...(['blocking', 'mail-queue-waiting', { count: 3, duration: hour }, late] as const),
    ],
    ['a test mail needs a server', mailTest(undefined, false), 'unknown', ...unset],
    [
      'no test mail',
      mailTest(undefined, true),
      ...(['improve', 'mail-test-none', undefined, 'mail-test-none-do | test-mail'] as const),
    ],
    [
      'a test mail that waits',
      mailTest({ ...sent, isWaiting: true }, true),
      ...(['improve', 'mail-test-waiting', { to: sent.to, duration: 120 }, 'mail-queue-do | test-mail'] as const),
    ],
    [
      'a test mail that was not confirmed',
      mailTest(sent, true),
      ...(['improve', 'mail-test-unconfirmed', { to: sent.to, duration: 120 }, 'mail-test-do | test-mail'] as const),
    ],
    [
      'a test mail that was confirmed',
      mailTest({ ...sent, confirmedSecondsAgo: 90 * day }, true),
      ...(['pass', 'mail-test-pass', { duration: 90 * day }, 'test-mail'] as const),
    ],
    [
      'a test mail that was confirmed long ago',
      mailTest({ ...sent, confirmedSecondsAgo: 90 * day + 1 }, true),
      ...(['improve', 'mail-test-old', { duration: 90 * day }, 'mail-test-none-do | test-mail'] as const),
    ],
    ['no sender', mailSender(undefined, 'hospital.example', false), 'unknown', 'mail-sender-none', undefined, unset[2]],
    [
      'a sender in a trial',
      mailSender('portal@hospital.example', 'localhost', true),
      ...(['unknown', 'mail-sender-local', { address: 'portal@hospital.example' }] as const),
      'mail-sender-local-do | email.from',
    ],
    ...(
      [
        ['portal@hospital.example', 'login.hospital.example'],
        ['portal@Login.Hospital.Example', 'login.hospital.example'],
        ['portal@mail.login.hospital.example', 'login.hospital.example'],
        ['portal@mail.hospital.example', 'login.hospital.EXAMPLE'],
        ['portal@hospital.example', 'hospital.example'],
      ] as const
    ).map(
      ([address, host]): RuleRow => [
        `${address} for ${host}`,
        mailSender(address, host, false),
        ...(['pass', 'mail-sender-pass', { address }] as const),
      ],
    ),
    [
      'a sender of another domain with the same ending',
      mailSender(other.address, other.host, false),
      ...(['improve', 'mail-sender-other', other, 'mail-sender-do | email.from'] as const),
    ],
    [
      'a sender below another domain of the same length',
      mailSender('portal@a.north.example', 'b.south.example', false),
      ...(['improve', 'mail-sender-other'] as const),
      { address: 'portal@a.north.example', host: 'b.south.example' },
      'mail-sender-do | email.from',
    ],
    [
      'a sender whose domain only ends alike',
      mailSender('portal@hospital.example', 'the-hospital.example', false),
      ...(['improve', 'mail-sender-other'] as const),
      { address: 'portal@hospital.example', host: 'the-hospital.example' },
      'mail-sender-do | email.from',
    ],
  ]);
});
