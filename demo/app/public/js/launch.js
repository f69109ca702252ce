// @ts-check
import { loadConfig } from './config.js';
import { showProblem } from './problem.js';
import { SCOPES } from './scopes.js';

const { fhirBase, clientId } = await loadConfig();
const parameters = new URLSearchParams(location.search);
const iss = parameters.get('iss') ?? fhirBase;

if (iss.replace(/\/+$/, '') === fhirBase.replace(/\/+$/, '')) {
  try {
    const address = await FHIR.oauth2.authorize({
      iss: fhirBase,
      clientId,
      redirectUri: `${location.origin}/app`,
      scope: scopeFor(parameters.has('launch')),
      pkceMode: 'required',
      noRedirect: true,
    });
    location.assign(withStepUp(String(address)));
  } catch (error) {
    showProblem({
      title: 'The FHIR server does not answer',
      text: 'The app asked it where to sign in and got no usable answer. Check that Gatehouse is running, then try again.',
      technical: error instanceof Error ? error.message : String(error),
    });
  }
} else {
  // An attacker's link could otherwise send users to a sign-in page of the attacker.
  showProblem({
    title: 'The app does not know this FHIR server',
    text: 'It was opened for a server other than the one it is registered with.',
    technical: `iss=${iss}`,
  });
}

/**
 * An app that is opened from an EHR is given the patient by the EHR; one that starts on its own asks for one.
 *
 * @param {boolean} fromEhr
 */
function scopeFor(fromEhr) {
  return SCOPES.map(({ value }) => (fromEhr && value === 'launch/patient' ? 'launch' : value)).join(' ');
}

/**
 * The FHIR server's requirement for the user's sign-in, if this launch follows its challenge (RFC 9470 §4); fhirclient
 * does not know it.
 *
 * @param {string} address of the authorization request
 */
function withStepUp(address) {
  const url = new URL(address);
  for (const name of ['acr_values', 'max_age']) {
    const value = parameters.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}
