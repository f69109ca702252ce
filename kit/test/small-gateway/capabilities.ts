import { parametersOf, TYPES } from './search.js';

/** The CapabilityStatement of the small gateway. */
export function capabilities() {
  return {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    software: { name: 'Small gateway' },
    rest: [
      {
        mode: 'server',
        resource: TYPES.map((type) => {
          const own = Object.entries(parametersOf(type));
          return {
            type,
            searchParam: own.map(([name, { kind }]) => ({ name, type: kind })),
            searchInclude: own.filter(([, { kind }]) => kind === 'reference').map(([name]) => `${type}:${name}`),
            searchRevInclude: TYPES.flatMap((source) =>
              Object.entries(parametersOf(source))
                .filter(([name, { kind }]) => kind === 'reference' && name !== 'subject')
                .map(([name]) => `${source}:${name}`),
            ).slice(0, 12),
          };
        }),
      },
    ],
  };
}
