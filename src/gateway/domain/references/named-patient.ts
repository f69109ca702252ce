import type { Permission } from '../permission.js';
import { Refusal } from '../refusal.js';

const elements = ['subject', 'patient', 'beneficiary', 'individual', 'for'] as const;

/** The refusal of a resource whose change no permission opens; the record tells how it names its patient. */
export function changeOutside(resource: unknown, permissions: readonly Permission[]): Refusal {
  const which = permissions.some(({ categories }) => categories.length > 0)
    ? 'of its patient and categories'
    : 'about its own patient';
  const named = namedPatient(resource, permissions.find(({ patient }) => patient !== undefined)?.patient);
  const refusal = new Refusal(403, 'forbidden', `The access token allows only resources ${which}.`);
  return refusal.because({ code: 'gateway-change-outside', detail: { which, named } });
}

/** In a sentence without a value. `patient` is the id of the patient that the resource has to be about. */
function namedPatient(resource: unknown, patient: string | undefined): string {
  if (typeof resource !== 'object' || resource === null) return '';
  const sent = resource as Record<string, unknown>;
  if (sent.resourceType === 'Patient') return sent.id === patient ? '' : 'It is the Patient of another id.';
  const element = elements.find((name) => sent[name] !== undefined && sent[name] !== null);
  if (element === undefined) return 'It has neither subject nor patient.';
  const fault = faultOf(referenceIn(sent[element]), patient);
  return fault === undefined ? `Its ${element} is the patient of the launch.` : `Its ${element} ${fault}.`;
}

function referenceIn(value: unknown): unknown {
  const [one] = [value].flat() as ({ reference?: unknown } | null)[];
  return one?.reference;
}

function faultOf(reference: unknown, patient: string | undefined): string | undefined {
  if (typeof reference !== 'string') return 'has no reference: an identifier or a name alone tells no patient';
  if (reference.startsWith('#')) return 'is contained in it, and is no patient of the server';
  if (/^urn:/i.test(reference)) return 'is a urn, which has a meaning between the entries of a Bundle alone';
  const [, type = '', id] = /(?:^|\/)([A-Z][A-Za-z]*)\/([^/]+)(?:\/_history\/[^/]+)?$/.exec(reference) ?? [];
  if (id === undefined) return 'has a reference that is not a type, / and an id';
  if (/^https?:/i.test(reference)) return 'is an address of another server';
  if (type !== 'Patient') return 'is no Patient';
  return id === patient ? undefined : 'is another patient than that of the launch';
}
