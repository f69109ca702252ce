import type { Cause } from '../cause.js';
import { accessTokenCauses } from './access-token-causes.js';
import { permissionCauses } from './permission-causes.js';

const refused = { stage: 'gateway', severity: 'notice', title: 'A request for data was refused' } as const;

/** The codes of all these causes begin with it. */
export const gatewayPrefix = 'gateway-';

/** Refusals of the gateway to tokens of a launch. They do not change its outcome. */
export const gatewayCauses = {
  'gateway-refused': {
    ...refused,
    text: '{{method}} {{type}}: {{sentence}}',
    decidedBy: 'A request for data was refused with {{status}}',
    developer: 'The request {{method}} {{type}} was refused with {{status}}: {{sentence}}',
    change: { text: '{{remedy}}' },
    apart: ['status', 'sentence'],
  },
  'gateway-type-unknown': {
    ...refused,
    text: '{{method}} {{type}}: the FHIR server has no such resource type. {{nearest}}',
    decidedBy: 'The FHIR server does not have the resource type',
    developer:
      'The request {{method}} {{type}} is for a resource type that the FHIR server does not have. {{nearest}} No scope opens it.',
    change: { text: 'Have the app request the right resource type: {{right}}.' },
    apart: ['type'],
  },
  'gateway-operation-unknown': {
    ...refused,
    text: '{{method}} {{type}}: the FHIR server has no operation ${{operation}} here. {{nearest}}',
    decidedBy: 'The FHIR server does not have the operation',
    developer:
      'The request {{method}} {{type}} is for the operation ${{operation}}, which the FHIR server does not have here. {{nearest}}',
    change: { text: 'Have the app run the right operation: {{right}}.' },
    apart: ['operation'],
  },
  'gateway-body-type': {
    ...refused,
    text: '{{method}} {{type}}: the body was sent {{sent}}. It is read {{needed}}.',
    decidedBy: 'The body has a form that is not read',
    developer: 'The body of your request {{method}} {{type}} was sent {{sent}}. It is read {{needed}}.',
    change: { text: 'Have the app send its body {{needed}}.' },
    apart: ['type', 'sent'],
  },
  'gateway-search-parameter': {
    ...refused,
    text: '{{method}} {{type}}: the search parameter {{name}} {{fault}}. {{nearest}}',
    decidedBy: 'The search parameter {{name}} {{fault}}',
    developer: 'The search parameter {{name}} of your request {{method}} {{type}} {{fault}}. {{nearest}}',
    change: { text: 'Have the app use {{right}}.' },
    apart: ['type', 'name'],
  },
  'gateway-unreadable': {
    ...refused,
    text: '{{method}} {{type}}: the request was not processed: {{fault}}.',
    decidedBy: 'A request for data cannot be processed: {{fault}}',
    developer: 'Your request {{method}} {{type}} was not processed: {{fault}}. {{remedy}}',
    change: { text: '{{remedy}}', configuration: '{{configuration}}' },
    apart: ['fault'],
  },
  'gateway-document-elsewhere': {
    ...refused,
    text: '{{method}} {{document}}: the FHIR base does not have this document. It is at {{right}}.',
    decidedBy: 'The document is at another address',
    developer:
      'Your request {{method}} {{document}} went to the FHIR base, which does not have this document. It is at {{right}}. The FHIR base has .well-known/smart-configuration and metadata.',
    change: { text: 'Have the app read {{right}}, or .well-known/smart-configuration below the FHIR base.' },
    apart: ['document'],
  },
  'gateway-endpoint-elsewhere': {
    ...refused,
    title: 'A request for an endpoint went to the FHIR base',
    text: '{{method}} {{sent}}: the FHIR base has no endpoints of OAuth. The {{endpoint}} is at {{right}}.',
    decidedBy: 'The {{endpoint}} is at another address',
    developer:
      'Your request {{method}} {{sent}} went to the FHIR base, which has no endpoints of OAuth. The {{endpoint}} is at {{right}}. Your app can read the addresses from .well-known/smart-configuration below the FHIR base.',
    change: { text: 'Have the app use {{right}}, as .well-known/smart-configuration of the FHIR base says.' },
    apart: ['sent'],
  },
  'gateway-request-form': {
    ...refused,
    text: '{{method}} {{type}}: {{fault}}.',
    decidedBy: 'The request has no form of the FHIR API: {{fault}}',
    developer: 'Your request {{method}} {{type}} has no form that is taken here: {{fault}}. {{remedy}}',
    change: { text: '{{remedy}}' },
    apart: ['type', 'fault'],
  },
  ...permissionCauses,
  ...accessTokenCauses,
} as const satisfies Record<string, Cause>;
