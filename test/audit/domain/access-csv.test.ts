import { accessCsvHead, accessCsvLine, type CsvAccess } from '../../../src/audit/domain/access-export.js';
import type { Message } from '../../../src/contract/messages/message.js';
import type { AccessVerb } from '../../../src/contract/own-record/access-log.js';
import { textOf } from '../../support/messages.js';

const words = {
  render: (message: Message) => textOf(message) ?? '',
  kindNames: (kinds: readonly string[]) => kinds.map((kind) => `<${kind}>`),
};
const access: CsvAccess = {
  at: new Date('2026-03-01T08:05:09.999Z'),
  person: { name: 'Ada' },
  app: { name: 'Heart' },
  verb: 'saw',
  kinds: { Observation: 2, Goal: 1 },
  status: 200,
  unattended: false,
  trial: false,
  export: false,
  reference: 'NB-7Q4K-2M',
};
const cells = (change: Partial<CsvAccess> = {}) =>
  accessCsvLine({ ...access, ...change }, words)
    .replace(/\r\n$/, '')
    .split(/,(?! )/);

describe('the table of accesses', () => {
  it('names its columns', () => {
    expect(accessCsvHead(words)).toBe(
      '\uFEFF"Time (UTC)",Person,App,Action,"Kinds of data",Entries,Result,Remarks,Reference\r\n',
    );
  });

  it('has a line for an access', () => {
    expect(accessCsvLine(access, words)).toBe(
      '"2026-03-01 08:05:09",Ada,Heart,Saw,"<Observation>, <Goal>",3,Answered,,NB-7Q4K-2M\r\n',
    );
  });

  it('leaves cells without a value empty', () => {
    expect(cells({ person: null, kinds: {}, reference: null })).toEqual([
      ...['"2026-03-01 08:05:09"', '', 'Heart', 'Saw', '', '', 'Answered', '', ''],
    ]);
  });

  it('counts a single entry', () => {
    expect(cells({ kinds: { Goal: 1 } })[5]).toBe('1');
  });

  it('names accounts and apps that do not exist any more', () => {
    const gone = cells({ person: { name: null }, app: null });
    expect(gone.slice(1, 3)).toEqual(['"A deleted account"', '"An app no longer registered"']);
    expect(cells({ app: { name: null } })[2]).toBe(gone[2]);
  });

  it.each<[AccessVerb, string]>([
    ['saw', 'Saw'],
    ['added', 'Added'],
    ['changed', 'Changed'],
    ['deleted', 'Deleted'],
    ['asked', '"Asked for"'],
  ])('says %s as %s', (verb, word) => {
    expect(cells({ verb })[3]).toBe(word);
  });

  it.each([
    [200, 'Answered'],
    [399, 'Answered'],
    [400, '"Not answered (400)"'],
    [401, 'Refused'],
    [403, 'Refused'],
    [404, '"Not answered (404)"'],
  ])('has for the status %s the result %s', (status, word) => {
    expect(cells({ status })[6]).toBe(word);
  });

  it('has remarks about how the app was used', () => {
    const remark = (change: Partial<CsvAccess>) => cells(change)[7];
    const single = [remark({ unattended: true }), remark({ trial: true }), remark({ export: true })];
    expect(new Set(single).size).toBe(3);
    expect(remark({ unattended: true, trial: true, export: true })).toBe(
      `"${single.map((text) => text?.replaceAll('"', '')).join(', ')}"`,
    );
  });
});
