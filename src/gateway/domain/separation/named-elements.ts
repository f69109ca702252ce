/**
 * The elements by which a resource of one patient's record may name resources of another record, and the searches that
 * ask about them. Three roles of an element are left out, because the resource stays the patient's own whatever they
 * name: its subject (`patient-compartment.ts`), persons who did, wrote, asked for or receive something (author,
 * performer, requester, recipient, policy holder), and the clinical context (encounter, basedOn, reasonReference,
 * derivedFrom). The elements are those of FHIR R4, with R5's name where it differs.
 */

import { type ElementPath, pathOfElement } from '../../../contract/rules/resources/elements.js';

/** A list of those who take part in what the resource is about. */
export interface Participants {
  /** The name of the list. */
  list: string;
  /** The element of an entry that names who takes part; the entry itself names them where this is empty. */
  who: ElementPath;
  /**
   * True if only patients are taken out; otherwise whatever belongs to another record is, wherever the resource names
   * it.
   */
  onlyPatients: boolean;
  /** Elements that go with the others: numbers of participants, and remarks on them. */
  hidden: readonly string[];
}

/** A search parameter that asks whether such an element, or one of several subjects, names a resource. */
export interface Condition {
  /** The types that a value without a type can mean, as far as they are Patient or about no patient. */
  untyped: readonly string[];
}

/** The elements of a type that name other records (decision 0094). */
export interface NamedElements {
  /**
   * Elements that name the subject, the members or the sources of the resource. With one of another record the resource
   * is about that as well.
   */
  about: readonly ElementPath[];
  participants?: Participants;
  conditions: Readonly<Record<string, Condition>>;
  /** The parameters that look at nothing that may be taken out; undefined if all but the conditions do not. */
  safe?: ReadonlySet<string>;
}

const staff = ['Practitioner', 'PractitionerRole'];
const agents: Condition = { untyped: ['Patient', ...staff, 'Organization'] };
const patient: Condition = { untyped: ['Patient'] };

function about(paths: readonly string[], ...conditions: string[]): NamedElements {
  return { about: paths.map(pathOfElement), conditions: ofAnyType(...conditions) };
}

/** Parameters whose values have to name the type. */
function ofAnyType(...names: string[]): NamedElements['conditions'] {
  return Object.fromEntries(names.map((name) => [name, { untyped: [] }]));
}

const of = (list: string, who: string, ...hidden: string[]): Participants => ({
  list,
  who: who === '' ? [] : pathOfElement(who),
  onlyPatients: false,
  hidden,
});

const elements: Readonly<Record<string, NamedElements>> = {
  Account: { ...about(['subject']), conditions: { patient, subject: patient } },
  AppointmentResponse: about(['appointment'], 'appointment'),
  AuditEvent: {
    ...about(['agent.who', 'source.observer', 'entity.what']),
    conditions: { agent: agents, patient, source: agents, ...ofAnyType('entity') },
  },
  Basic: about(['extension*.valueReference']),
  Communication: about(['about', 'payload.contentReference']),
  CommunicationRequest: about(['about', 'payload.contentReference']),
  Composition: about(
    ['section*.entry', 'section*.focus', 'event.detail', 'relatesTo.targetReference', 'relatesTo.resourceReference'],
    ...['entry', 'related-ref'],
  ),
  Consent: about(['provision*.data.reference'], 'data'),
  DetectedIssue: about(['implicated', 'evidence.detail'], 'implicated'),
  DocumentManifest: about(['content', 'related.ref'], 'item', 'related-ref'),
  List: about(['entry.item'], 'item'),
  MeasureReport: about(
    ['evaluatedResource', 'group.population.subjectResults', 'group.stratifier.stratum.population.subjectResults'],
    'evaluated-resource',
  ),
  Observation: about(['focus'], 'focus'),
  Person: {
    ...about(['link.target']),
    conditions: { patient, practitioner: { untyped: ['Practitioner'] }, ...ofAnyType('link', 'relatedperson') },
  },
  Provenance: { ...about(['target', 'entity.what']), conditions: { patient, ...ofAnyType('target', 'entity') } },
  RequestGroup: about(['action*.resource']),
  Task: about(['focus', 'input.valueReference', 'output.valueReference'], 'focus'),

  Appointment: {
    about: [],
    participants: of('participant', 'actor', 'comment', 'note'),
    conditions: {
      actor: { untyped: ['Patient', ...staff, 'HealthcareService', 'Location'] },
      patient,
      ...ofAnyType('based-on', 'group', 'reason-reference', 'subject', 'supporting-info'),
    },
    safe: new Set([
      ...['appointment-type', 'date', 'identifier', 'location', 'practitioner', 'reason-code', 'requested-period'],
      ...['service-category', 'service-type', 'slot', 'specialty', 'status'],
    ]),
  },
  CareTeam: {
    about: [],
    participants: { ...of('participant', 'member'), onlyPatients: true },
    conditions: { participant: { untyped: ['Patient', ...staff, 'CareTeam', 'Organization', 'RelatedPerson'] } },
  },
  Group: {
    about: [pathOfElement('characteristic.valueReference')],
    participants: of('member', 'entity', 'quantity'),
    conditions: { member: patient, 'managing-entity': { untyped: [...staff, 'Organization'] } },
    safe: new Set([
      ...['actual', 'characteristic', 'characteristic-value', 'code', 'exclude', 'identifier', 'membership', 'name'],
      ...['type', 'value'],
    ]),
  },
  Schedule: {
    about: [],
    participants: of('actor', '', 'comment'),
    conditions: { actor: patient },
    safe: new Set(['active', 'date', 'identifier', 'name', 'service-category', 'service-type', 'specialty']),
  },
};

/** The elements of a type that may name resources of other records; undefined for a type without such elements. */
export function namedElementsOf(type: unknown): NamedElements | undefined {
  return typeof type === 'string' && Object.hasOwn(elements, type) ? elements[type] : undefined;
}
