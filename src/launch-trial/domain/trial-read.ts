import { patientCompartmentTypes } from '../../contract/rules/scopes/patient-compartment.js';
import { parseScope, type ResourceScope } from '../../contract/rules/scopes/smart-scope.js';

/**
 * The one request for data of a trial: about the test patient and nothing else. Undefined if the scopes permit none
 * that can be made without knowing an id.
 */
export function readToTry(scopes: readonly string[], patient: string): string | undefined {
  const ofData = scopes.map(parseScope).filter((scope): scope is ResourceScope => scope?.kind === 'resource');
  // A user's scopes reach every patient.
  const usable = ofData.filter(({ subject }) => subject !== 'user');
  const opens = (type: string, action: string) =>
    usable.some((scope) => (scope.type === type || scope.type === '*') && scope.actions.includes(action));
  if (opens('Patient', 'r')) return `/Patient/${patient}`;
  const types: readonly string[] = patientCompartmentTypes;
  const searched = usable.find(
    ({ type, actions }) => type !== 'Patient' && types.includes(type) && actions.includes('s'),
  );
  if (searched) return `/${searched.type}?patient=${patient}`;
  return opens('Patient', 's') ? `/Patient?_id=${patient}` : undefined;
}

/** Type and number of resources in an answer: all that is shown of it. */
export function countedIn(body: string): { resourceType: string | null; count: number | null } {
  const { resourceType, total, entry } = objectIn(body);
  if (typeof resourceType !== 'string') return { resourceType: null, count: null };
  if (resourceType === 'OperationOutcome') return { resourceType, count: null };
  if (resourceType !== 'Bundle') return { resourceType, count: 1 };
  const entries = Array.isArray(entry) ? (entry as { resource?: { resourceType?: unknown } }[]) : [];
  const first = entries[0]?.resource?.resourceType;
  return {
    resourceType: typeof first === 'string' ? first : resourceType,
    count: typeof total === 'number' ? total : entries.length,
  };
}

function objectIn(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
