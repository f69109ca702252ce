// @ts-check

/** @import { Way } from '../types.js' */

const BATCH = 'FHIR R4 §3.1.0.11 (batch and transaction)';

/** @param {string} type @param {...string} entries as JSON */
const bundle = (type, ...entries) => `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join()}]}`;
/** @param {string} url @param {string} [method] */
const entry = (url, method = 'GET') => `{"request":{"method":"${method}","url":"${url}"}}`;

/** The reads that a bundle asks for. */
const READS = [
  '{type}/{id}',
  '/{type}/{id}',
  './{type}/{id}',
  '{base}/{type}/{id}',
  '{type}/{id}?_format=json',
  '{type}/{id}/_history/1',
  '{type}/{id}/_history',
  '{type}/{id|pct}',
  '{type}?_id={id}',
  '{type}?_id={own},{id}',
  '{type}?patient=Patient/{B}',
  '{type}?patient=Patient/{A}&patient=Patient/{B}',
  '{type}?subject=Patient/{B}&_summary=count',
  '{type}',
  '{type}?_count=200',
  'Patient/{B}',
  'Patient?_id={B}',
  'Patient',
  'Patient/{B}/$everything',
  'Patient/{B}/{type}',
  'Patient?_has:{type}:patient:_id={id}',
  'Observation/$lastn?patient=Patient/{B}',
  'DocumentReference/$docref?patient={B}',
  '_history',
  '{type}/_history',
  '?_type={type}&_id={id}',
  'Patient?_id={A}&_revinclude=*',
  'Patient/{A}/../{B}',
  '{type}?_id={id}&_elements=id',
];

/** @type {Way[]} */
export const batches = [
  {
    id: 'batch-read',
    title: 'An entry of a batch reads another record',
    why: 'Each entry is a request of its own, whose rules are those of the request as a whole in too many servers.',
    section: BATCH,
    each: 'main',
    over: { url: READS },
    ask: { method: 'POST', target: '', body: bundle('batch', entry('{url}')) },
    core: true,
  },
  {
    id: 'batch-read-types',
    title: 'An entry of a batch reads another record by one of its types',
    why: 'Each type may have a route of its own, also within a batch.',
    section: BATCH,
    each: 'type',
    ask: { method: 'POST', target: '', body: bundle('batch', entry('{type}/{id}'), entry('{type}?_id={id}')) },
  },
  {
    id: 'batch-read-tells',
    title: 'An entry of a batch tells of another record',
    why: 'The status of an entry tells what the resource does not.',
    section: BATCH,
    each: 'first',
    over: {
      url: [
        '{type}/{id}',
        '{type}?_id={id}',
        '{type}?_id={id}&_summary=count',
        'Patient/{B}',
        'Patient?_id={B}',
        '{type}/{id}/_history',
        'Patient/{B}/$everything',
        '{type}?patient=Patient/{B}',
      ],
    },
    ask: { method: 'POST', target: '', body: bundle('batch', entry('{url}')) },
    tells: true,
    core: true,
  },
  {
    id: 'batch-after-own',
    title: 'The second entry of a batch reads another record',
    why: 'What was decided for the first entry may be kept for all.',
    section: BATCH,
    each: 'first',
    over: { url: ['{type}/{id}', '{type}?_id={id}', 'Patient/{B}'] },
    ask: [
      { method: 'POST', target: '', body: bundle('batch', entry('Patient/{A}'), entry('{url}')) },
      { method: 'POST', target: '', body: bundle('batch', entry('{url}'), entry('Patient/{A}'), entry('{url}')) },
      { method: 'POST', target: '?', body: bundle('batch', entry('{url}')) },
      { method: 'POST', target: '?_format=json', body: bundle('batch', entry('{url}')) },
      { method: 'POST', target: '?patient=Patient/{A}', body: bundle('batch', entry('{url}')) },
      {
        method: 'POST',
        target: '',
        headers: { 'Content-Type': 'application/json' },
        body: bundle('batch', entry('{url}')),
      },
    ],
  },
  {
    id: 'batch-methods',
    title: 'An entry of a batch with another method reads another record',
    why: 'The method of an entry may be checked by its spelling.',
    section: BATCH,
    each: 'first',
    over: { method: ['get', 'Get', 'HEAD', 'GET ', 'OPTIONS'] },
    ask: { method: 'POST', target: '', body: bundle('batch', entry('{type}/{id}', '{method}')) },
    tells: true,
  },
  {
    id: 'batch-conditional-read',
    title: 'A conditional entry of a batch tells of another record',
    why: 'Entries have conditions of their own, such as ifNoneMatch.',
    section: BATCH,
    each: 'version',
    most: 2,
    ask: {
      method: 'POST',
      target: '',
      body: bundle('batch', '{"request":{"method":"GET","url":"{type}/{id}","ifNoneMatch":"W/\\"{version}\\""}}'),
    },
    tells: true,
  },
  {
    id: 'batch-in-batch',
    title: 'A batch within a batch reads another record',
    why: 'The inner batch may be carried out without a check.',
    section: BATCH,
    each: 'first',
    ask: {
      method: 'POST',
      target: '',
      body: bundle(
        'batch',
        `{"resource":${bundle('batch', entry('{type}/{id}'))},"request":{"method":"POST","url":"/"}}`,
      ),
    },
  },
  {
    id: 'batch-search-by-post',
    title: 'A search by POST as an entry of a batch finds another record',
    why: 'Search by POST in a batch has its conditions in a place that is checked nowhere else.',
    section: BATCH,
    each: 'first',
    ask: [
      { method: 'POST', target: '', body: bundle('batch', entry('{type}/_search?_id={id}', 'POST')) },
      {
        method: 'POST',
        target: '',
        body: bundle(
          'batch',
          '{"resource":{"resourceType":"Parameters","parameter":[{"name":"_id","valueString":"{id}"}]},"request":{"method":"POST","url":"{type}/_search"}}',
        ),
      },
    ],
  },
  {
    id: 'transaction-read',
    title: 'A transaction of reads gives another record',
    why: 'A transaction is carried out as a whole, often with the rights of the server.',
    section: BATCH,
    each: 'first',
    over: {
      url: [
        '{type}/{id}',
        '{type}?_id={id}',
        '{type}?patient=Patient/{B}',
        'Patient/{B}',
        'Patient?_id={B}',
        '{type}',
        'Patient/{B}/$everything',
        'Patient/{B}/{type}',
        '{type}/{id}/_history',
      ],
    },
    ask: { method: 'POST', target: '', body: bundle('transaction', entry('{url}')) },
    core: true,
  },
  {
    id: 'transaction-read-tells',
    title: 'A transaction of reads tells of another record',
    why: 'The status of the whole depends on what one entry found.',
    section: BATCH,
    each: 'first',
    over: { url: ['{type}/{id}', '{type}?_id={id}', 'Patient/{B}'] },
    ask: { method: 'POST', target: '', body: bundle('transaction', entry('{url}')) },
    tells: true,
  },
  {
    id: 'bundle-of-other-types',
    title: 'A Bundle of another type is carried out and gives another record',
    why: 'A server may carry out everything that has entries with requests.',
    section: BATCH,
    each: 'first',
    over: { kind: ['history', 'searchset', 'BATCH', 'collection'] },
    ask: { method: 'POST', target: '', body: bundle('{kind}', entry('{type}/{id}')) },
  },
];
