import type { RecordedEvent } from '../../../src/audit/domain/audit-event.js';
import { exportLine, headOf } from '../../../src/audit/domain/audit-lines.js';
import {
  auditRow,
  changesOf,
  launchReference,
  positionOf,
  shownDetail,
} from '../../../src/audit/domain/audit-views.js';

const event: RecordedEvent = {
  id: '42',
  at: new Date('2026-03-03T10:00:00.123Z'),
  type: 'record.accessed',
  outcome: 'success',
  userId: 'u1',
  userName: 'Ada',
  userType: 'Patient',
  clientId: 'diary',
  clientName: 'Diary',
  clientRecordId: 'c1',
  subject: null,
  subjectName: null,
  subjectType: null,
  address: '192.0.2.1',
  correlationId: 'k1',
  detail: {},
};
const rowOf = (change: Partial<RecordedEvent> = {}) => auditRow({ ...event, ...change });
const detailOf = (detail: RecordedEvent['detail']) => rowOf({ detail });

describe('The row of an event', () => {
  it('has who, what and when, and a cursor that names its place', () => {
    const row = rowOf();
    expect(row).toEqual({
      id: '42',
      at: '2026-03-03T10:00:00.123Z',
      cursor: '1772532000123.42',
      type: 'record.accessed',
      outcome: 'success',
      who: { id: 'u1', name: 'Ada', userType: 'Patient' },
      client: { id: 'diary', name: 'Diary', recordId: 'c1' },
      person: null,
      subject: null,
      patients: [],
      patientCount: 0,
      interaction: null,
      kinds: [],
    });
    expect(positionOf(row.cursor)).toEqual({ at: event.at, id: '42' });
  });

  it('has no user and no client where there are none', () => {
    expect(rowOf({ userId: null, clientId: null })).toMatchObject({ who: null, client: null });
    expect(rowOf({ userName: null, clientName: null, clientRecordId: null })).toMatchObject({
      who: { id: 'u1', name: null },
      client: { id: 'diary', name: null, recordId: null },
    });
  });

  it.each<[string, Partial<RecordedEvent>, person: object | null, subject: string | null]>([
    ['no subject', { type: 'user.changed', subject: null }, null, null],
    ['the user themself', { type: 'user.changed', subject: 'u1', subjectName: 'Ada' }, null, null],
    [
      'another account',
      { subject: 'u2', subjectName: 'Bert', subjectType: 'Practitioner' },
      { id: 'u2', name: 'Bert', userType: 'Practitioner' },
      null,
    ],
    ['the client', { type: 'client.changed', subject: 'c1' }, null, null],
    ['something else', { type: 'configuration.released', subject: 't1' }, null, 't1'],
  ])('about %s tells it as person or subject', (_, change, person, subject) => {
    expect(rowOf(change)).toMatchObject({ person, subject });
  });

  it.each([
    ['user.changed', true],
    ['account.deleted', true],
    ['admin.created', true],
    ['password.changed', true],
    ['users.changed', false],
    ['an.account.changed', false],
    ['user changed', false],
    ['client.changed', false],
  ])('of the type %s is about an account, also one that was deleted: %p', (type, isAccount) => {
    const row = rowOf({ type: type as RecordedEvent['type'], subject: 'u2' });
    expect(row.person).toEqual(isAccount ? { id: 'u2', name: null, userType: null } : null);
    expect(row.subject).toBe(isAccount ? null : 'u2');
  });

  it.each<[object, shown: string[], count: number]>([
    [{}, [], 0],
    [{ patient: 'p1' }, ['p1'], 1],
    [{ patient: 1 }, [], 0],
    [{ patients: ['p1', 'p2', 'p3'] }, ['p1', 'p2', 'p3'], 3],
    [{ patients: ['p1', 'p2', 'p3', 'p4', 'p5'] }, ['p1', 'p2', 'p3'], 5],
    [{ patients: ['p1', null, 'p2'], patient: 'p9' }, ['p1', 'p2'], 2],
    [{ patients: 'p1' }, [], 0],
  ])('of the detail %j has the patients %j of %i', (detail, patients, patientCount) => {
    expect(detailOf(detail as RecordedEvent['detail'])).toMatchObject({ patients, patientCount });
  });

  it.each<[object, kinds: string[]]>([
    [{ resource: 'Observation' }, ['Observation']],
    [{ resource: 'Observation/7' }, ['Observation']],
    [{ resource: 7 }, []],
    [{ seen: [], resource: 'Goal' }, ['Goal']],
    [{ seen: [{ Goal: 1 }], resource: 'Patient' }, ['Goal']],
    [{ seen: [null, {}], resource: 'Goal' }, ['Goal']],
    [
      { seen: [{ Goal: 1, 'Observation/laboratory': 2 }, null, { Observation: 1 }], resource: 'Patient' },
      ['Goal', 'Observation'],
    ],
    [{ seen: { Goal: 1 }, resource: 'Patient' }, ['Patient']],
  ])('of the detail %j has the kinds %j', (detail, kinds) => {
    expect(detailOf(detail as RecordedEvent['detail']).kinds).toEqual(kinds);
  });

  it('has the interaction, if it is a text', () => {
    expect(detailOf({ interaction: 'read' }).interaction).toBe('read');
    expect(detailOf({ interaction: 5 }).interaction).toBe(null);
  });
});

describe('The reference of a launch', () => {
  it.each([
    ['NB7Q4K2M3456', 'NB-7Q4K-2M'],
    ['NB7Q4K2M', 'NB-7Q4K-2M'],
    ['NB7Q4K2', null],
    [undefined, null],
    [Array(8).fill('a'), null],
  ])('of %j is %j', (launch, reference) => {
    expect(launchReference({ ...event, detail: { launch } })).toBe(reference);
  });
});

describe('The changes of an event', () => {
  const changes = (detail: RecordedEvent['detail'], type = 'client.changed') =>
    changesOf({ ...event, type: type as RecordedEvent['type'], detail });
  const shown = (field: string, before: unknown, after: unknown) => ({ field, isHidden: false, before, after });

  it.each([
    ['client.changed', true],
    ['client.created', true],
    ['client.deleted', true],
    ['client.changed-later', false],
    ['client changed', false],
    ['record.accessed', false],
  ])('of the type %s are told: %p', (type, isTold) => {
    expect(changes({ name: ['a', 'b'] }, type)).toEqual(isTold ? [shown('name', 'a', 'b')] : []);
  });

  it('are pairs from before and after', () => {
    expect(
      changes({ name: ['a', 'b'], note: [null, 'b'], tags: [['a']], none: [], three: [1, 2, 3], version: 2 }),
    ).toEqual([
      shown('name', 'a', 'b'),
      shown('note', null, 'b'),
      shown('tags', ['a'], null),
      shown('none', null, null),
    ]);
  });

  it('have no values of secrets', () => {
    expect(changes({ clientSecrets: [['a'], ['b']], password: ['a', 'b'] })).toEqual([
      { field: 'clientSecrets', isHidden: true, before: null, after: null },
      { field: 'password', isHidden: true, before: null, after: null },
    ]);
  });
});

describe('The detail of an event', () => {
  it.each([
    ...['secret', 'secretValue', 'clientSecret', 'code', 'otp', 'token', 'accessToken', 'oldAccessToken'],
    ...['refreshToken', 'privateKey', 'thePrivateKey', 'password', 'newPassword', 'passphrase', 'PASSWORD'],
  ])('does not have the value of %s', (name) => {
    expect(shownDetail({ ...event, detail: { [name]: 'x', status: 200 } })).toEqual({
      [name]: 'not shown',
      status: 200,
    });
  });

  it.each(['secrets', 'my-secret', 'codes', 'xcode', 'tokens', 'tokenId', 'accessTokens', 'passwordAge', 'status'])(
    'has the value of %s',
    (name) => {
      expect(shownDetail({ ...event, detail: { [name]: 'x' } })).toEqual({ [name]: 'x' });
    },
  );
});

describe('The position of a cursor', () => {
  it('has the time and the number of an event', () => {
    expect(positionOf('1772532000123.9007199254740993')).toEqual({ at: event.at, id: '9007199254740993' });
  });

  it('is no time for another text', () => {
    expect(positionOf('')).toEqual({ at: new Date(0), id: '' });
    expect(positionOf('a.b').at.getTime()).toBeNaN();
    expect(positionOf('a.b').id).toBe('b');
  });
});

describe('The file of events', () => {
  const known: RecordedEvent = {
    ...event,
    subject: 's1',
    subjectName: 'Bert',
    detail: { launch: 'NB7Q4K2M3456', password: 'x' },
  };
  const detail = { launch: 'NB7Q4K2M3456', password: 'not shown' };

  it('has the names of the columns first in CSV, and none in NDJSON', () => {
    expect(headOf('csv')).toBe(
      '\uFEFFentry,time,type,outcome,user_id,user_name,client_id,client_name,subject,subject_name,address,correlation_id,reference,detail\r\n',
    );
    expect(headOf('ndjson')).toBe('');
  });

  it('has a line for an event', () => {
    expect(exportLine('csv', known)).toBe(
      `42,2026-03-03T10:00:00.123Z,record.accessed,success,u1,Ada,diary,Diary,s1,Bert,192.0.2.1,k1,NB-7Q4K-2M,"${JSON.stringify(detail).replaceAll('"', '""')}"\r\n`,
    );
    const line = exportLine('ndjson', known);
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      entry: '42',
      time: '2026-03-03T10:00:00.123Z',
      type: 'record.accessed',
      outcome: 'success',
      user_id: 'u1',
      user_name: 'Ada',
      client_id: 'diary',
      client_name: 'Diary',
      subject: 's1',
      subject_name: 'Bert',
      address: '192.0.2.1',
      correlation_id: 'k1',
      reference: 'NB-7Q4K-2M',
      detail,
    });
  });
});
