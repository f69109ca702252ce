// @ts-check

/** @import { Way } from '../types.js' */

const PAGING = 'FHIR R4 §3.1.1.5.2 (paging)';

/** @type {Way[]} */
export const paging = [
  {
    id: 'page-of-other',
    title: "A link to a further page of another patient's search is followed",
    why: 'A link that carries its own right gives the next page to everybody who has it.',
    section: PAGING,
    each: 'page',
    ask: { target: '{link}' },
    core: true,
  },
  {
    id: 'page-of-other-without-token',
    title: "A link to a further page of another patient's search is followed without a token",
    why: 'A link that carries its own right gives the next page to everybody who has it.',
    section: PAGING,
    each: 'page',
    most: 2,
    ask: [
      { target: '{link}', authorization: '' },
      { target: '{link}', authorization: 'Bearer x' },
    ],
  },
  {
    id: 'page-of-other-in-batch',
    title: "A link to a further page of another patient's search is followed by an entry of a batch",
    why: 'Each entry of a batch is a request of its own.',
    section: PAGING,
    each: 'page',
    most: 3,
    over: { kind: ['batch', 'transaction'] },
    ask: {
      method: 'POST',
      target: '',
      body: '{"resourceType":"Bundle","type":"{kind}","entry":[{"request":{"method":"GET","url":"{link|json}"}}]}',
    },
  },
  {
    id: 'page-of-own-for-other',
    title: "The own link to a further page is changed to another patient's",
    why: 'What stands in a link is input like any other.',
    section: PAGING,
    each: 'own page',
    ask: { target: '{link}' },
  },
  {
    id: 'page-beyond',
    title: 'Pages beyond the own resources show other records',
    why: 'A limit that applies to the first page only ends there.',
    section: PAGING,
    each: 'main',
    over: {
      query: [
        '_count=1&_offset=0',
        '_count=50&_offset=1',
        '_count=50&_offset=200',
        '_count=50&_offset=2000',
        '_count=50&_getpagesoffset=50',
        '_count=50&_page=2',
        '_count=50&_page=20',
        '_count=50&page=3',
        '_count=50&_skip=100',
        '_count=50&_start=100',
        '_count=50&__page=2',
        'patient=Patient/{A}&_count=50&_offset=500',
      ],
    },
    ask: { target: '{type}?{query}' },
  },
  {
    id: 'pages-followed',
    title: 'The own further pages show other records',
    why: 'The second page is another request, often with a code path of its own.',
    section: PAGING,
    each: 'first',
    look: 'pages',
    over: { query: ['_count=1', '_count=2', '_count=5&_sort=-_lastUpdated'] },
    ask: { target: '{type}?{query}' },
  },
  {
    id: 'pages-by-post',
    title: 'The further pages of a search by POST show other records',
    why: 'The second page is another request, often with a code path of its own.',
    section: PAGING,
    each: 'first',
    look: 'pages',
    ask: {
      method: 'POST',
      target: '{type}/_search',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: '_count=2',
    },
  },
  {
    id: 'pages-of-history',
    title: 'The further pages of a history or of $everything show other records',
    why: 'The second page is another request, often with a code path of its own.',
    section: PAGING,
    look: 'pages',
    ask: [{ target: 'Patient/{A}/_history?_count=1' }, { target: 'Patient/{A}/$everything?_count=2' }],
  },
];
