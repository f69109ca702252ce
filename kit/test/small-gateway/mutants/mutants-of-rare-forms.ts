import type { SmallRequest } from '../request.js';
import type { Mutant } from './mutant.js';
import {
  all,
  entry,
  flaw,
  has,
  header,
  ofType,
  on,
  reads,
  searches,
  sees,
  tells,
  withBody,
  withHeader,
  withStatus,
} from './predicates.js';

const path = (name: string, pattern: RegExp, text: string): Mutant => ({
  name: `address: ${name}`,
  reads: (target) => {
    const [before = '', ...after] = target.split('?');
    return [before.replace(pattern, text), ...after].join('?');
  },
});
const query = (name: string, changed: (search: string) => string): Mutant => ({
  name: `address: ${name}`,
  reads: (target) => {
    const at = target.indexOf('?');
    return at < 0 ? target : target.slice(0, at + 1) + changed(target.slice(at + 1));
  },
});
const head = ({ method }: SmallRequest) => method === 'HEAD';
const post = ({ method }: SmallRequest) => method === 'POST';
const several = (name: string) => (request: SmallRequest) => request.query.filter(([one]) => one === name).length > 1;
const isConditional = ({ headers }: SmallRequest) =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
const operation = (name: string, ...more: Parameters<typeof all>) =>
  on('operation', ({ parts }) => parts.at(-1) === name, ...more);
const keeps = (name: string, test: NonNullable<Mutant['keeps']>): Mutant => ({ name: `token: ${name}`, keeps: test });
const trusts = (name: string, test: NonNullable<Mutant['trusts']>): Mutant => ({
  name: `token: ${name}`,
  trusts: test,
});
const admits = (name: string, test: NonNullable<Mutant['admits']>): Mutant => ({
  name: `token: ${name}`,
  admits: test,
});
const scoped = (name: string, read: (scope: string) => string): Mutant => ({ name: `scope: ${name}`, scopedAs: read });
const forgets = (what: 'type' | 'category', name: string, test: (request: SmallRequest) => boolean): Mutant => ({
  name: `scope: the ${what} is not checked ${name}`,
  forgets: (asked, request) => asked === what && test(request),
});
/** The user is taken for the patient, so that who acts for a patient has the own record. */
const acting = (name: string, test: (request: SmallRequest) => boolean, isChange = false): Mutant => ({
  name: `acting: ${name}`,
  isChange,
  actsAs: ({ fhirUser }, request) => (test(request) ? /^Patient\/(.*)$/.exec(String(fhirUser))?.[1] : undefined),
});

const searched: Mutant[] = [
  sees('search: two bounds of a time are not limited', all(searches, several('_lastUpdated'))),
  sees(
    'search: an order by two values is not limited',
    all(
      searches,
      has('_sort', (value) => value.includes(',')),
    ),
  ),
  sees(
    'search: an unknown kind of summary is not limited',
    all(
      searches,
      has('_summary', (value) => !/^(?:true|false|count|text|data)$/.test(value)),
    ),
  ),
  sees(
    'search: an iterated include with the type of its target is not limited',
    all(
      searches,
      has('_include:iterate', (value) => /^\w+:[\w-]+:\w+$/.test(value)),
    ),
  ),
  sees(
    'search: a reverse include with the type of its target is not limited',
    all(
      searches,
      has(/^_revinclude/, (value) => /^\w+:[\w-]+:\w+$/.test(value)),
    ),
  ),
  sees(
    'search: many ids are not limited',
    all(
      searches,
      has('_id', (value) => value.split(',').length > 5),
    ),
  ),
  sees(
    'search: thousands on a page are not limited',
    all(
      searches,
      has('_count', (value) => Number(value) > 5000),
    ),
  ),
  sees(
    'search: paths as elements are not limited',
    all(
      searches,
      has('_elements', (value) => value.includes('.')),
    ),
  ),
  query('colons and dots are decoded in names after the check', (search) =>
    search.replace(
      /(^|&)([^=&]*)(?==)/g,
      (_, first, name) => `${first}${name.replace(/%3a/gi, ':').replace(/%2e/gi, '.')}`,
    ),
  ),
  query('wide letters are narrow ones after the check', (search) =>
    search.replace(/(?:%EF%(?:BC|BD)%[89AB][0-9A-F])+/gi, (wide) => decodeURIComponent(wide).normalize('NFKC')),
  ),
  query('a type is removed from names after the check', (search) =>
    search.replace(/(^|&)[A-Z]\w+\.(?=[a-z_]+=)/g, '$1'),
  ),
  sees('system: a search by POST is not limited', on('search of system', post)),
  sees('system: several types are not limited', on('search of system', several('_type'))),
  flaw('page: a stored page is for anyone in a batch'),
  sees('history: a type of all is not limited', on('history of system', has('_type'))),
  sees('history: _at of a type is not limited', on('history of type', has('_at'))),
  sees('operation: a form for $everything is not limited', on('everything', post, header('content-type', /form/))),
  sees('operation: $find by POST is not limited', operation('$find', post)),
  sees('batch: $docref is not limited', all(entry, operation('$docref'))),
  sees('batch: GraphQL is not limited', all(entry, on('graphql'))),
  sees(
    'batch: a compartment in a transaction is not limited',
    on('search of compartment', ({ bundle }) => bundle === 'transaction'),
  ),
  sees('document: a version is not limited', on('vread', ofType('Binary'))),
  sees(
    'document: an absolute entry of a batch is not limited',
    all(entry, ofType('Binary'), ({ isAbsolute }) => isAbsolute === true),
  ),
];

const told: Mutant[] = [
  tells('tells: a search has not changed', all(searches, isConditional), withStatus(304)),
  tells('tells: a version has not changed', all(on('vread'), isConditional), withStatus(304)),
  tells('tells: a history has not changed', all(on('history'), isConditional), withStatus(304)),
  tells(
    'tells: the link of a search to itself',
    searches,
    withBody((body) => ({ ...body, link: [{ relation: 'self', url: '?_filtered=true' }] })),
  ),
  tells(
    'tells: the id of a stored result',
    searches,
    withBody((body) => ({ ...body, id: 'stored-result' })),
  ),
  tells(
    'tells: the type of a result',
    searches,
    withBody((body) => ({ ...body, type: 'collection' })),
  ),
  tells(
    'tells: HEAD of a search for a patient',
    all(searches, head, has(/patient|subject/)),
    withHeader('X-Total', '4'),
  ),
  tells('tells: HEAD of a version', on('vread', head), withHeader('ETag', 'W/"1"')),
  tells('tells: HEAD of a history', on('history', head), withStatus(403)),
  tells('tells: HEAD of everything', on('everything', head), withStatus(403)),
  tells('tells: HEAD of a document', all(reads, ofType('Binary'), head), withHeader('Content-Type', 'application/pdf')),
  tells('tells: the name of a document', all(reads, ofType('Binary')), withHeader('Content-Disposition', 'attachment')),
  tells('tells: a form that is not served', all(reads, header('accept', /xml|csv|turtle/)), withStatus(406)),
  tells(
    'tells: an order by another resource fails',
    all(
      searches,
      has('_sort', (value) => /patient|subject/.test(value)),
    ),
    withStatus(500),
  ),
];

const spelled: Mutant[] = [
  path('what is below the own record is read by itself after the check', /^Patient\/ann\/([A-Z]\w+\/[^/]+)$/, '$1'),
  path('a full stop at the end is removed after the check', /\.$/, ''),
  path('what follows an ampersand is removed after the check', /&.*$/, ''),
  path('a wide slash is a slash after the check', /%ef%bc%8f/gi, '/'),
  path('an overlong slash is a slash after the check', /%c0%af/gi, '/'),
  path('the prefix of an open part is removed after the check', /^(?:open|public|unsecured)\//, ''),
  path('.html is removed after the check', /\.html?$/, ''),
  path('line feeds are removed after the check', /%0[ad]/gi, ''),
  sees('header: If-Match lifts the limit', all(reads, header('if-match', /./))),
  sees('header: an older name of the media type lifts the limit', header('accept', /json\+fhir/)),
  sees('header: the user of a cloud lifts the limit', ({ headers }) => headers['x-ms-client-principal'] !== undefined),
  sees('header: a certificate lifts the limit', ({ headers }) => headers['x-ssl-client-verify'] !== undefined),
  admits('the address of a client in True-Client-IP', ({ headers }) => headers['true-client-ip'] !== undefined),
  admits('the address of a client in X-Client-IP', ({ headers }) => headers['x-client-ip'] === '127.0.0.1'),
  admits('a check of health', ({ headers }) => /kube-probe|ELB-HealthChecker/.test(String(headers['user-agent']))),
];

/** Holes in rare forms of searches, addresses and headers, and answers of routes that are seldom asked. */
export const mutantsOfRareForms: Mutant[] = [...searched, ...told, ...spelled];

/** Holes of tokens that have ended or are for others, and of what scopes and representatives open. */
export const mutantsOfRights: Mutant[] = [
  keeps('it has expired', ({ exp }) => exp !== undefined),
  keeps('it is for another server', ({ aud }) => aud !== undefined),
  keeps('it was taken back', ({ jti }) => jti === 'revoked'),
  trusts('it names its issuer', ({ claims }) => String(claims.iss).endsWith('.invalid')),
  trusts('alg is a list', ({ header: { alg } }) => Array.isArray(alg)),
  trusts('alg is empty', ({ header: { alg } }) => alg === '' || alg === null),
  scoped('s reads', (scope) => scope.replace(/\.s(?=\?| |$)/g, '.rs')),
  scoped('c reads', (scope) => scope.replace(/\.c(?= |$)/g, '.cr')),
  scoped('a category opens the type', (scope) => scope.replace(/\?category=\S*/g, '')),
  scoped('reading a Patient opens all types', (scope) => scope.replace(/patient\/Patient\.r(?!\w)/g, 'patient/*.r')),
  forgets('type', 'in chains', has(/\./)),
  forgets('category', 'in a reverse chain', has(/^_has/)),
  forgets('category', 'where elements are named', has('_elements')),
  forgets('category', 'in GraphQL', on('graphql')),
  forgets('category', 'in a transaction', ({ bundle }) => bundle === 'transaction'),
  acting('the user is the patient', () => true),
  acting('the user is the patient in batches', entry),
  acting('the user is the patient in $everything', on('everything')),
  acting(
    'the user is the patient in changes',
    ({ interaction }) => /create|update|patch|delete/.test(interaction),
    true,
  ),
];
