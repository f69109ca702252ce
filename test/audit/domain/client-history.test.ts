import type { RecordedEvent } from '../../../src/audit/domain/audit-event.js';
import { clientChange, clientEvents } from '../../../src/audit/domain/client-history.js';

const event: RecordedEvent = {
  id: '7',
  at: new Date('2026-03-03T10:00:00.123Z'),
  type: 'client.changed',
  outcome: 'success',
  userId: '6a1c2f4e-7b1d-4f6e-9a53-0c7d4b0f8e21',
  userName: 'Ada Admin',
  userType: 'Admin',
  clientId: 'diary',
  clientName: 'Diary',
  clientRecordId: null,
  subject: null,
  subjectName: null,
  subjectType: null,
  address: null,
  correlationId: null,
  detail: {},
};
const fieldsOf = (detail: RecordedEvent['detail']) => clientChange({ ...event, detail }).fields;
const text = (length: number) => 'a'.repeat(length - 2);

it('the events of a client are its creation and its changes; a deletion that was undone has changed nothing', () => {
  expect(clientEvents).toEqual(['client.created', 'client.changed']);
});

describe('a change of a client', () => {
  it('has the number and time of its entry, and the administrator', () => {
    expect(clientChange(event)).toEqual({
      entry: '7',
      at: '2026-03-03T10:00:00.123Z',
      isCreation: false,
      who: { id: event.userId, name: 'Ada Admin' },
      service: null,
      fields: [],
    });
    expect(clientChange({ ...event, type: 'client.created' }).isCreation).toBe(true);
  });

  it.each([
    ['of a service has its client id and no administrator', 'client console', { who: null, service: 'console' }],
    ['of the configuration has neither', null, { who: null, service: null }],
    ['of an account with another id has that account', 'my client', { who: { id: 'my client' }, service: null }],
  ])('%s', (_title, userId, expected) => {
    expect(clientChange({ ...event, userId })).toMatchObject(expected);
  });

  it('has the fields of the form with both values, and no other member of the event', () => {
    expect(fieldsOf({ requirePar: [false, true], version: [1, 2], launch: 'ABC', description: [null, 'New'] })).toEqual(
      [
        { field: 'requirePar', before: false, after: true, isHidden: false },
        { field: 'description', before: null, after: 'New', isHidden: false },
      ],
    );
  });

  it('hides secrets, and values of more than 1,000 characters of JSON, before or after', () => {
    const hidden = { before: null, after: null, isHidden: true };
    expect(fieldsOf({ clientSecrets: [[], [{ description: 'Production' }]] })).toEqual([
      { field: 'clientSecrets', ...hidden },
    ]);
    expect(fieldsOf({ description: [text(1000), ''] })).toEqual([
      { field: 'description', before: text(1000), after: '', isHidden: false },
    ]);
    expect(fieldsOf({ description: [text(1001), ''] })).toEqual([{ field: 'description', ...hidden }]);
    expect(fieldsOf({ description: ['', text(1001)] })).toEqual([{ field: 'description', ...hidden }]);
  });
});
