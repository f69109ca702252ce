// @ts-check

/** @import { Way } from '../types.js' */

const BINARY = 'FHIR R4 §2.35 (Binary, securityContext)';

/** @type {Way[]} */
export const documents = [
  {
    id: 'binary-read',
    title: 'A document of another record is read',
    why: 'A Binary names no patient, so rules about patients do not see it.',
    section: BINARY,
    each: 'binary',
    ask: [
      { target: '{binary}' },
      { target: '{binary}', headers: { Accept: '*/*' } },
      { target: '{binary}', headers: { Accept: 'application/octet-stream' } },
      { target: '{binary}', headers: { Accept: 'application/pdf' } },
      { target: '{binary}', headers: { Accept: 'application/fhir+xml' } },
      { target: '{binary}?_format=json' },
      { target: '{binary}', headers: { Range: 'bytes=0-100' } },
      { target: '{binary}', headers: { 'If-None-Match': '*' } },
      { method: 'HEAD', target: '{binary}' },
      { target: '{binary}/_history' },
      { target: '{binary}/_history/1' },
    ],
    tells: true,
    core: true,
  },
  {
    id: 'binary-with-context',
    title: 'A document of another record is read with a security context of the own choice',
    why: 'The security context of a Binary is that of the stored one, not that of a header.',
    section: BINARY,
    each: 'binary',
    ask: [
      { target: '{binary}', headers: { 'X-Security-Context': 'Patient/{A}' } },
      { target: '{binary}?patient={A}' },
      { target: '{binary}?securityContext=Patient/{A}' },
      { target: '{binary}', authorization: '' },
    ],
  },
  {
    id: 'binary-search',
    title: 'A search for Binary finds documents of others',
    why: 'A search for Binary cannot be limited to a patient.',
    section: BINARY,
    over: {
      query: [
        '',
        '?_count=100',
        '?contenttype=application/pdf',
        '?_lastUpdated=gt1900-01-01',
        '?_summary=count',
        '/_history',
      ],
    },
    ask: { target: 'Binary{query}' },
    look: 'binaries',
  },
  {
    id: 'binary-in-batch',
    title: 'An entry of a batch reads a document of another record',
    why: 'Each entry of a batch is a request of its own.',
    section: BINARY,
    each: 'binary',
    most: 2,
    over: { kind: ['batch', 'transaction'], url: ['{binary}', '{base}/{binary}', '{binary}/_history/1'] },
    ask: {
      method: 'POST',
      target: '',
      body: '{"resourceType":"Bundle","type":"{kind}","entry":[{"request":{"method":"GET","url":"{url}"}}]}',
    },
  },
  {
    id: 'document-by-address',
    title: 'A search by the address of a document finds that of another record',
    why: 'Attachments can be searched for by their address, place or hash.',
    section: 'FHIR R4, DocumentReference search parameters',
    each: 'binary',
    most: 2,
    over: { query: ['location={base}/{binary}', 'location={binary}', 'url={binary}'] },
    ask: [{ target: 'DocumentReference?{query}' }, { target: 'DocumentReference?{query}&patient=Patient/{B}' }],
    tells: true,
  },
];
