import type { SmallAnswer } from './answers.js';
import type { Mutant } from './mutants.js';
import type { Json } from './records.js';
import type { Interaction, SmallRequest } from './request.js';

const on =
  (interaction: Interaction, ...more: ((request: SmallRequest) => boolean)[]) =>
  (request: SmallRequest) =>
    request.interaction === interaction && more.every((test) => test(request));
const searches = ({ interaction }: SmallRequest) => interaction === 'search' || interaction === 'search by post';
const has =
  (name: string | RegExp, test: (value: string) => boolean = () => true) =>
  ({ query }: SmallRequest) =>
    query.some(([one, value]) => (typeof name === 'string' ? one === name : name.test(one)) && test(value));
const ofType = (name: string) => (request: SmallRequest) => request.type === name;
const entry = ({ isEntry }: SmallRequest) => isEntry;
const all =
  (...tests: ((request: SmallRequest) => boolean)[]) =>
  (request: SmallRequest) =>
    tests.every((test) => test(request));
const sees = (name: string, test: (request: SmallRequest) => boolean): Mutant => ({ name, sees: test });
const tells = (
  name: string,
  test: (request: SmallRequest) => boolean,
  change: (answer: SmallAnswer, request: SmallRequest) => SmallAnswer,
): Mutant => ({ name, tells: (answer, request) => (test(request) ? change(answer, request) : answer) });
const withHeader = (name: string, value: string) => (answer: SmallAnswer) => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
const withStatus = (status: number) => (answer: SmallAnswer) => ({ ...answer, status });
const withBody =
  (change: (body: Json) => Json) =>
  (answer: SmallAnswer): SmallAnswer => ({ ...answer, body: change((answer.body ?? {}) as Json) });
const withEntry = (one: object) => withBody((body) => ({ ...body, entry: [...((body.entry ?? []) as object[]), one] }));
const reads = on('read');

/** Holes of single types, forms and headers, and answers that tell what is hidden. */
export const furtherMutants: Mutant[] = [
  sees('one type: documents by search', all(searches, ofType('DocumentReference'), has('_id'))),
  sees('one type: a search by POST', on('search by post', ofType('Coverage'))),
  sees('one type: the history', on('history', ofType('DiagnosticReport'))),
  sees('one type: the version', on('vread', ofType('Encounter'))),
  sees(
    'one type: the compartment',
    on('search of compartment', ({ parts }) => parts[2] === 'Device'),
  ),
  sees(
    'one type: a count',
    all(
      searches,
      ofType('MedicationRequest'),
      has('_summary', (value) => value === 'count'),
    ),
  ),
  sees('one type: the entry of a batch', all(entry, ofType('Coverage'))),
  sees('one type: an entry about a Patient', all(entry, ofType('Patient'), reads)),
  sees('one type: Appointments by actor', all(searches, ofType('Appointment'), has('actor'))),
  sees('one type: a search for RelatedPerson', all(searches, ofType('RelatedPerson'))),
  sees('form: the resource by _elements', all(reads, has('_elements'))),
  sees('form: the resource by _summary', all(reads, has('_summary'))),
  sees('form: a read with _format', all(reads, has('_format'))),
  sees('form: HEAD', ({ method }) => method === 'HEAD'),
  sees('form: a history with _since', on('history', has('_since'))),
  sees(
    'form: a compartment of everything',
    on('search of compartment', ({ parts }) => parts[2] === '*'),
  ),
  sees(
    'form: the subject with its type',
    all(
      searches,
      has('subject', (value) => value.startsWith('Patient/')),
    ),
  ),
  sees(
    'form: a list with the own patient first',
    all(
      searches,
      has('patient', (value) => /ann.*,.*ben/.test(value)),
    ),
  ),
  sees(
    'form: a list with the own patient last',
    all(
      searches,
      has('patient', (value) => /ben.*,.*ann/.test(value)),
    ),
  ),
  sees('form: patient and subject', all(searches, has('patient'), has('subject'))),
  sees(
    'form: a version in a reference',
    all(
      searches,
      has(/./, (value) => value.includes('/_history/')),
    ),
  ),
  sees('form: an identifier of a reference', all(searches, has(/:identifier$/))),
  sees('form: _lastUpdated', all(searches, has('_lastUpdated'))),
  sees('form: a date', all(searches, has('date'))),
  sees('form: a code', all(searches, has('code'))),
  sees('form: a category', all(searches, has('category'))),
  sees('form: an encounter', all(searches, has('encounter'))),
  sees('form: a date of birth', all(searches, has('birthdate'))),
  sees('form: a telephone number', all(searches, has('telecom'))),
  sees('form: a result', all(searches, has('result'))),
  sees('form: a place', all(searches, has('location'))),
  sees('form: a drug', all(searches, has('medication'))),
  sees('form: a focus', all(searches, has('focus'))),
  sees('form: who looks after the patient', all(searches, has('general-practitioner'))),
  sees(
    'form: a large page',
    all(
      searches,
      has('_count', (value) => Number(value) >= 100),
    ),
  ),
  sees(
    'form: no page',
    all(
      searches,
      has('_count', (value) => value === '0'),
    ),
  ),
  sees(
    'form: _sort by an id',
    all(
      searches,
      has('_sort', (value) => value === '_id'),
    ),
  ),
  sees(
    'form: a summary of the text',
    all(
      searches,
      has('_summary', (value) => value === 'text'),
    ),
  ),
  sees('form: _total with a count', all(searches, has('_total'), has('_count'))),
  sees(
    'form: an estimate',
    all(
      searches,
      has('_total', (value) => value === 'estimate'),
    ),
  ),
  sees('header: the Prefer of a transaction', ({ headers }) => /return=representation/.test(String(headers.prefer))),
  sees('header: no cache', ({ headers }) => /no-cache|no-store/.test(String(headers['cache-control']))),
  sees('header: another origin', ({ headers }) => headers.origin !== undefined),
  sees('header: any JSON', ({ headers }) => headers.accept === 'application/json'),
  sees('header: a debug flag', ({ headers }) => headers['x-debug'] !== undefined),
  sees('batch: a count', all(entry, searches, has('_summary'))),
  sees('batch: the history', all(entry, on('history'))),
  sees('batch: everything', all(entry, on('everything'))),
  sees('batch: the compartment', all(entry, on('search of compartment'))),
  sees('batch: an include', all(entry, searches, has(/^_(?:rev)?include/))),
  tells('tells: a header has the number', searches, withHeader('X-Total-Count', '7')),
  tells('tells: Last-Modified of what is hidden', reads, withHeader('Last-Modified', 'Fri, 02 Jan 2026 03:04:05 GMT')),
  tells('tells: it is gone', reads, withStatus(410)),
  tells(
    'tells: it is not modified',
    all(reads, ({ headers }) => headers['if-none-match'] !== undefined),
    withStatus(304),
  ),
  tells(
    'tells: HEAD is forbidden',
    all(reads, ({ method }) => method === 'HEAD'),
    withStatus(403),
  ),
  tells('tells: a version is forbidden', on('vread'), withStatus(403)),
  tells('tells: everything is forbidden', on('everything'), withStatus(403)),
  tells('tells: the compartment is forbidden', on('search of compartment'), withStatus(403)),
  tells('tells: the place of what is hidden', reads, withHeader('Content-Location', 'Observation/1/_history/3')),
  tells('tells: a challenge', reads, withHeader('WWW-Authenticate', 'Bearer error="insufficient_scope"')),
  tells(
    'tells: another code',
    reads,
    withBody((body) => ({ ...body, issue: [{ severity: 'error', code: 'forbidden' }] })),
  ),
  tells(
    'tells: details',
    reads,
    withBody((body) => ({ ...body, extension: [{ url: 'urn:x', valueCode: 'hidden' }] })),
  ),
  tells(
    'tells: results are withheld',
    searches,
    withEntry({ resource: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'suppressed' }] } }),
  ),
  tells('tells: an empty entry', searches, withEntry({ search: { mode: 'match' } })),
  tells('tells: the address of a match', searches, withEntry({ fullUrl: 'http://fhir/Observation/hidden' })),
  tells(
    'tells: the last page',
    searches,
    withBody((body) => ({ ...body, link: [{ relation: 'last', url: '?_offset=90' }] })),
  ),
  tells('tells: a search fails', searches, withStatus(500)),
  tells(
    'tells: a security tag',
    searches,
    withBody((body) => ({ ...body, meta: { security: [{ code: 'REDACTED' }] } })),
  ),
  tells('tells: the status in a batch', all(entry, reads), withStatus(403)),
  tells('tells: the ETag in a batch', all(entry, reads), withHeader('ETag', 'W/"4"')),
  tells(
    'tells: a count in a batch',
    all(entry, searches),
    withBody((body) => ({ ...body, total: 5 })),
  ),
];
