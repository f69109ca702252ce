// @ts-check
import { showChart } from './chart.js';
import { byId, element, longDate, table } from './dom.js';
import { showMeasurement } from './measurement.js';
import { chartsOf, latestOf, nameOf, textOf } from './observations.js';
import { refusal, showProblem } from './problem.js';
import { readGranted, recordParts, refusedOrFailed, whyNothing } from './record.js';
import { titleOf } from './scopes.js';

/** @import { Observation, Patient } from '@medplum/fhirtypes' */

const ENDED = 'The access has ended.';

byId('start-over').addEventListener('click', () => sessionStorage.clear());

const parameters = new URLSearchParams(location.search);
const error = parameters.get('error');
if (error) {
  showProblem(refusal(error, parameters.get('error_description')));
} else {
  try {
    await showRecord(await FHIR.oauth2.ready());
  } catch (cause) {
    const technical = cause instanceof Error ? cause.message : String(cause);
    showProblem(
      technical === ENDED
        ? {
            title: 'The app has lost its access',
            text: 'It was taken back, it has expired, or you do not act for this patient any more. Start from the beginning.',
          }
        : /please \(re\)launch/i.test(technical)
          ? {
              title: 'The app has not been launched',
              text: 'It needs your permission first. Start from the beginning.',
            }
          : {
              title: 'The record could not be read',
              text: 'Something went wrong on the way. Please start again.',
              technical,
            },
    );
  }
}

/** @param {FhirClient} client */
async function showRecord(client) {
  const { tokenResponse } = client.state;
  const token = String(tokenResponse.access_token);
  const granted = tokenResponse.scope?.split(' ') ?? [];
  showScopes(granted);
  showMembers('id-token', client.getIdToken() ?? {});
  showMembers('token', tokenResponse);
  if (!client.patient.id) {
    throw new Error('The token answer names no patient.');
  }
  const readObservations = () =>
    readGranted(client, granted, 'Observation', { _sort: '-date', _count: '200' }).catch(refusedOrFailed);
  const leadToMeasurement = showMeasurement(client, granted, async () => {
    showObservations(/** @type {Observation[] | undefined | null} */ (await readObservations()));
  });
  const [patient, observations, parts] = await Promise.all([
    // Each part may be left out at consent, or refused by the server; the others are shown all the same.
    client.patient.read().catch(async () => {
      if (await hasEnded(client, token)) throw new Error(ENDED);
      return undefined;
    }),
    readObservations(),
    recordParts(client, granted),
  ]);
  if (patient) {
    showPatient(patient);
  } else {
    byId('patient').replaceChildren(
      element('p', { class: 'quiet' }, "The patient's details were not shared, or could not be read."),
    );
  }
  showObservations(/** @type {Observation[] | undefined | null} */ (observations));
  byId('record').replaceChildren(...parts);
  byId('main').removeAttribute('aria-busy');
  byId('status').textContent = 'The record is open.';
  leadToMeasurement();
}

/**
 * True if the token is not accepted any more, rather than too little for this request.
 *
 * @param {FhirClient} client
 * @param {string} token
 */
async function hasEnded({ state, patient }, token) {
  const address = `${state.serverUrl.replace(/\/+$/, '')}/Patient/${patient.id}`;
  const { status } = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  return status === 401;
}

/** @param {Patient} patient */
function showPatient({ id = '', name: names = [], birthDate, gender }) {
  const [name] = names;
  const given = name?.given ?? [];
  const initials = `${given[0]?.[0] ?? ''}${name?.family?.[0] ?? ''}`;
  /** @type {[string, Node | string][]} */
  const facts = [
    ['Date of birth', longDate(birthDate)],
    ['Gender', gender ? `${gender[0]?.toUpperCase()}${gender.slice(1)}` : 'N/A'],
    ['Patient ID', element('code', {}, id)],
  ];
  byId('patient').replaceChildren(
    element('span', { class: 'avatar', 'aria-hidden': 'true' }, initials),
    element('p', { class: 'name' }, name?.text ?? [...given, name?.family].join(' ')),
    element(
      'dl',
      { class: 'facts' },
      ...facts.map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
    ),
  );
}

/** @param {Observation[] | undefined | null} observations null when they could not be read */
function showObservations(observations) {
  const newestFirst = observations?.sort((a, b) =>
    (b.effectiveDateTime ?? '').localeCompare(a.effectiveDateTime ?? ''),
  );
  const charts = chartsOf([...(newestFirst ?? [])]);
  const nothing = whyNothing(observations);
  byId('vitals').replaceChildren(charts.length > 0 ? chartPicker(charts) : element('p', { class: 'quiet' }, nothing));
  byId('latest').replaceChildren(
    newestFirst?.length
      ? table(
          ['Observation', 'Value', 'Date'],
          latestOf(newestFirst).map((observation) => [
            nameOf(observation.code),
            textOf(observation),
            longDate(observation.effectiveDateTime),
          ]),
        )
      : element('p', { class: 'quiet' }, nothing),
  );
}

/** @param {ReturnType<typeof chartsOf>} charts */
function chartPicker(charts) {
  const stage = element('div');
  const choices = element('fieldset', { class: 'choices' }, element('legend', { class: 'visually-hidden' }, 'Chart'));
  for (const [index, chart] of charts.entries()) {
    const input = element('input', { type: 'radio', name: 'chart' });
    input.checked = index === 0;
    input.addEventListener('change', () => showChart(stage, chart));
    choices.append(element('label', {}, input, element('span', {}, chart.title)));
  }
  if (charts[0]) {
    showChart(stage, charts[0]);
  }
  return element('div', {}, choices, stage);
}

/** @param {string[]} granted */
function showScopes(granted) {
  const rows = granted.map((value) => element('li', {}, titleOf(value) ?? '', element('code', {}, value)));
  byId('scopes').replaceChildren(element('ul', { class: 'rows' }, ...rows));
}

/**
 * @param {'id-token' | 'token'} id
 * @param {Record<string, unknown>} members
 */
function showMembers(id, members) {
  const rows = Object.entries(members).map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, memberText(name, value))),
  );
  byId(id).replaceChildren(
    rows.length > 0 ? element('dl', { class: 'members' }, ...rows) : element('p', { class: 'quiet' }, 'Not sent.'),
  );
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function memberText(name, value) {
  if (typeof value === 'string' && name.endsWith('_token')) {
    return `${value.slice(0, 16)}… (${value.length} characters)`;
  }
  if (typeof value === 'number' && ['exp', 'iat', 'auth_time', 'nbf'].includes(name)) {
    return `${value} (${new Date(value * 1000).toLocaleString('en-US')})`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
