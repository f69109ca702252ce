import { auditTypes } from '../../../src/contract/audit/audit-types.js';
import { ownEvent, type RecordedEvent } from '../../../src/own-data/domain/own-event.js';

const event = (more: Partial<RecordedEvent>): RecordedEvent => ({
  at: new Date('2026-11-22T10:00:00Z'),
  type: 'login',
  outcome: 'success',
  userId: 'me',
  clientId: null,
  subject: null,
  address: '192.0.2.1',
  correlationId: 'c-1',
  detail: { value: 'of another person' },
  ...more,
});

describe('An event as its actor may have it', () => {
  it('has the time, the type, the outcome, the app, the address and the correlation id', () => {
    expect(ownEvent(event({ detail: {}, clientId: 'growth' }), undefined)).toEqual({
      at: '2026-11-22T10:00:00.000Z',
      type: 'login',
      outcome: 'success',
      clientId: 'growth',
      address: '192.0.2.1',
      correlationId: 'c-1',
    });
  });

  it.each(auditTypes.filter((type) => type !== 'record.accessed'))(
    'of the type %s has its detail when the actor is the subject',
    (type) => {
      const detail = { fullName: ['A', 'B'] };
      expect(ownEvent(event({ type, subject: 'me', detail }), undefined).detail).toEqual(detail);
    },
  );

  const aboutActor = [
    ...(['login', 'logout', 'two-factor.proven', 'authorization.left', 'disclaimers.agreed'] as const),
    ...(['disclaimer.withdrawn', 'consent.given', 'consent.declined', 'token.reused', 'token.late'] as const),
    ...(['keys.replaced', 'keys.removed'] as const),
  ];
  const others = auditTypes.filter((type) => type !== 'record.accessed' && !aboutActor.some((one) => one === type));

  it.each(others)('of the type %s has no detail when it may be about another person', (type) => {
    expect(ownEvent(event({ type, subject: 'another' }), 'Practitioner/7').detail).toBeUndefined();
    expect(ownEvent(event({ type, subject: null }), 'Practitioner/7').detail).toBeUndefined();
  });

  it.each(aboutActor)('of the type %s has its detail, which is about the actor', (type) => {
    expect(ownEvent(event({ type, detail: { scopes: ['openid'] } }), undefined).detail).toEqual({
      scopes: ['openid'],
    });
  });
});

describe('An access to health data', () => {
  const accessed = (detail: object, fhirUser: string | undefined) =>
    ownEvent(event({ type: 'record.accessed', detail: { ...detail } }), fhirUser).detail;
  const read = { method: 'GET', status: 200, interaction: 'read', launch: 'x', fhirUser: 'https://x/fhir/Patient/1' };

  it('tells a patient what was read of their own record', () => {
    const own = { ...read, target: 'Observation/5', resource: 'Observation/5', patient: '1', patients: ['1'] };
    expect(accessed(own, 'Patient/1')).toEqual({
      method: 'GET',
      status: 200,
      interaction: 'read',
      kind: 'Observation',
      target: 'Observation/5',
      resource: 'Observation/5',
    });
  });

  it.each([{ patient: '1' }, { patients: ['1'] }, { patients: ['1', '1'] }])(
    'tells a patient what was read of their own record alone: %j',
    (patients) => {
      const own = { ...read, target: 'Observation/5', resource: 'Observation/5', ...patients };
      expect(accessed(own, 'Patient/1')).toMatchObject({ target: 'Observation/5', resource: 'Observation/5' });
    },
  );

  it.each([
    ['a practitioner', 'Practitioner/1', { patient: '1' }],
    ['a practitioner with the id of the patient', 'Practitioner/1', { patients: ['1'] }],
    ['a patient who reads of another one', 'Patient/1', { patient: '2' }],
    ['a patient who reads of several', 'Patient/1', { patient: '1', patients: ['1', '2'] }],
    ['a patient if no patient is known', 'Patient/1', {}],
    ['a patient if the list is empty', 'Patient/1', { patients: [] }],
    ['an administrator', undefined, { patient: '1' }],
  ])('tells %s the kind of data, and neither address nor patient', (_who, fhirUser, patients) => {
    const other = { ...read, target: 'Patient/2?name=Reed', resource: 'Patient/2', ...patients };
    expect(accessed(other, fhirUser)).toEqual({ method: 'GET', status: 200, interaction: 'read', kind: 'Patient' });
  });

  it('tells where it was made for an app while its user was away, and at which tenant', () => {
    expect(accessed({ method: 'POST', status: 200, unattended: true, tenant: 'north' }, 'Patient/1')).toEqual({
      method: 'POST',
      status: 200,
      unattended: true,
      tenant: 'north',
    });
  });
});
