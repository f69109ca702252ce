/** Sentences of commands agree with their numbers. */
import { FileProblems } from '../../src/as-code/domain/file-problems.js';
import {
  archivedSummary,
  changedEvents,
  eventsLeft,
  strayEvents,
  verifiedSummary,
} from '../../src/audit/infrastructure/audit-summary.js';
import { counted } from '../../src/contract/messages/counted.js';
import { backupSummary, endedSummary, restoreSummary } from '../../src/platform/backup/backup-summary.js';
import { ConfigError } from '../../src/platform/config/load-config.js';

const times = <Value>(number: number, value: Value): Value[] => Array.from({ length: number }, () => value);
const problem = { position: { line: 1, column: 1 }, path: [], text: 'wrong' };
const [firstLine, lastLine] = [0, -1].map((at) => (text: string) => text.split('\n').at(at) ?? '') as [
  (text: string) => string,
  (text: string) => string,
];
const restored = (number: number) =>
  restoreSummary('2026-03-01', {
    ...{ tables: number, rows: number, skipped: [], migrated: [], ended: undefined, keptKey: undefined },
    waitingDeletions: number,
  });

const sentences: [of: string, sentence: (number: number) => string, one: string, many: string][] = [
  ['a number with its noun', (number) => counted(number, 'row'), '1 row', '2,000 rows'],
  ['an irregular noun', (number) => counted(number, 'access', 'accesses'), '1 access', '2,000 accesses'],
  [
    'audit verify',
    (number) => verifiedSummary({ events: number, seals: number }),
    '1 event under 1 seal is as it was recorded.',
    '2,000 events under 2,000 seals are as they were recorded.',
  ],
  [
    'audit archive',
    (number) => archivedSummary('a.gz', '2026-03', { events: number, seals: number }),
    'a.gz has 1 event of 2026-03 under 1 seal, and was verified. The month is no longer in the database.',
    'a.gz has 2,000 events of 2026-03 under 2,000 seals, and was verified. The month is no longer in the database.',
  ],
  [
    'a broken seal',
    (number) => changedEvents(1, number),
    'event 1 was changed',
    'one of the events 1 to 2000 was changed',
  ],
  ['other events', strayEvents, '1 event was inserted or removed', '2,000 events were inserted or removed'],
  [
    'events of an archived month',
    (number) => eventsLeft('2026-03', number),
    '2026-03 is in an archive, and the table has 1 event of it still: repeat `audit archive` with its file',
    '2026-03 is in an archive, and the table has 2,000 events of it still: repeat `audit archive` with its file',
  ],
  [
    'backup',
    (number) => firstLine(backupSummary('a', { tables: number, rows: number, fileBytes: number * 1000 }, true)),
    'a has 1 row of 1 table, in 1.00 kB.',
    'a has 2,000 rows of 2,000 tables, in 2.00 MB.',
  ],
  [
    'restore',
    (number) => firstLine(restored(number)),
    'Restored, as of 2026-03-01: 1 row of 1 table.',
    'Restored, as of 2026-03-01: 2,000 rows of 2,000 tables.',
  ],
  [
    'deletions that wait in a restored database',
    (number) => restored(number).split('\n').at(-2) ?? '',
    '- 1 account will be deleted on the day that the user has asked for; a user who has taken this back since',
    '- 2,000 accounts will be deleted on the day that the user has asked for; a user who has taken this back since',
  ],
  [
    'end-issued',
    (number) => firstLine(endedSummary({ sessions: number, grants: number, links: number, mails: number })),
    'Everything that was issued has ended: 1 session, 1 grant, 1 link by mail, and all',
    'Everything that was issued has ended: 2,000 sessions, 2,000 grants, 2,000 links by mail, and all',
  ],
  [
    'mails that are not sent',
    (number) => lastLine(endedSummary({ sessions: 0, grants: 0, links: 0, mails: number })),
    '1 mail that waited will not be sent.',
    '2,000 mails that waited will not be sent.',
  ],
  [
    'a file that cannot be applied',
    (number) => firstLine(new FileProblems('a.yaml', times(number, problem)).message),
    'a.yaml has 1 problem. Nothing was changed.',
    'a.yaml has 2,000 problems. Nothing was changed.',
  ],
  [
    'a wrong configuration',
    (number) => new ConfigError(times(number, 'wrong')).message,
    'The configuration has 1 problem.',
    'The configuration has 2,000 problems.',
  ],
];

it.each(sentences)('The sentence of %s agrees with its number', (_, sentence, one, many) => {
  expect([sentence(1), sentence(2000)]).toEqual([one, many]);
});
