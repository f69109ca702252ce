import { addWords } from '../../../shared/i18n/add-words.js';

const fhirGuide = {
  title: 'Connect the FHIR server',
  lead: 'Apps reach health data only through this portal. These lines go into its configuration; start it again afterwards.',
  up: 'Up',
  down: 'Down',
  noAddress: 'No address is configured yet.',
  addressTitle: 'Name its address',
  addressText:
    'The base URL of the server as this portal reaches it, in <code>gatehouse.yaml</code> or in the variable <code>GATEHOUSE_FHIR__BASE_URL</code>. R4, R4B and R5 are accepted.',
  credentialsTitle: 'Let the portal sign in to it',
  credentialsText:
    'Only if the server asks for credentials. Besides <code>basic</code> there are <code>bearer</code>, with a <code>token</code>, and <code>jwt</code>, a token that the portal signs for each five minutes. If your own authority signed the certificate of the server, name its file in <code>NODE_EXTRA_CA_CERTS</code>.',
  wayTitle: 'Close every other way to it',
  wayText:
    'Only this portal may reach the server: put it into a private network or behind a firewall. Requests that reach it past the portal are not checked.',
  namesTitle: 'List its other names',
  namesText:
    'Only if the server, or a proxy in front of it, writes another base URL into its answers. Without the entry, further pages of a search are left out.',
  checkTitle: 'See that it works',
  checkText:
    'The portal asks the server for <code>/metadata</code> every few seconds; the state above changes by itself. The readiness report checks the connection, the clock and the names of the server.',
  report: 'Open the readiness report',
} as const;

export const words = addWords({ fhirGuide });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    fhirGuide: typeof words;
  }
}
