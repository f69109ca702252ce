import type { TwoRecords } from './two-records.js';

type Json = Record<string, unknown>;

/** An Observation of p1; `more` are the elements that refer. */
export const observation = (more: object, id?: string): Json => ({
  resourceType: 'Observation',
  ...(id !== undefined && { id }),
  category: [{ coding: [{ code: 'laboratory' }] }],
  subject: { reference: 'Patient/p1' },
  ...more,
});
const bundleOf = (type: string, method: string, url: string, resource: object) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ resource, request: { method, url } }],
});

/** A way to write an Observation of p1. */
export interface Interaction {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body: (more: object) => unknown;
  /** True if the condition finds the patient's own Observation. */
  finds?: boolean;
}

const patchOf = (more: object) => Object.entries(more).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
const patchHeader = { 'content-type': 'application/json-patch+json' };
export const interactions: Record<string, Interaction> = {
  create: { method: 'POST', path: '/Observation', body: (more) => observation(more) },
  update: { method: 'PUT', path: '/Observation/of-p1', body: (more) => observation(more, 'of-p1') },
  patch: { method: 'PATCH', path: '/Observation/of-p1', headers: patchHeader, body: patchOf },
  'create in a transaction': {
    method: 'POST',
    path: '',
    body: (more) => bundleOf('transaction', 'POST', 'Observation', observation(more)),
  },
  'update in a transaction': {
    method: 'POST',
    path: '',
    body: (more) => bundleOf('transaction', 'PUT', 'Observation/of-p1', observation(more, 'of-p1')),
  },
  'create in a batch': {
    method: 'POST',
    path: '',
    body: (more) => bundleOf('batch', 'POST', 'Observation', observation(more)),
  },
  'conditional create': {
    method: 'POST',
    path: '/Observation',
    headers: { 'if-none-exist': 'identifier=x' },
    body: (more) => observation(more),
  },
  'conditional update': {
    method: 'PUT',
    path: '/Observation?identifier=x',
    body: (more) => observation(more),
    finds: true,
  },
  'conditional update that creates': {
    method: 'PUT',
    path: '/Observation?identifier=x',
    body: (more) => observation(more),
  },
  'conditional patch': {
    method: 'PATCH',
    path: '/Observation?identifier=x',
    headers: patchHeader,
    body: patchOf,
    finds: true,
  },
};

/** The elements of an Observation that refer to `Type/id`, by way. */
export const waysToRefer = ({ gateway, upstream }: TwoRecords): Record<string, (reference: string) => object> => ({
  'at the top': (reference) => ({ encounter: { reference } }),
  'in a list': (reference) => ({ derivedFrom: [{ reference: 'Observation/of-p1' }, { reference }] }),
  'nested in an element': (reference) => ({ component: [{ value: [{ deep: { reference } }] }] }),
  'of a version': (reference) => ({ hasMember: [{ reference: `${reference}/_history/1` }] }),
  'with a fragment': (reference) => ({ focus: [{ reference: `${reference}#part` }] }),
  'as an absolute URL': (reference) => ({ encounter: { reference: `${gateway.base}/${reference}` } }),
  'as an absolute URL of the server': (reference) => ({
    encounter: { reference: `${upstream.url}/${reference}` },
  }),
  'as an absolute URL in another spelling': (reference) => ({
    encounter: { reference: `${gateway.base.replace('http', 'HTTP')}//${reference.replace('/', '%2F')}` },
  }),
  'in an extension': (reference) => ({ extension: [{ url: 'urn:x', extension: [{ valueReference: { reference } }] }] }),
  'in an extension of a primitive': (reference) => ({
    _status: { extension: [{ url: 'urn:x', valueReference: { reference } }] },
  }),
  'in a contained resource': (reference) => ({
    contained: [{ resourceType: 'Provenance', id: 'c', target: [{ reference }], entity: [{ what: { reference } }] }],
  }),
  'in a contained Bundle': (reference) => ({
    contained: [
      { resourceType: 'Bundle', id: 'c', entry: [{ fullUrl: `${gateway.base}/${reference}`, response: {} }] },
    ],
  }),
  'by a link of a contained List': (reference) => ({
    contained: [{ resourceType: 'List', id: 'c', entry: [{ item: { reference } }] }],
  }),
  'in the identifier of an assigner': (reference) => ({
    identifier: [{ system: 'urn:x', value: '1', assigner: { reference } }],
  }),
  'in an attachment': (reference) => ({ valueAttachment: { url: `${gateway.base}/${reference}` } }),
  'in an attachment, relative': (reference) => ({ valueAttachment: { url: reference } }),
  'in an attachment, by its path': (reference) => ({
    valueAttachment: { url: `${new URL(gateway.base).pathname}/${reference}` },
  }),
  'in an attachment, to an operation': (reference) => ({
    valueAttachment: { url: `${upstream.url}/${reference}/$x?y=z` },
  }),
  'as a canonical URL': (reference) => ({ instantiatesCanonical: [`${gateway.base}/${reference}|1.0`] }),
  'as a URI of an extension': (reference) => ({ extension: [{ url: 'urn:x', valueUri: reference }] }),
  'as a source': (reference) => ({ meta: { source: `${gateway.base}/${reference}` } }),
  'in a note': (reference) => ({ note: [{ text: `See ${gateway.base}/${reference}.` }] }),
  'by a link of the narrative': (reference) => ({
    text: { status: 'additional', div: `<div xmlns="x"><a href="${reference}">x</a></div>` },
  }),
});
