import type { App, AppRequest } from './app.js';
import { result, to } from './changes.js';
import type { View } from './view.js';

const create = { method: 'POST', url: 'Observation' };
const [one, other] = ['urn:uuid:obs_1', 'urn:oid:1.2.3'];
const twoMade = '200 201 201 +Observation/new-1 +Observation/new-2';
const mrn = (of: string) => `Patient?identifier=https://hospital.example/mrn|mrn-${of}`;

interface Transaction {
  name: string;
  entries: (app: App) => object[];
  /** The line where it is carried out. */
  done: string;
  /** The line for a token of one patient, if it is something else. */
  limited?: string;
  /** The tokens for which it is `403`, because a scope is missing. */
  without?: readonly View['kind'][];
  changesStored?: boolean;
}

function transaction({
  name,
  entries,
  done,
  limited = done,
  without = [],
  changesStored = false,
}: Transaction): AppRequest {
  return {
    name: `a transaction ${name}`,
    ask: (app) => app.bundled('transaction', entries(app)),
    expected(view, { versions }) {
      if (without.includes(view.kind)) return '403';
      if (!view.isLimited) return done;
      return changesStored && !versions ? '403' : limited;
    },
  };
}

const transactions: AppRequest[] = [
  transaction({
    name: 'whose entries refer to each other',
    entries: () => [
      { fullUrl: one, resource: result(), request: create },
      { fullUrl: other, resource: result({ derivedFrom: [to(one)] }), request: create },
    ],
    done: twoMade,
  }),
  transaction({
    name: 'with the address of the resource',
    entries: (app) => [
      {
        fullUrl: `${app.base}/Observation/a-obs-1`,
        resource: result({ id: 'a-obs-1', status: 'amended' }),
        request: { method: 'PUT', url: 'Observation/a-obs-1' },
      },
    ],
    done: '200 200 ~Observation/a-obs-1',
    changesStored: true,
  }),
  transaction({
    name: 'with addresses of another server',
    entries: () => [
      { fullUrl: 'http://example.org/fhir/Observation/1', resource: result({ id: '1' }), request: create },
      { resource: result({ derivedFrom: [to('http://example.org/fhir/Observation/1')] }), request: create },
    ],
    done: twoMade,
  }),
  transaction({
    name: 'made of the answer to a search',
    entries: (app) => [
      {
        fullUrl: `${app.base}/Observation/a-obs-1`,
        link: [{ relation: 'self', url: 'x' }],
        search: { mode: 'match' },
        resource: result(),
        request: create,
      },
    ],
    done: '200 201 +Observation/new-1',
  }),
  transaction({
    name: 'about another patient',
    entries: () => [{ resource: result({ subject: to('Patient/b') }), request: create }],
    done: '200 201 +Observation/new-1',
    limited: '403',
  }),
  transaction({
    name: 'with a part about another patient',
    entries: () => [
      { fullUrl: one, resource: result(), request: create },
      { resource: result({ encounter: to('Encounter/b-enc') }), request: create },
    ],
    done: twoMade,
    limited: '403',
  }),
  ...[
    ['the own patient', mrn('a'), '200 201 +Observation/new-1', '200 201 +Observation/new-1'],
    ['another patient', mrn('b'), '200 201 +Observation/new-1', '412'],
    ['no patient', mrn('none'), '412', '412'],
  ].map(([who, reference = '', done = '', limited = '']) =>
    transaction({
      name: `that refers to ${who} by a search`,
      entries: () => [{ resource: result({ subject: to(reference) }), request: create }],
      done,
      limited,
    }),
  ),
  transaction({
    name: 'that refers to a practitioner by a search',
    entries: () => [{ resource: result({ performer: [to('Practitioner?family=Doctor')] }), request: create }],
    done: '200 201 +Observation/new-1',
    without: ['categories', 'service'],
  }),
  transaction({
    name: 'that deletes',
    entries: () => [{ request: { method: 'DELETE', url: 'Observation/a-obs-2' } }],
    done: '200 204 -Observation/a-obs-2',
    changesStored: true,
  }),
  transaction({
    name: 'that deletes of another patient',
    entries: () => [{ request: { method: 'DELETE', url: 'Observation/b-obs-2' } }],
    done: '200 204 -Observation/b-obs-2',
    limited: '404',
  }),
  transaction({
    name: 'that reads',
    entries: () => [{ request: { method: 'GET', url: 'Patient/a' } }],
    done: '200 200',
    // What a server answers amid a transaction cannot be checked before it is carried out.
    limited: '403',
  }),
  transaction({
    name: 'unless it is there',
    entries: () => [
      { resource: result(), request: { ...create, ifNoneExist: 'identifier=https://hospital.example/obs|a-1' } },
    ],
    done: '200 200',
  }),
  transaction({
    name: 'unless it is there, which it is not',
    entries: () => [
      { resource: result(), request: { ...create, ifNoneExist: 'identifier=https://hospital.example/obs|a-99' } },
    ],
    done: '200 201 +Observation/new-1',
  }),
  transaction({
    name: 'unless it is there, in another record',
    entries: () => [
      { resource: result(), request: { ...create, ifNoneExist: 'identifier=https://hospital.example/obs|b-1' } },
    ],
    done: '200 200',
    limited: '200 201 +Observation/new-1',
  }),
  transaction({ name: 'without entries', entries: () => [], done: '200' }),
];

/** Each entry of a batch is like a request of its own. */
const batches: AppRequest[] = [
  {
    name: 'a batch of reads',
    ask: (app) =>
      app.bundled(
        'batch',
        ['Patient/a', 'Patient/b', 'Encounter/a-enc', 'Observation?patient=a', 'Observation/none'].map((url) => ({
          request: { method: 'GET', url },
        })),
      ),
    expected: (view) =>
      [
        ...['200', view.read('Patient', 'a'), view.read('Patient', 'b'), view.read('Encounter', 'a-enc')],
        ...[view.search('Observation'), '404'],
      ]
        .map((line) => line.slice(0, 3))
        .join(' '),
  },
  {
    name: 'a batch of changes',
    ask: (app) =>
      app.bundled('batch', [
        { resource: result(), request: create },
        { resource: result({ subject: to('Patient/b') }), request: create },
        { resource: { resourceType: 'Basic' }, request: { method: 'POST', url: 'Observation' } },
      ]),
    expected: (view) =>
      view.isLimited ? '200 201 403 400 +Observation/new-1' : '200 201 201 400 +Observation/new-1 +Observation/new-2',
  },
  {
    name: 'a batch that runs an operation',
    ask: (app) => app.bundled('batch', [{ request: { method: 'GET', url: 'Patient/a/$everything' } }]),
    expected: () => '200 200',
  },
  {
    name: 'a Bundle that is no request',
    ask: (app) => app.bundled('collection', []),
    expected: () => '400',
  },
];

export const bundles: readonly AppRequest[] = [...transactions, ...batches];
