import type { Mutant } from './mutant.js';
import {
  all,
  entry,
  has,
  header,
  on,
  reads,
  searches,
  tells,
  withBody,
  withEntry,
  withHeader,
  withStatus,
} from './predicates.js';

const search = (name: string, ...rest: [Parameters<typeof tells>[2]]) => tells(`tells: ${name}`, searches, ...rest);
const read = (name: string, ...rest: [Parameters<typeof tells>[2]]) => tells(`tells: ${name}`, reads, ...rest);
const issue = (more: object) =>
  withBody((body) => ({ ...body, issue: [{ severity: 'error', code: 'processing', ...more }] }));

/** Answers by which it can be told that something is hidden. */
export const mutantsOfAnswers: Mutant[] = [
  read('a read has a Location', withHeader('Location', 'Observation/1')),
  read('a read may be cached', withHeader('Cache-Control', 'private, max-age=60')),
  read('a read has a time of the database', withHeader('Server-Timing', 'db;desc="1 row"')),
  read('a read has a warning', withHeader('Warning', '199 - "filtered"')),
  read('a read has a link', withHeader('Link', '<Observation/1>; rel="canonical"')),
  read('a read names the rule', withHeader('X-Policy', 'deny-other-patient')),
  read('a read names the methods', withHeader('Allow', 'GET, PUT')),
  read('a read is not allowed', withStatus(405)),
  read('a read conflicts', withStatus(409)),
  read('a read is withheld for legal reasons', withStatus(451)),
  read('a read fails', withStatus(500)),
  read('a read is locked', withStatus(423)),
  read('a read is empty', (answer) => ({ ...answer, status: 204, body: undefined })),
  read('a read has HTML', withHeader('Content-Type', 'text/html')),
  read('a read has no body', (answer) => ({ ...answer, body: undefined })),
  read('the severity', issue({ severity: 'warning' })),
  read('the place of an issue', issue({ expression: ['Observation.subject'] })),
  read('the code of an issue has details', issue({ details: { text: 'denied' } })),
  read(
    'two issues',
    withBody((body) => ({
      ...body,
      issue: [...((body.issue ?? []) as object[]), { severity: 'information', code: 'informational' }],
    })),
  ),
  read('a full stop is missing', issue({ diagnostics: 'There is no such resource' })),
  search(
    'the total is left out',
    withBody(({ total: _, ...body }) => body),
  ),
  search(
    'the total is one less than nothing',
    withBody((body) => ({ ...body, total: -1 })),
  ),
  search(
    'the list of entries is left out',
    withBody(({ entry: _, ...body }) => body),
  ),
  search(
    'a warning of the bundle',
    withBody((body) => ({ ...body, issues: { resourceType: 'OperationOutcome' } })),
  ),
  search(
    'the time of the newest match',
    withBody((body) => ({ ...body, meta: { lastUpdated: '2026-01-01T00:00:00Z' } })),
  ),
  search(
    'an extension of the bundle',
    withBody((body) => ({ ...body, extension: [{ url: 'urn:filtered', valueInteger: 1 }] })),
  ),
  search(
    'the first page',
    withBody((body) => ({ ...body, link: [{ relation: 'first', url: '?_offset=0' }] })),
  ),
  search('an ETag of the matches', withHeader('ETag', 'W/"77"')),
  search('a range', withHeader('Content-Range', 'items 0-0/3')),
  search('a part', withStatus(206)),
  search('a search finds nothing', withStatus(404)),
  search('a search needs more rights', withStatus(401)),
  search('a deleted entry', withEntry({ request: { method: 'DELETE', url: 'Observation/1' } })),
  search('the id of a match', withEntry({ resource: { resourceType: 'Observation', id: 'observation-ben-1' } })),
  tells(
    'tells: a count only',
    all(
      searches,
      has('_summary', (value) => value === 'count'),
    ),
    withBody((body) => ({ ...body, total: 1 })),
  ),
  tells(
    'tells: a count of nothing shown',
    all(
      searches,
      has('_count', (value) => value === '0'),
    ),
    withBody((body) => ({ ...body, total: 1 })),
  ),
  tells(
    'tells: the length of HEAD',
    all(reads, ({ method }) => method === 'HEAD'),
    withHeader('Content-Length', '512'),
  ),
  tells(
    'tells: HEAD finds it',
    all(reads, ({ method }) => method === 'HEAD'),
    withStatus(200),
  ),
  tells('tells: it has not changed since', all(reads, header('if-modified-since', /./)), withStatus(304)),
  tells('tells: a condition on its version fails', all(reads, header('if-match', /./)), withStatus(412)),
  tells('tells: a search with an order fails', all(searches, has('_sort')), withStatus(500)),
  tells('tells: an include fails', all(searches, has(/^_(?:rev)?include/)), withStatus(403)),
  tells('tells: a chain fails', all(searches, has(/\./)), withStatus(403)),
  tells('tells: a reverse chain fails', all(searches, has(/^_has/)), withStatus(400)),
  tells('tells: the history of it is empty', on('history'), (answer) => ({
    ...answer,
    status: 200,
    body: { resourceType: 'Bundle', type: 'history', total: 0 },
  })),
  tells('tells: the version is gone', on('vread'), withStatus(410)),
  tells('tells: everything of it is nothing', on('everything'), (answer) => ({
    ...answer,
    status: 200,
    body: { resourceType: 'Bundle', type: 'searchset', total: 0 },
  })),
  tells('tells: the compartment is empty', on('search of compartment'), (answer) => ({
    ...answer,
    status: 200,
    body: { resourceType: 'Bundle', type: 'searchset', total: 0 },
  })),
  tells('tells: OPTIONS knows it', on('options'), withStatus(200)),
  tells('tells: OPTIONS names methods', on('options'), withHeader('Allow', 'GET, PUT, DELETE')),
  tells(
    'tells: $validate finds it',
    on('operation', ({ parts }) => parts[2] === '$validate'),
    withStatus(200),
  ),
  tells(
    'tells: $meta is forbidden',
    on('operation', ({ parts }) => parts[2] === '$meta'),
    withStatus(403),
  ),
  tells('tells: Last-Modified in a batch', all(entry, reads), (answer) => ({
    ...answer,
    headers: { ...answer.headers, 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' },
  })),
  tells('tells: the outcome in a batch', all(entry, reads), issue({ code: 'security' })),
];
