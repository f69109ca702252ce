/** Resources that may name resources of several records: their elements, and the searches for them (0094). */
import type { Path } from './definitions.js';

interface Participants {
  list: string;
  who: Path;
  /** True where only other patients are left out, and not all that belongs to another record. */
  onlyPatients: boolean;
  /** Texts and numbers that go with the others. */
  hidden: readonly string[];
}

/** The elements that say what a resource is about, collects or was made of (role 2 of decision 0094). */
const about: Readonly<Record<string, string>> = {
  Account: 'subject',
  AppointmentResponse: 'appointment',
  AuditEvent: 'agent.who source.observer entity.what',
  Basic: 'extension*.valueReference',
  Communication: 'about payload.contentReference',
  CommunicationRequest: 'about payload.contentReference',
  Composition: 'section*.entry section*.focus event.detail relatesTo.targetReference relatesTo.resourceReference',
  Consent: 'provision*.data.reference',
  DetectedIssue: 'implicated evidence.detail',
  DocumentManifest: 'content related.ref',
  Group: 'characteristic.valueReference',
  List: 'entry.item',
  MeasureReport: 'evaluatedResource group.population.subjectResults group.stratifier.stratum.population.subjectResults',
  Observation: 'focus',
  Person: 'link.target',
  Provenance: 'target entity.what',
  RequestGroup: 'action*.resource',
  Task: 'focus input.valueReference output.valueReference',
};

/** Who takes part (role 3 of decision 0094). */
const participants: Readonly<Record<string, Participants>> = {
  Appointment: { list: 'participant', who: ['actor'], onlyPatients: false, hidden: ['comment', 'note'] },
  Group: { list: 'member', who: ['entity'], onlyPatients: false, hidden: ['quantity'] },
  Schedule: { list: 'actor', who: [], onlyPatients: false, hidden: ['comment'] },
  CareTeam: { list: 'participant', who: ['member'], onlyPatients: true, hidden: [] },
};

/** The parameters that ask about these elements, with the types that a value without a type can mean. */
const asking: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Account: { patient: 'Patient', subject: 'Patient' },
  Appointment: {
    actor: 'Patient Practitioner PractitionerRole HealthcareService Location',
    patient: 'Patient',
    ...{ 'based-on': '', group: '', 'reason-reference': '', subject: '', 'supporting-info': '' },
  },
  AppointmentResponse: { appointment: '' },
  AuditEvent: {
    agent: 'Patient Practitioner PractitionerRole Organization',
    entity: '',
    patient: 'Patient',
    source: 'Patient Practitioner PractitionerRole Organization',
  },
  CareTeam: { participant: 'Patient Practitioner PractitionerRole CareTeam Organization RelatedPerson' },
  Composition: { entry: '', 'related-ref': '' },
  Consent: { data: '' },
  DetectedIssue: { implicated: '' },
  DocumentManifest: { item: '', 'related-ref': '' },
  Group: { member: 'Patient', 'managing-entity': 'Practitioner PractitionerRole Organization' },
  List: { item: '' },
  MeasureReport: { 'evaluated-resource': '' },
  Observation: { focus: '' },
  Person: { link: '', patient: 'Patient', practitioner: 'Practitioner', relatedperson: '' },
  Provenance: { entity: '', patient: 'Patient', target: '' },
  Schedule: { actor: 'Patient' },
  Task: { focus: '' },
};

/** For shared types: the parameters that look at nothing that may be left out. */
const harmless: Readonly<Record<string, string>> = {
  Appointment:
    'appointment-type date identifier location practitioner reason-code requested-period service-category service-type slot specialty status',
  Group: 'actual characteristic characteristic-value code exclude identifier membership name type value',
  Schedule: 'active date identifier name service-category service-type specialty',
};

export function aboutOf(type: unknown): Path[] {
  return (about[String(type)] ?? '').split(' ').flatMap((path) => (path === '' ? [] : [path.split('.')]));
}

export function participantsOf(type: unknown): Participants | undefined {
  return participants[String(type)];
}

/** True for a type with such elements. */
export function isMixed(type: string): boolean {
  return type in about || type in participants;
}

/** How a parameter of a mixed type may be used (rule `asked-about`); a list has the types of a value without a type. */
export function useOf(type: string, name: string): 'as-it-is' | 'not' | readonly string[] {
  const types = asking[type]?.[name];
  if (types !== undefined) return types.split(' ').filter((one) => one !== '');
  if (name.startsWith('_')) return 'as-it-is';
  const known = harmless[type];
  return known === undefined || known.split(' ').includes(name) ? 'as-it-is' : 'not';
}
