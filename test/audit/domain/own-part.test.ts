import { ownPartOf } from '../../../src/audit/domain/access-export.js';
import type { ExportedAccess } from '../../../src/audit/domain/access-log.js';
import type { AccessDetail, SeenKinds } from '../../../src/contract/audit/access-detail.js';

const detail: AccessDetail = { method: 'GET', target: '/Observation?patient=p2&code=a?b', status: 200, launch: 'L1' };
const access = (detail: AccessDetail): ExportedAccess => ({
  id: 'e1',
  patient: 'p1',
  recordedAt: new Date('2026-03-01T08:00:00Z'),
  by: { userId: 'ada', clientId: 'app', launchId: 'L1' } as unknown as ExportedAccess['by'],
  userId: 'ada',
  clientId: 'app',
  correlationId: 'c1',
  detail,
  verb: 'saw',
  kinds: {},
});

describe("a patient's part of an access", () => {
  it('has who and when, without the network address, and nothing else of the event', () => {
    expect(ownPartOf(access(detail))).toEqual({
      recordedAt: new Date('2026-03-01T08:00:00Z'),
      userId: 'ada',
      clientId: 'app',
      correlationId: 'c1',
      address: null,
      detail: { ...detail, patient: 'p1' },
    });
  });

  it('has the whole address of a request about this patient alone', () => {
    const about = { ...detail, patients: ['p1'], seen: [{ Observation: 2 }] };
    expect(ownPartOf(access(about)).detail).toEqual({ ...about, patient: 'p1' });
  });

  it('names no other patient, and has the kinds of this one alone', () => {
    const patients = ['p0', 'p1', 'p2'];
    const seen: SeenKinds[] = [{ Condition: 1 }, { Observation: 2 }, { Goal: 3 }];
    expect(ownPartOf(access({ ...detail, patient: 'p0', patients, seen })).detail).toEqual({
      ...detail,
      target: '/Observation',
      patient: 'p1',
      patients: ['p1'],
      seen: [{ Observation: 2 }],
    });
  });

  it('has no kinds where none were recorded, or none of this patient', () => {
    expect(ownPartOf(access({ ...detail, patients: ['p1'] })).detail).not.toHaveProperty('seen');
    expect(ownPartOf(access({ ...detail, patients: ['p2'], seen: [{ Goal: 1 }] })).detail).not.toHaveProperty('seen');
    expect(ownPartOf(access({ ...detail, seen: [{ Goal: 1 }, { Goal: 2 }] })).detail).not.toHaveProperty('seen');
  });
});
