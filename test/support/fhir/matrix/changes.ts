import { categorySystem } from '../dialect-server/records.js';
import type { Dialect } from '../dialects.js';
import type { App, AppRequest } from './app.js';
import type { View } from './view.js';

export const to = (reference: string) => ({ reference });

/** A laboratory result of patient a. */
export const result = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'Glucose' },
  subject: to('Patient/a'),
  ...more,
});

const condition = (more: object = {}) => ({
  resourceType: 'Condition',
  code: { text: 'Asthma' },
  subject: to('Patient/a'),
  ...more,
});

const made = '+Observation/new-1';
const number = (index: number) => encodeURIComponent(`https://hospital.example/obs|a-${index}`);
const patch = { 'content-type': 'application/json-patch+json' };
const amended = [{ op: 'replace', path: '/status', value: 'amended' }];

interface Change {
  name: string;
  send: (app: App) => Promise<Response>;
  /** The line where a scope permits it; the letters of the scopes that it takes, and the type. */
  permitted: string | ((view: View, dialect: Dialect) => string);
  type?: string;
  actions?: string;
  /** What a token of one patient gets, if it is something else: another record gets the answer of what is not there. */
  limited?: string;
  /** True for a change of what is stored, which a limited token binds to a version. */
  isOfStored?: boolean;
}

function change({
  name,
  send,
  permitted,
  type = 'Observation',
  actions = 'c',
  limited,
  isOfStored,
}: Change): AppRequest {
  return {
    name,
    ask: (app) => app.changed(() => send(app)),
    expected(view, dialect) {
      if (![...actions].every((action) => view.may(type, action))) return '403';
      if (view.isLimited && limited !== undefined) return limited;
      const line = typeof permitted === 'string' ? permitted : permitted(view, dialect);
      return view.isLimited && isOfStored && !dialect.versions && line !== '404' ? '403' : line;
    },
  };
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) => ({
  send: (app: App) => app.send('POST', path, body, headers),
});
const put = (path: string, body: unknown, headers: Record<string, string> = {}) => ({
  send: (app: App) => app.send('PUT', path, body, headers),
});

const creates: AppRequest[] = [
  change({ name: 'a new result', ...post('/Observation', result()), permitted: `201 Observation/new-1 ${made}` }),
  change({
    name: 'a new result, named by our address',
    send: (app) => app.send('POST', '/Observation', result({ subject: to(`${app.base}/Patient/a`) })),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result, asked back',
    ...post('/Observation', result(), { prefer: 'return=representation' }),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result, not asked back',
    ...post('/Observation', result(), { prefer: 'return=minimal' }),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result with an id',
    ...post('/Observation', result({ id: 'own' })),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result of another patient',
    ...post('/Observation', result({ subject: to('Patient/b') })),
    permitted: `201 Observation/new-1 ${made}`,
    limited: '403',
  }),
  change({
    name: 'a new vital sign',
    ...post('/Observation', result({ category: [{ coding: [{ system: categorySystem, code: 'vital-signs' }] }] })),
    permitted: ({ kind }) => (kind === 'categories' ? '403' : `201 Observation/new-1 ${made}`),
  }),
  change({
    name: 'a new result in the own encounter',
    ...post('/Observation', result({ encounter: to('Encounter/a-enc') })),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result in an encounter of another patient',
    ...post('/Observation', result({ encounter: to('Encounter/b-enc') })),
    permitted: `201 Observation/new-1 ${made}`,
    limited: '403',
  }),
  change({
    name: 'a new result of a practitioner',
    ...post('/Observation', result({ performer: [to('Practitioner/dr')] })),
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new condition',
    ...post('/Condition', condition()),
    type: 'Condition',
    permitted: '201 Condition/new-1 +Condition/new-1',
  }),
  change({
    name: 'a new patient',
    ...post('/Patient', { resourceType: 'Patient', name: [{ family: 'New' }] }),
    type: 'Patient',
    permitted: '201 Patient/new-1 +Patient/new-1',
  }),
  change({
    name: 'a new practitioner',
    ...post('/Practitioner', { resourceType: 'Practitioner' }),
    type: 'Practitioner',
    permitted: '201 Practitioner/new-1 +Practitioner/new-1',
  }),
  change({ name: 'another type than that of the address', ...post('/Observation', condition()), permitted: '400' }),
  change({ name: 'a body that is no JSON', ...post('/Observation', '{"resourceType":'), permitted: '400' }),
  change({
    name: 'a body in XML',
    ...post('/Observation', '<Observation/>', { 'content-type': 'application/fhir+xml' }),
    actions: '',
    permitted: '415',
  }),
];

const conditional: AppRequest[] = [
  change({
    name: 'a new result unless it is there',
    ...post('/Observation', result(), { 'if-none-exist': `identifier=${number(99)}` }),
    actions: 'cs',
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a new result that is there',
    ...post('/Observation', result(), { 'if-none-exist': `identifier=${number(1)}` }),
    actions: 'cs',
    permitted: '200',
  }),
  change({
    name: 'a new result of which there are several',
    ...post('/Observation', result(), { 'if-none-exist': 'category=laboratory' }),
    actions: 'cs',
    permitted: '412',
  }),
  change({
    name: 'a change of the one with a number',
    ...put(`/Observation?identifier=${number(1)}`, result({ status: 'amended' })),
    actions: 'cus',
    isOfStored: true,
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a change of the one with a new number',
    ...put(`/Observation?identifier=${number(99)}`, result()),
    actions: 'cus',
    permitted: `201 Observation/new-1 ${made}`,
  }),
  change({
    name: 'a change of several',
    ...put('/Observation?category=laboratory', result()),
    actions: 'cus',
    permitted: '412',
  }),
  change({
    name: 'a deletion of the one with a number',
    send: (app) => app.fetch(`/Observation?identifier=${number(2)}`, { method: 'DELETE' }),
    actions: 'ds',
    isOfStored: true,
    permitted: '204 -Observation/a-obs-2',
  }),
  change({ name: 'a change without a condition', ...put('/Observation', result()), actions: '', permitted: '400' }),
];

const updates: AppRequest[] = [
  change({
    name: 'a changed result',
    ...put('/Observation/a-obs-1', result({ id: 'a-obs-1', status: 'amended' })),
    actions: 'u',
    isOfStored: true,
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a changed result of the version that was read',
    async send(app) {
      const tag = (await app.fetch('/Observation/a-obs-1')).headers.get('etag');
      const headers: Record<string, string> = tag === null ? {} : { 'if-match': tag };
      return app.send('PUT', '/Observation/a-obs-1', result({ id: 'a-obs-1', status: 'amended' }), headers);
    },
    actions: 'ru',
    isOfStored: true,
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a changed result of an old version',
    ...put('/Observation/a-obs-1', result({ id: 'a-obs-1' }), { 'if-match': 'W/"77"' }),
    actions: 'u',
    isOfStored: true,
    permitted: '412',
  }),
  change({
    name: 'a changed vital sign',
    ...put('/Observation/a-obs-5', result({ id: 'a-obs-5' })),
    actions: 'u',
    isOfStored: true,
    permitted: ({ kind }) => (kind === 'categories' ? '404' : '200 ~Observation/a-obs-5'),
  }),
  change({
    name: 'a changed result of another patient',
    ...put('/Observation/b-obs-1', result({ id: 'b-obs-1' })),
    actions: 'u',
    limited: '404',
    permitted: '200 ~Observation/b-obs-1',
  }),
  change({
    name: 'a result given to another patient',
    ...put('/Observation/a-obs-1', result({ id: 'a-obs-1', subject: to('Patient/b') })),
    actions: 'u',
    limited: '403',
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a change with another id',
    ...put('/Observation/a-obs-1', result({ id: 'other' })),
    actions: 'u',
    isOfStored: false,
    permitted: '400',
  }),
  change({
    name: 'an id of the own',
    ...put('/Observation/own-1', result({ id: 'own-1' })),
    actions: 'u',
    permitted: '201 Observation/own-1 +Observation/own-1',
  }),
  change({
    name: 'an id of the own, about another patient',
    ...put('/Observation/own-1', result({ id: 'own-1', subject: to('Patient/b') })),
    actions: 'u',
    limited: '403',
    permitted: '201 Observation/own-1 +Observation/own-1',
  }),
  change({
    name: 'an id of the own, only if it is free',
    ...put('/Observation/own-1', result({ id: 'own-1' }), { 'if-none-match': '*' }),
    actions: 'u',
    permitted: '201 Observation/own-1 +Observation/own-1',
  }),
  change({
    name: 'a changed result, only if there is none',
    ...put('/Observation/a-obs-1', result({ id: 'a-obs-1' }), { 'if-none-match': '*' }),
    actions: 'u',
    permitted: '412',
  }),
  change({
    name: 'a changed result of another patient, only if there is none',
    ...put('/Observation/b-obs-1', result({ id: 'b-obs-1' }), { 'if-none-match': '*' }),
    actions: 'u',
    limited: '404',
    permitted: '412',
  }),
  change({
    name: 'a changed appointment of two',
    ...put('/Appointment/both', {
      resourceType: 'Appointment',
      id: 'both',
      status: 'cancelled',
      participant: [{ actor: to('Patient/a'), status: 'declined' }],
    }),
    type: 'Appointment',
    actions: 'u',
    limited: '403',
    permitted: '200 ~Appointment/both',
  }),
  change({
    name: 'a changed practitioner',
    ...put('/Practitioner/dr', { resourceType: 'Practitioner', id: 'dr' }),
    type: 'Practitioner',
    actions: 'u',
    permitted: '200 ~Practitioner/dr',
  }),
];

const patches: AppRequest[] = [
  ...['a', 'b'].map((of) =>
    change({
      name: `a patch of a result of patient ${of}`,
      send: (app) => app.send('PATCH', `/Observation/${of}-obs-1`, amended, patch),
      actions: 'u',
      isOfStored: of === 'a',
      ...(of === 'b' && { limited: '404' }),
      permitted: `200 ~Observation/${of}-obs-1`,
    }),
  ),
  change({
    name: 'a patch to another patient',
    send: (app) =>
      app.send(
        'PATCH',
        '/Observation/a-obs-1',
        [{ op: 'replace', path: '/subject/reference', value: 'Patient/b' }],
        patch,
      ),
    actions: 'u',
    limited: '403',
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a patch of the one with a number',
    send: (app) => app.send('PATCH', `/Observation?identifier=${number(1)}`, amended, patch),
    actions: 'us',
    isOfStored: true,
    permitted: '200 ~Observation/a-obs-1',
  }),
  change({
    name: 'a patch in XML',
    send: (app) =>
      app.send('PATCH', '/Observation/a-obs-1', '<diff/>', { 'content-type': 'application/xml-patch+xml' }),
    actions: '',
    permitted: '415',
  }),
];

const deletions: AppRequest[] = [
  ...['a', 'b'].map((of) =>
    change({
      name: `a deletion of a result of patient ${of}`,
      send: (app) => app.fetch(`/Observation/${of}-obs-2`, { method: 'DELETE' }),
      actions: 'd',
      isOfStored: of === 'a',
      ...(of === 'b' && { limited: '404' }),
      permitted: `204 -Observation/${of}-obs-2`,
    }),
  ),
  change({
    name: 'a deletion of what is not there',
    send: (app) => app.fetch('/Observation/none', { method: 'DELETE' }),
    actions: 'd',
    limited: '404',
    permitted: '204',
  }),
  change({
    name: 'a deletion of a condition of another patient',
    send: (app) => app.fetch('/Condition/b-con', { method: 'DELETE' }),
    type: 'Condition',
    actions: 'd',
    limited: '404',
    permitted: '204 -Condition/b-con',
  }),
];

export const changes: readonly AppRequest[] = [...creates, ...conditional, ...updates, ...patches, ...deletions];
