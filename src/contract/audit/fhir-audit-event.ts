/**
 * An access to the FHIR server as an AuditEvent of IHE's Basic Audit Log Patterns (BALP 1.1, FHIR R4): the user, the
 * app, the requested data, its patient, and the outcome.
 */

import type { AccessDetail, Interaction } from './access-detail.js';

/** An access as it was recorded. */
export interface RecordedAccess {
  recordedAt: Date;
  userId: string | null;
  clientId: string | null;
  address: string | null;
  correlationId: string | null;
  detail: AccessDetail;
  /** The patient whom the AuditEvent is about: of an answer about several there is one for each (BALP 1.1). */
  patient?: string | undefined;
}

type Profile = 'Read' | 'Query' | 'Create' | 'Update' | 'Delete';

const profileBase = 'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.';
const codes: Readonly<Record<Interaction, { code: string; action: string; profile?: Profile }>> = {
  read: { code: 'read', action: 'R', profile: 'Read' },
  vread: { code: 'vread', action: 'R', profile: 'Read' },
  'history-instance': { code: 'history-instance', action: 'R', profile: 'Read' },
  'history-type': { code: 'history-type', action: 'E', profile: 'Query' },
  search: { code: 'search-type', action: 'E', profile: 'Query' },
  create: { code: 'create', action: 'C', profile: 'Create' },
  update: { code: 'update', action: 'U', profile: 'Update' },
  patch: { code: 'patch', action: 'U', profile: 'Update' },
  delete: { code: 'delete', action: 'D', profile: 'Delete' },
  operation: { code: 'operation', action: 'E' },
};

type Role = readonly [system: string, code: string, display: string];
const dicom = 'http://dicom.nema.org/resources/ontology/DCM';
const participation = 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType';
const source: Role = [dicom, '110153', 'Source Role ID'];
const destination: Role = [dicom, '110152', 'Destination Role ID'];
const application: Role = [dicom, '110150', 'Application'];
const custodian: Role = ['http://terminology.hl7.org/CodeSystem/provenance-participant-type', 'custodian', 'Custodian'];
const recipient: Role = [participation, 'IRCP', 'information recipient'];
const author: Role = [participation, 'AUT', 'author (originator)'];
/** The roles of app, server and user in each profile; the source of a read is the server, that of a query the app. */
const roles: Readonly<Record<Profile, { app: Role; server: Role; person: Role }>> = {
  Read: { app: destination, server: source, person: recipient },
  Query: { app: source, server: destination, person: recipient },
  Create: { app: source, server: destination, person: author },
  Update: { app: source, server: destination, person: author },
  Delete: { app: application, server: custodian, person: author },
};

/** A trial of an administrator. */
const test: Role = ['http://terminology.hl7.org/CodeSystem/v3-ActReason', 'HTEST', 'test health data'];

/** A user who acts for the patient. */
const representative: Role = ['http://terminology.hl7.org/CodeSystem/v3-RoleClass', 'AGNT', 'agent'];

const objectType = 'http://terminology.hl7.org/CodeSystem/audit-entity-type';
const objectRole = 'http://terminology.hl7.org/CodeSystem/object-role';

/** A Person cannot be an agent (FHIR R4 AuditEvent.agent.who): its account alone names the user. */
const ofPerson = /\/Person\/[^/]+$/;

/** BALP asks for the app's network address; what a patient exports does not have it. */
const maskedNetwork = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
};

/** `fhirBase` is the one that apps see, `issuer` the portal itself. */
export function auditEventOf(access: RecordedAccess, fhirBase: string, issuer: string): object {
  const { recordedAt, userId, clientId, address, correlationId, detail } = access;
  const { status, interaction, resource, fhirUser } = detail;
  const patient = access.patient ?? detail.patients?.[0] ?? detail.patient;
  const known = interaction && codes[interaction];
  const names = resource?.includes('/') === true;
  // The profiles are for completed accesses, and all but that of a query require the accessed resource.
  const profile = status < 400 && (names || known?.profile === 'Query') ? known?.profile : undefined;
  const { app, server, person } = roles[known?.profile ?? 'Query'];
  return {
    resourceType: 'AuditEvent',
    ...(profile && { meta: { profile: [`${profileBase}${patient === undefined ? '' : 'Patient'}${profile}`] } }),
    type: coding('http://terminology.hl7.org/CodeSystem/audit-event-type', 'rest', 'Restful Operation'),
    subtype: [coding('http://hl7.org/fhir/restful-interaction', known?.code ?? 'batch')],
    action: known?.action ?? 'E',
    recorded: recordedAt.toISOString(),
    outcome: status < 400 ? '0' : status < 500 ? '4' : '8',
    ...(detail.trial && { purposeOfEvent: [{ coding: [coding(...test)] }] }),
    agent: [
      {
        type: { coding: [coding(...app)] },
        who: { identifier: { value: clientId ?? 'unknown' } },
        requestor: userId === null,
        network: address === null ? maskedNetwork : { address, type: '2' },
      },
      {
        type: { coding: [coding(...server)] },
        who: { identifier: { value: fhirBase } },
        requestor: false,
        network: { address: fhirBase, type: '5' },
      },
      ...(userId === null
        ? []
        : [
            {
              type: { coding: [coding(...person)] },
              who: {
                ...(fhirUser && !ofPerson.test(fhirUser) && { reference: fhirUser.replace(`${fhirBase}/`, '') }),
                identifier: { value: userId },
              },
              ...(detail.representation !== undefined && { role: [{ coding: [coding(...representative)] }] }),
              requestor: true,
            },
          ]),
    ],
    source: {
      observer: { identifier: { value: issuer } },
      type: [coding('http://terminology.hl7.org/CodeSystem/security-source-type', '4', 'Application Server')],
    },
    entity: [
      ...(patient === undefined ? [] : [entity(`Patient/${patient}`, '1', '1')]),
      ...(names ? [entity(resource, '2', '4')] : []),
      ...(known?.profile === 'Query' ? [query(detail)] : []),
      ...(correlationId === null ? [] : [requestId(correlationId)]),
    ],
  };
}

function entity(reference: string, type: string, role: string): object {
  return { what: { reference }, type: coding(objectType, type), role: coding(objectRole, role) };
}

function query({ target }: AccessDetail): object {
  return {
    type: coding(objectType, '2'),
    role: coding(objectRole, '24'),
    // Recorded addresses are ASCII.
    query: btoa(target),
  };
}

function requestId(value: string): object {
  const system = 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType';
  return { what: { identifier: { value } }, type: coding(system, 'XrequestId') };
}

function coding(system: string, code: string, display?: string): object {
  return { system, code, ...(display && { display }) };
}
