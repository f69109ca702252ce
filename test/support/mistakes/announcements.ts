import { basicAuthorization } from '../apps/smart-app.js';
import { Agent } from '../http/agent.js';
import type { Mistake, RequestPortal } from './request-mistakes.js';

/** The first is counted in another row: it would keep the EHR from announcing anything. */
const fromElsewhere = { 'x-forwarded-for': '203.0.113.9' };
/** Faults of an EHR at `/connect/launchContext`. */
export const announcementMistakes = (reach: () => RequestPortal): Mistake[] => [
  {
    name: 'no credentials',
    make: () => reach().sendAnnouncement('patient=1', { authorization: 'Bearer the-secret-of-the-ward-ehr' }),
    code: 'ehr-credentials-missing',
    detail: () => ({ reason: 'its scheme is Bearer, and not Basic' }),
    fix: 'ehr.callers',
  },
  {
    name: 'an unknown EHR',
    make: () => reach().sendAnnouncement('patient=1', basicAuthorization('Ward-EHR', 'planted-value')),
    code: 'ehr-unknown',
    detail: () => ({ caller: 'Ward-EHR', similar: 'It is like ward-ehr: it differs in upper and lower case.' }),
    fix: 'ehr.callers',
  },
  {
    name: 'its id and its secret in each other’s place',
    make: () => reach().sendAnnouncement('patient=1', basicAuthorization('the-secret-of-the-ward-ehr', 'ward-ehr')),
    code: 'ehr-credentials-swapped',
    detail: () => ({ caller: 'ward-ehr' }),
    fix: 'ehr.callers',
  },
  {
    name: 'a wrong secret',
    make: () => reach().sendAnnouncement('patient=1', basicAuthorization('ward-ehr', 'planted-value')),
    code: 'ehr-secret-wrong',
    detail: () => ({ caller: 'ward-ehr' }),
    fix: 'ehr.callers',
  },
  {
    name: 'too many wrong secrets',
    make: async () => {
      const guess = { ...basicAuthorization('ward-ehr', 'planted-value'), ...fromElsewhere };
      await Promise.all(Array.from({ length: 50 }, () => reach().sendAnnouncement('patient=1', guess)));
      return reach().sendAnnouncement('patient=1', fromElsewhere);
    },
    code: 'ehr-secrets-throttled',
    detail: () => ({ seconds: expect.any(Number) as never }),
    fix: 'ehr.callers',
  },
  ...[
    ['', 'no type', 'it has no Content-Type'],
    ['text/plain', 'text/plain', 'this type is not supported'],
    ['application/json', 'application/json', 'it is not JSON'],
  ].map(
    ([sent, type, reason]): Mistake => ({
      name: `a body of ${type}`,
      make: () => reach().sendAnnouncement('patient=1', { 'content-type': sent ?? '' }),
      code: 'ehr-body',
      detail: () => ({ type: type ?? '', reason: reason ?? '' }),
    }),
  ),
  {
    name: 'a patient of another server',
    make: () => reach().sendAnnouncement('patient=https://user:planted-value@ehr.example/r4/Patient/5'),
    code: 'ehr-record-elsewhere',
    detail: () => ({
      parameter: 'patient',
      sent: 'https://…@ehr.example/r4/Patient/5',
      base: reach().portal.fhirBase,
      right: 'Patient/{id}',
      found: '',
    }),
  },
  {
    name: 'a patient of another tenant',
    make: () => reach().sendAnnouncement(`patient=${reach().portal.issuer}/fhir/north/Patient/5`),
    code: 'ehr-record-elsewhere',
    detail: () => ({ found: `It is below ${reach().portal.issuer}/fhir/north, the base of the tenant north.` }),
  },
  {
    name: 'a client that is not registered',
    make: () => reach().sendAnnouncement('patient=1&client_id=something-else-entirely'),
    code: 'ehr-client-unknown',
    detail: () => ({ clientId: 'something-else-entirely', similar: 'None is like it.' }),
  },
  {
    name: 'a client id in other letters',
    make: () => reach().sendAnnouncement('patient=1&client_id=Quiet-App'),
    code: 'ehr-client-unknown',
    detail: () => ({
      similar: 'It is like quiet-app: it differs in upper and lower case.',
      remedy: 'Have the EHR send quiet-app. Register the app, if it is another one.',
    }),
  },
  {
    name: 'a disabled client',
    make: () => reach().sendAnnouncement('patient=1&client_id=disabled-app'),
    code: 'ehr-client-disabled',
    detail: () => ({ clientId: 'disabled-app' }),
    fix: 'enabled',
  },
  {
    name: 'its parameters in the address',
    make: () => reach().sendAnnouncement('', {}, '?patient=1&ward=planted-value'),
    code: 'ehr-in-address',
    detail: () => ({ parameters: 'patient' }),
  },
  {
    name: 'a request by GET',
    make: () => new Agent(reach().portal.issuer).get('/connect/launchContext?patient=1&client_id=quiet-app'),
    code: 'ehr-method',
    detail: () => ({ method: 'GET', found: expect.stringContaining('in the address') as never }),
  },
  {
    name: 'an unknown tenant',
    make: () => reach().sendAnnouncement('patient=1&tenant=south'),
    code: 'ehr-parameter',
    detail: () => ({ reason: 'tenant must be the id of a tenant' }),
  },
  {
    name: 'a patient that does not exist',
    make: () => reach().sendAnnouncement('patient=Patient/77'),
    code: 'ehr-patient-unknown',
    detail: () => ({ patient: '77' }),
  },
  {
    name: 'an encounter that does not exist',
    make: () => reach().sendAnnouncement('patient=1&encounter=visit-77'),
    code: 'ehr-encounter-unknown',
    detail: () => ({ encounter: 'visit-77' }),
  },
  {
    name: 'an encounter of another patient',
    make: () => reach().sendAnnouncement('patient=1&encounter=visit-3'),
    code: 'ehr-encounter-of-other',
    detail: () => ({ patient: '1', encounter: 'visit-3' }),
  },
];
