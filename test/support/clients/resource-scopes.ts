import fc from 'fast-check';
import { parseScope, printScope, type ResourceScope } from '../../../src/contract/rules/scopes/smart-scope.js';

const subject = fc.constantFrom('patient' as const, 'user' as const, 'system' as const);
const type = fc.constantFrom('*', 'Patient', 'Observation', 'Condition', 'MedicationRequest');
const actions = fc.subarray(['c', 'r', 'u', 'd', 's'], { minLength: 1 }).map((letters) => letters.join(''));
const value = fc.stringMatching(/^[A-Za-z0-9.:/|,=-]{1,40}$/);
const query = fc.array(fc.tuple(fc.stringMatching(/^[a-z_][a-z:.-]{0,10}$/), value), { maxLength: 3 });
const version2 = fc.record({ version: fc.constant(2 as const), subject, type, actions, query });
const version1 = fc.record({
  version: fc.constant(1 as const),
  subject,
  type,
  actions: fc.constantFrom('rs', 'cud', 'cruds'),
  query: fc.constant([]),
});

/** The parts of a scope of resources in either version. */
export const scopeParts = fc.oneof(version1, version2);

export const resourceScope = scopeParts.map((scope) => parsedResource(printScope(scope)));

export function parsedResource(text: string): ResourceScope {
  const scope = parseScope(text);
  if (scope?.kind !== 'resource') throw new Error(`not a resource scope: ${text}`);
  return scope;
}
