import type { Query } from '../search.js';
import type { Mutant } from './mutant.js';
import { all, entry, flaw, has, header, ofType, on, reads, searches, sees } from './predicates.js';

const whole = (query: Query) => query.map(([name, value]) => `${name}=${value}`).join('&');
const search = (name: string, ...tests: Parameters<typeof all>) => sees(`search: ${name}`, all(searches, ...tests));

/** Holes of single search parameters, modifiers and results, of paging, histories, operations and batches. */
export const mutantsOfSearches: Mutant[] = [
  search('_tag is not limited', has('_tag')),
  search('_security is not limited', has('_security')),
  search('_profile is not limited', has('_profile')),
  search('_source is not limited', has('_source')),
  search('_text is not limited', has('_text')),
  search('_query is not limited', has('_query')),
  search('_contained is not limited', has('_contained')),
  search('an identifier with its type is not limited', has(/:of-type$/)),
  search('a part of a name is not limited', has(/:contains$/)),
  search('a name as it is written is not limited', has(/:exact$/)),
  search('the text of a code is not limited', has(/:text$/)),
  search('a chain with a type is not limited', has(/^\w+:Patient\./)),
  search('a chain to an id is not limited', has(/^\w+\._id$/)),
  search('a chain of two steps is not limited', has(/^[\w-]+(?::\w+)?\.[\w-]+(?::\w+)?\./)),
  search('a chain from an encounter to its subject is not limited', has(/^encounter(?::\w+)?\.(?:subject|patient)$/)),
  search('a link of Patients is not limited', ofType('Patient'), has(/^link/)),
  search('a reverse chain in a reverse chain is not limited', has(/^_has:.*:_has:/)),
  search('a chain in a reverse chain is not limited', has(/^_has:.*\./)),
  search(
    'all includes at once are not limited',
    has('_include', (value) => value === '*'),
  ),
  search(
    'all includes of a type are not limited',
    has('_include', (value) => /^\w+:\*$/.test(value)),
  ),
  search(
    'all reverse includes at once are not limited',
    has('_revinclude', (value) => value === '*'),
  ),
  search(
    'an include with the type of its target is not limited',
    has(/^_include/, (value) => /^\w+:\w+:\w+$/.test(value)),
  ),
  search('the older spelling of an iteration is not limited', has(/:recurse$/)),
  search(
    'an include of a Provenance is not limited',
    has('_revinclude', (value) => value.startsWith('Provenance')),
  ),
  search(
    'a condition in the address of a POST is not limited',
    on('search by post'),
    ({ inAddress }) => inAddress.length > 0,
  ),
  flaw('search: the body of a POST is checked, and its address is carried out'),
  {
    name: 'search: the first of two subjects is checked, and the last is taken',
    reads: (target) => {
      const subjects = target.match(/[?&]subject=[^&]*/g) ?? [];
      return subjects.length < 2 ? target : `${target.split('?')[0]}?${subjects.at(-1)?.slice(1)}`;
    },
  },
  search(
    'an empty patient is not limited',
    has('patient', (value) => value === ''),
  ),
  search(
    'an escaped comma is not limited',
    has(/./, (value) => value.includes('\\,')),
  ),
  {
    name: 'search: a wildcard as a value lifts the limit',
    reads: (target) =>
      target.replace(/([?&])(?:patient|subject|_id|identifier|family|name)=(?:\*|%2A|%|%25)(?=&|$)/gi, '$1'),
  },
  search(
    'a falling order is not limited',
    has('_sort', (value) => value.startsWith('-')),
  ),
  search(
    'a count below zero is not limited',
    has('_count', (value) => value.startsWith('-')),
  ),
  search(
    'a short form is not limited',
    has('_summary', (value) => value === 'true'),
  ),
  search(
    'the data without the text are not limited',
    has('_summary', (value) => value === 'data'),
  ),
  search(
    'a search without a total is not limited',
    has('_total', (value) => value === 'none'),
  ),
  search('a form as multipart is not limited', header('content-type', /multipart/)),
  search(
    'two categories at once are not limited',
    has('category', (value) => value.includes(',')),
  ),
  search(
    'a code with its system is not limited',
    has('code', (value) => value.includes('|')),
  ),
  search(
    'a system without a value is not limited',
    has('identifier', (value) => value.endsWith('|')),
  ),
  search(
    'a date with a prefix is not limited',
    has(/^(?:date|birthdate|_lastUpdated)$/, (value) => /^[a-z]{2}/.test(value)),
  ),
  search('a gender is not limited', has('gender')),
  search('a reference to an Organization is not limited', has(/organization|service-provider/)),
  sees(
    'system: two types are not limited',
    on(
      'search of system',
      has('_type', (value) => value.includes(',')),
    ),
  ),
  sees('system: an id is not limited', on('search of system', has('_id'))),
  sees('history: _at is not limited', on('history', has('_at'))),
  sees('history: _count is not limited', on('history', has('_count'))),
  sees('history: _since of a type is not limited', on('history of type', has('_since'))),
  sees('history: _count of all is not limited', on('history of system', has('_count'))),
  flaw('history: what was of another patient is shown'),
  flaw('history: the total of a history'),
  sees('compartment: a count is not limited', on('search of compartment', has('_summary'))),
  sees(
    'compartment: a search by POST is not limited',
    on('search of compartment', ({ method }) => method === 'POST'),
  ),
  sees('compartment: an Encounter is not limited', on('search of compartment', ofType('Encounter'))),
  sees('compartment: a Practitioner is not limited', on('search of compartment', ofType('Practitioner'))),
  sees('compartment: a Device is not limited', on('search of compartment', ofType('Device'))),
  flaw('compartment: a condition replaces it'),
  flaw('compartment: the total of all'),
  sees('operation: $everything with _type is not limited', on('everything', has('_type'))),
  sees('operation: $everything with _since is not limited', on('everything', has('_since'))),
  sees(
    'operation: $everything of all Patients is not limited',
    on('everything', ({ id }) => id === '$everything'),
  ),
  sees('operation: $everything of an Encounter is not limited', on('everything', ofType('Encounter'))),
  flaw('operation: the total of $everything'),
  sees(
    'operation: $lastn by POST is not limited',
    on('lastn', ({ method }) => method === 'POST'),
  ),
  ...['$meta', '$validate', '$summary', '$match', '$docref', '$find', '$stats', '$diff', '$graph', '$document'].map(
    (name) =>
      sees(
        `operation: ${name} is not limited`,
        on('operation', ({ parts }) => parts.at(-1) === name),
      ),
  ),
  sees(
    'graphql: a POST is not limited',
    on('graphql', ({ method }) => method === 'POST'),
  ),
  sees(
    'graphql: a list is not limited',
    on('graphql', ({ body, query }) => /List\s*\(/.test(body + whole(query))),
  ),
  sees(
    'graphql: an alias is not limited',
    on('graphql', ({ body, query }) => /\w+\s*:\s*[A-Z]\w+\s*\(/.test(body + whole(query))),
  ),
  sees(
    'graphql: of an instance is not limited',
    on('graphql', ({ parts }) => parts.length > 1),
  ),
  flaw('graphql: an error tells'),
  flaw('count: the total of a search without conditions'),
  flaw('page: it is cut before it is limited'),
  flaw('page: a stored rest is of all'),
  flaw('page: a token that can be changed'),
  flaw('shared: Provenance shows the other patient'),
  flaw('shared: what has the own patient as focus is shown'),
  flaw('shared: what the own patient has performed is shown'),
  sees('document: as JSON it is not limited', all(reads, ofType('Binary'), header('accept', /json/))),
  sees(
    'document: in its own type it is not limited',
    all(reads, ofType('Binary'), ({ headers }) => !/json/.test(String(headers.accept))),
  ),
  sees(
    'document: a part of it is not limited',
    all(reads, ofType('Binary'), ({ headers }) => headers.range !== undefined),
  ),
  sees('batch: a bundle in a bundle is not limited', ({ depth }) => depth > 1),
  sees('batch: a transaction is not limited', ({ bundle }) => bundle === 'transaction'),
  sees(
    'batch: an absolute address is not limited',
    all(entry, ({ isAbsolute }) => isAbsolute === true),
  ),
  sees('batch: a search by POST is not limited', all(entry, on('search by post'))),
  sees(
    'batch: a HEAD is not limited',
    all(entry, ({ method }) => method === 'HEAD'),
  ),
  sees('batch: an operation is not limited', all(entry, on('lastn'))),
  sees(
    'batch: a method in small letters is not limited',
    all(entry, ({ sentMethod }) => sentMethod === 'get'),
  ),
  sees('batch: only the first entry is checked', ({ at }) => at > 0),
  sees('batch: parameters of the bundle lift the limit', ({ hasBundleParameters }) => hasBundleParameters),
  flaw('batch: other kinds of bundles are carried out unchecked'),
];
