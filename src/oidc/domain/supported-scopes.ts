/** The parts of the configuration that the scopes depend on. */
interface ScopeSettings {
  ehr: { callers: readonly unknown[] };
  fhir: { launchContext: readonly { type: string }[] };
}

const subjects = ['patient', 'user', 'system'];

/** `scopes_supported` of both discovery documents; a client can really get each of these scopes. */
export function supportedScopes({ ehr, fhir }: ScopeSettings): string[] {
  const chosen = new Set(['patient', 'encounter', ...fhir.launchContext.map(({ type }) => type.toLowerCase())]);
  return [
    'openid',
    'fhirUser',
    'profile',
    'email',
    'phone',
    ...(ehr.callers.length > 0 ? ['launch'] : []),
    ...[...chosen].map((type) => `launch/${type}`),
    'offline_access',
    'online_access',
    ...subjects.map((subject) => `${subject}/*.cruds`),
    ...subjects.flatMap((subject) => ['read', 'write', '*'].map((access) => `${subject}/*.${access}`)),
  ];
}
