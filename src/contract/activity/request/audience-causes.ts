import type { Cause } from '../cause.js';

const refused = { stage: 'request', severity: 'refused', title: 'Authorization request refused' } as const;

/** The FHIR base that a request names in `aud` (SMART 2.2) or `resource` (RFC 8707), and its tenant. */
export const audienceCauses = {
  'aud-missing': {
    ...refused,
    text: 'The request has no {{parameter}}. The FHIR base is {{base}}.',
    decidedBy: 'The FHIR server is not named',
    developer: 'Your authorization request has no {{parameter}}. Send {{parameter}}={{base}} (SMART App Launch).',
    change: { text: 'Have the app send {{parameter}}={{base}}.' },
  },
  'aud-trailing-slash': {
    ...refused,
    text: 'Sent: {{sent}}. The FHIR base is {{base}}: the slashes at the end differ.',
    decidedBy: 'The FHIR base has other slashes at its end',
    developer: 'Your {{parameter}} {{sent}} differs from our FHIR base {{base}} in the slashes at the end.',
    change: { text: 'Have the app send {{parameter}}={{base}}.' },
  },
  'aud-scheme': {
    ...refused,
    text: 'Sent: {{sent}}. The FHIR base is {{base}}: http and https differ.',
    decidedBy: 'The FHIR base has another scheme',
    developer: 'Your {{parameter}} {{sent}} differs from our FHIR base {{base}} in http and https.',
    change: {
      text: 'Have the app send {{parameter}}={{base}}. If that has the wrong scheme, change server.issuer.',
      configuration: 'server.issuer',
    },
  },
  'aud-damaged': {
    ...refused,
    text: 'Sent: {{sent}}. The FHIR base is {{base}}. The damage of the sent one: {{damage}}.',
    decidedBy: 'The FHIR base is damaged',
    developer: 'Your {{parameter}} {{sent}} is not our FHIR base {{base}}: {{damage}}.',
    change: { text: 'Have the app send {{parameter}}={{base}}, encoded once.' },
  },
  'aud-placeholder': {
    ...refused,
    text: 'Sent: {{sent}}, which is a template and no address. The FHIR base is {{base}}.',
    decidedBy: 'A template stands in place of the FHIR base',
    developer: 'Your {{parameter}} is {{sent}}: a template that was not filled in. Send {{parameter}}={{base}}.',
    change: { text: 'Have the app put the FHIR base {{base}} in the place of the template.' },
  },
  'aud-other-tenant': {
    ...refused,
    text: 'Sent: {{sent}}, which names no configured tenant. The nearest FHIR base is {{base}}.',
    decidedBy: 'The tenant is not configured',
    developer: 'Your {{parameter}} {{sent}} names a tenant that does not exist here. Compare it with {{base}}.',
    change: {
      text: 'Have the app send the FHIR base of its tenant, or configure the tenant in fhir.tenants.',
      configuration: 'fhir.tenants',
    },
  },
  'aud-other-base': {
    ...refused,
    text: 'Sent: {{sent}}. The FHIR base is {{base}}, which differs in {{difference}}.',
    decidedBy: 'The request is for another FHIR server',
    developer: 'Your {{parameter}} {{sent}} is not a FHIR base of ours. It differs from {{base}} in {{difference}}.',
    change: {
      text: 'Have the app send {{parameter}}={{base}}. If that is not the right base, change gateway.path or fhir.baseUrl.',
      configuration: 'fhir.baseUrl',
    },
  },
  'aud-resource-differ': {
    ...refused,
    text: 'Sent as aud: {{aud}}, and as resource: {{resource}}.',
    decidedBy: 'The request names two FHIR bases',
    developer:
      'Your aud {{aud}} and your resource {{resource}} are two FHIR bases. Send one of them, or the same in both.',
    change: { text: 'Have the app send one of aud and resource, or the same FHIR base in both.' },
  },
  'tenant-not-allowed': {
    ...refused,
    text: 'The client may not have tokens for {{base}}.',
    decidedBy: 'The client is not allowed for this tenant',
    developer: 'Your client is not allowed for the FHIR base {{base}}.',
    change: {
      text: 'Add the tenant of {{base}} to Tenants, or remove all of them to allow every base.',
      field: 'allowedTenants',
    },
  },
  'resource-unknown': {
    ...refused,
    text: 'Sent as resource: {{sent}}. The FHIR base is {{base}}.',
    decidedBy: 'The request is for another resource',
    developer: 'Your resource {{sent}} is not a FHIR base of ours. Send resource={{base}}, or leave it out.',
    change: { text: 'Have the app send resource={{base}}, once, or leave it out.' },
  },
} as const satisfies Record<string, Cause>;
