import type { Dialect } from '../dialects.js';
import { searchParameters } from './search.js';

const interactions = ['read', 'vread', 'history-instance', 'search-type', 'create', 'update', 'patch', 'delete'];
const operation = (name: string) => ({ name, definition: `http://hl7.org/fhir/OperationDefinition/${name}` });
const operations: Readonly<Record<string, object[]>> = {
  Patient: [operation('everything'), operation('export')],
  Observation: [operation('lastn')],
  Group: [operation('export')],
  ValueSet: [operation('lookup')],
};

export function capabilityStatement(base: string, dialect: Dialect): object {
  const resource = Object.entries(searchParameters).map(([type, parameters]) => ({
    type,
    interaction: interactions
      .filter((code) => dialect.versions || !/vread|history/.test(code))
      .map((code) => ({ code })),
    versioning: dialect.versions ? 'versioned' : 'no-version',
    conditionalCreate: dialect.conditionalCreate,
    conditionalUpdate: true,
    conditionalPatch: true,
    conditionalDelete: 'single',
    updateCreate: dialect.updateCreate,
    searchParam: Object.keys(parameters).map((name) => ({ name, type: 'string' })),
    ...(operations[type] && { operation: operations[type] }),
    ...(type === 'DocumentReference' && dialect.docref && { operation: [operation('docref')] }),
  }));
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    kind: 'instance',
    date: '2026-01-01',
    fhirVersion: '4.0.1',
    format: ['json'],
    implementation: { description: dialect.name, url: base },
    rest: [
      {
        mode: 'server',
        interaction: [{ code: 'transaction' }, { code: 'batch' }],
        resource,
        operation: [operation('export')],
      },
    ],
  };
}
