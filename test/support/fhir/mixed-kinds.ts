import type { Stored } from './record-server.js';

const to = (reference: string) => ({ reference });
const own = to('Patient/p1');

/** Kinds of resources of the patient `p1` that are about a resource as well, made with the reference to that. */
export const kindsAboutOthers: readonly [kind: string, make: (named: object) => Stored][] = [
  ['a Provenance of the patient and', (named) => ({ resourceType: 'Provenance', id: 'mixed', target: [own, named] })],
  [
    'a Provenance of one’s own resource and',
    (named) => ({ resourceType: 'Provenance', id: 'mixed', target: [to('Condition/of-p1'), named] }),
  ],
  [
    'a Provenance that was made from',
    (named) => ({ resourceType: 'Provenance', id: 'mixed', target: [own], entity: [{ role: 'source', what: named }] }),
  ],
  [
    'an AuditEvent with the entity',
    (named) => ({ resourceType: 'AuditEvent', id: 'mixed', entity: [{ what: own }, { what: named }] }),
  ],
  [
    'an AuditEvent with the agent',
    (named) => ({
      resourceType: 'AuditEvent',
      id: 'mixed',
      agent: [{ who: named, name: 'Ben', requestor: true }],
      entity: [{ what: own }],
    }),
  ],
  ['a List with', (named) => ({ resourceType: 'List', id: 'mixed', subject: own, entry: [{ item: named }] })],
  [
    'a Composition with a nested section of',
    (named) => ({
      resourceType: 'Composition',
      id: 'mixed',
      subject: own,
      section: [{ title: 'x', section: [{ section: [{ entry: [to('Condition/of-p1'), named] }] }] }],
    }),
  ],
  [
    'a Composition with a section about',
    (named) => ({ resourceType: 'Composition', id: 'mixed', subject: own, section: [{ focus: named }] }),
  ],
  [
    'a DocumentManifest of',
    (named) => ({ resourceType: 'DocumentManifest', id: 'mixed', subject: own, content: [named] }),
  ],
  [
    'a DocumentManifest related to',
    (named) => ({ resourceType: 'DocumentManifest', id: 'mixed', subject: own, related: [{ ref: named }] }),
  ],
  [
    'a MeasureReport that evaluated',
    (named) => ({ resourceType: 'MeasureReport', id: 'mixed', subject: own, evaluatedResource: [named] }),
  ],
  [
    'a DetectedIssue of',
    (named) => ({ resourceType: 'DetectedIssue', id: 'mixed', patient: own, implicated: [named] }),
  ],
  ['a Communication about', (named) => ({ resourceType: 'Communication', id: 'mixed', subject: own, about: [named] })],
  [
    'a CommunicationRequest for',
    (named) => ({
      resourceType: 'CommunicationRequest',
      id: 'mixed',
      subject: own,
      payload: [{ contentReference: named }],
    }),
  ],
  ['a Task on', (named) => ({ resourceType: 'Task', id: 'mixed', for: own, focus: named })],
  [
    'a Task with the input',
    (named) => ({ resourceType: 'Task', id: 'mixed', for: own, input: [{ valueReference: named }] }),
  ],
  [
    'a Consent about',
    (named) => ({
      resourceType: 'Consent',
      id: 'mixed',
      patient: own,
      provision: { provision: [{ data: [{ meaning: 'instance', reference: named }] }] },
    }),
  ],
  [
    'a RequestGroup with',
    (named) => ({
      resourceType: 'RequestGroup',
      id: 'mixed',
      subject: own,
      action: [{ action: [{ resource: named }] }],
    }),
  ],
  ['a Person who is', (named) => ({ resourceType: 'Person', id: 'mixed', link: [{ target: own }, { target: named }] })],
  [
    'a Basic with',
    (named) => ({ resourceType: 'Basic', id: 'mixed', subject: own, extension: [{ url: 'x', valueReference: named }] }),
  ],
  ['an Observation of', (named) => ({ resourceType: 'Observation', id: 'mixed', subject: own, focus: [named] })],
  ['an Account of the patient and', (named) => ({ resourceType: 'Account', id: 'mixed', subject: [own, named] })],
  [
    'an AppointmentResponse to',
    (named) => ({ resourceType: 'AppointmentResponse', id: 'mixed', actor: own, appointment: named }),
  ],
  [
    'a Group defined by',
    (named) => ({
      resourceType: 'Group',
      id: 'mixed',
      member: [{ entity: own }],
      characteristic: [{ valueReference: named }],
    }),
  ],
];

/**
 * Kinds of resources in which `p1` takes part, made with the reference to another participant, with what is shown of
 * them without that one.
 */
export const sharedKinds: readonly [kind: string, make: (named: object) => Stored, shown: object][] = [
  [
    'an Appointment',
    (named) => ({
      resourceType: 'Appointment',
      id: 'mixed',
      text: { status: 'generated', div: '<div>Ben</div>' },
      contained: [{ resourceType: 'Patient', id: 'x', name: [{ text: 'Ben' }] }],
      status: 'booked',
      description: 'Check-up',
      comment: 'Ben is afraid',
      note: [{ text: 'Ben is afraid' }],
      participant: [
        { actor: own, status: 'accepted' },
        { actor: { ...named, display: 'Ben' }, status: 'declined' },
        { actor: to('Practitioner/d1'), status: 'accepted' },
      ],
    }),
    {
      status: 'booked',
      description: 'Check-up',
      participant: [
        { actor: own, status: 'accepted' },
        { actor: to('Practitioner/d1'), status: 'accepted' },
      ],
    },
  ],
  [
    'a Group',
    (named) => ({
      resourceType: 'Group',
      id: 'mixed',
      name: 'Therapy group',
      quantity: 2,
      member: [{ entity: { ...named, display: 'Ben' }, inactive: true }, { entity: own }],
    }),
    { name: 'Therapy group', member: [{ entity: own }] },
  ],
  [
    'a Schedule',
    (named) => ({
      resourceType: 'Schedule',
      id: 'mixed',
      active: true,
      comment: 'Ben',
      actor: [own, { ...named, display: 'Ben' }],
    }),
    { active: true, actor: [own] },
  ],
];

/** References to something that is not known to be of the same record. */
export const foreignReferences: readonly [what: string, reference: object][] = [
  ['a resource of another record', to('Condition/of-p2')],
  ['another patient', to('Patient/p2')],
  ['a version of another patient', to('Patient/p2/_history/1')],
  ['a person who is related to another patient', to('RelatedPerson/of-p2')],
  ['a device of another patient', to('Device/of-p2')],
  ['a resource that was deleted', to('Condition/gone')],
  ['a resource of no patient', to('Condition/of-location')],
  ['a resource of another server', to('https://other.example/r4/Condition/of-p1')],
  ['a resource that only a urn names', to('urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0')],
  ['a contained resource', to('#x')],
  ['a resource by a search', to('Condition?identifier=1')],
  ['a resource by a path from the root', to('/r4/Condition/of-p2')],
  ['a document by its address', to('Binary/of-p2')],
  ['a resource by its identifier', { identifier: { value: 'mrn-p2' } }],
  ['a patient by an identifier', { type: 'Patient', identifier: { value: 'mrn-p2' } }],
];

/** The records of `p1` and `p2`, which the kinds above refer to. */
export const records: readonly Stored[] = [
  ...['p1', 'p2'].flatMap((patient) => [
    { resourceType: 'Patient', id: patient, name: [{ text: patient === 'p1' ? 'Ann' : 'Ben' }] },
    { resourceType: 'Condition', id: `of-${patient}`, subject: to(`Patient/${patient}`) },
    { resourceType: 'RelatedPerson', id: `of-${patient}`, patient: to(`Patient/${patient}`) },
    { resourceType: 'Device', id: `of-${patient}`, patient: to(`Patient/${patient}`) },
    { resourceType: 'Observation', id: `of-${patient}`, subject: to(`Patient/${patient}`) },
  ]),
  { resourceType: 'Condition', id: 'of-location', subject: to('Location/l1') },
  { resourceType: 'Practitioner', id: 'd1' },
  { resourceType: 'Device', id: 'ward' },
];
