// @ts-check
import { challengeOf } from './challenge.js';
import { byId, element } from './dom.js';

/** The value that the user was about to add when the record asked for a stronger sign-in. */
const PENDING = 'vitals-pending-pulse';

/**
 * A form to add the pulse to the record. The record may answer that the user has to sign in more strongly for it; the
 * app then sends the user through the authorization request once more, with what the record asks for (RFC 9470).
 *
 * @param {FhirClient} client
 * @param {string[]} granted
 * @param {() => Promise<void>} onAdded
 * @returns {() => void} leads a user who comes back for it to the form, once the page has its height
 */
export function showMeasurement(client, granted, onAdded) {
  const place = byId('measurement');
  if (!granted.some((scope) => /^patient\/(Observation|\*)\.c/.test(scope))) {
    place.replaceChildren(element('p', { class: 'quiet' }, 'The app may not add anything to this record.'));
    return () => {};
  }
  const pending = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  const input = element('input', {
    id: 'pulse',
    name: 'pulse',
    type: 'number',
    min: '20',
    max: '300',
    required: '',
    value: pending ?? '',
  });
  const status = element('p', { role: 'status', class: 'quiet' });
  const add = element('button', { type: 'submit', class: 'button primary' }, 'Add to the record');
  const form = element(
    'form',
    { class: 'measurement' },
    element('label', { for: 'pulse' }, 'Pulse in beats per minute'),
    input,
    add,
  );
  if (pending !== null) {
    status.textContent = 'You have signed in more strongly. You can add it now.';
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    add.disabled = true;
    add.classList.add('primary');
    status.textContent = 'Adding …';
    const answer = await create(client, Number(input.value)).catch(() => undefined);
    add.disabled = false;
    if (answer?.ok) {
      status.textContent = `${input.value} beats per minute were added.`;
      input.value = '';
      await onAdded();
      return;
    }
    const needed = answer && challengeOf(answer);
    if (!needed) {
      status.textContent = 'It could not be added. Please try again.';
      return;
    }
    status.textContent = 'Your record asks for a stronger sign-in before anything is added to it.';
    // The other button leads on.
    add.classList.remove('primary');
    const signIn = element('button', { type: 'button', class: 'button primary' }, 'Sign in more strongly');
    signIn.addEventListener('click', () => {
      sessionStorage.setItem(PENDING, input.value);
      location.assign(`/launch?${new URLSearchParams(needed)}`);
    });
    status.append(element('span', { class: 'action' }, signIn));
    signIn.focus();
  });
  place.replaceChildren(form, status);
  return () => {
    if (pending === null) return;
    add.focus({ preventScroll: true });
    place.scrollIntoView({ block: 'center' });
  };
}

/**
 * Without fhirclient's request, which takes each 401 for the end of the session.
 *
 * @param {FhirClient} client
 * @param {number} value
 */
function create({ state, patient }, value) {
  return fetch(`${state.serverUrl.replace(/\/+$/, '')}/Observation`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${state.tokenResponse.access_token}`,
      'Content-Type': 'application/fhir+json',
    },
    body: JSON.stringify({
      resourceType: 'Observation',
      status: 'final',
      category: [
        {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }],
        },
      ],
      code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }], text: 'Heart rate' },
      subject: { reference: `Patient/${patient.id}` },
      effectiveDateTime: new Date().toISOString(),
      valueQuantity: { value, unit: 'beats/min', system: 'http://unitsofmeasure.org', code: '/min' },
    }),
  });
}
