import type { SmallRequest } from '../request.js';
import type { Mutant } from './mutant.js';
import { change, flaw, has, on, searches } from './predicates.js';

export const sound: Mutant = { name: 'sound' };

const route = (name: string, sees: Mutant['sees']): Mutant => ({ name: `route: ${name}`, ...(sees && { sees }) });
const search = (name: string, more: (request: SmallRequest) => boolean): Mutant => ({
  name: `search: ${name}`,
  sees: (request) => searches(request) && more(request),
});

/** Planted holes of each kind. */
export const mutants: Mutant[] = [
  route('reads are not limited', on('read')),
  route(
    'reads of one type are not limited',
    on('read', ({ type }) => type === 'CareTeam'),
  ),
  route('versions are not limited', on('vread')),
  route('histories are not limited', on('history')),
  route('histories of a type are not limited', on('history of type')),
  route('the history of all is not limited', on('history of system')),
  route('searches are not limited', on('search')),
  route(
    'searches of one type are not limited',
    on('search', ({ type }) => type === 'AllergyIntolerance'),
  ),
  route('searches by POST are not limited', on('search by post')),
  route('searches of all types are not limited', on('search of system')),
  route('compartments are not limited', on('search of compartment')),
  route('$everything is not limited', on('everything')),
  route(
    '$everything by POST is not limited',
    on('everything', ({ method }) => method === 'POST'),
  ),
  flaw('route: the own everything has all'),
  route('$lastn is not limited', on('lastn')),
  route('GraphQL is not limited', on('graphql')),
  route('entries of bundles are not limited', ({ isEntry, interaction }) => isEntry && interaction === 'read'),
  route('searches in bundles are not limited', (request) => request.isEntry && searches(request)),
  route(
    'documents are not limited',
    on('read', ({ type }) => type === 'Binary'),
  ),
  flaw('route: a cache by address'),
  search('_id is not limited', has('_id')),
  search(
    'a list of ids is not limited',
    has('_id', (value) => value.includes(',')),
  ),
  search('subject is not limited where patient is', has('subject')),
  search('absolute references are not limited', (request) =>
    request.query.some(([, value]) => value.startsWith('http')),
  ),
  search(
    'a reference without a type is not limited',
    has('patient', (value) => !value.includes('/')),
  ),
  search('a typed reference is not limited', ({ query }) =>
    query.some(([name]) => name === 'subject:Patient' || name === 'patient:Patient'),
  ),
  {
    name: 'search: the last of two patients is taken, and not limited',
    reads: withLastPatient,
  },
  search(
    'several patients in one value are not limited',
    has('patient', (value) => value.includes(',')),
  ),
  search(':not is not limited', ({ query }) => query.some(([name]) => name.endsWith(':not'))),
  search(':missing is not limited', ({ query }) => query.some(([name]) => name.endsWith(':missing'))),
  search('_filter is not limited', has('_filter')),
  search('_content is not limited', has('_content')),
  search('an identifier is not limited', has('identifier')),
  search('a name is not limited', has('family')),
  search('a practitioner as condition is not limited', ({ query }) =>
    query.some(([, value]) => value.startsWith('Practitioner/')),
  ),
  search('_elements is not limited', has('_elements')),
  search('_sort is not limited', has('_sort')),
  flaw('search: chains look at all'),
  flaw('search: reverse chains look at all'),
  search('a list is not limited', has('_list')),
  flaw('include: looks at all'),
  flaw('include: backwards looks at all'),
  flaw('include: an iteration looks at all'),
  flaw('count: totals of all'),
  flaw('count: counts of all'),
  flaw('count: accurate totals of all'),
  flaw('count: a link tells'),
  flaw('error: the status of a read'),
  flaw('error: the text of a read'),
  flaw('error: the name in a text'),
  flaw('error: the ETag of a refusal'),
  flaw('error: the status of a search'),
  flaw('error: the status of a history'),
  flaw('page: a stored page is for anyone'),
  search(
    'an offset is not limited',
    has('_offset', (value) => Number(value) > 0),
  ),
  flaw('shared: Appointment shows the other patient'),
  flaw('shared: Group shows the other patient'),
  flaw('shared: AuditEvent shows the other patient'),
  flaw('shared: List shows the other patient'),
  flaw('token: none is needed'),
  flaw('token: any text will do'),
  flaw('token: Basic is let through'),
  flaw('token: in the address'),
  flaw('token: the signature is not checked'),
  flaw('token: alg none'),
  flaw('token: an empty signature'),
  flaw('token: a weak key'),
  flaw('token: the patient is in a header'),
  flaw('token: the role is in a header'),
  flaw('token: inside of the network'),
  flaw('token: the patient is in a parameter'),
  flaw('scope: the type is not checked'),
  flaw('scope: the category is not checked'),
  flaw('scope: r is not checked'),
  flaw('scope: s is not checked'),
  flaw('scope: a missing fhirUser removes the limit'),
  flaw('scope: patient and user together'),
  { name: 'address: dots are resolved after the check', reads: withoutDots },
  { name: 'address: percent signs are decoded after the check', reads: decodedPath },
  { name: 'address: case does not matter after the check', reads: withCapital },
  route('an Accept of XML is not limited', ({ headers }) => /xml/.test(String(headers.accept))),
  route('lenient handling is not limited', ({ headers }) => /lenient/.test(String(headers.prefer))),
  change('write: any update'),
  change('write: any patch'),
  change('write: any delete'),
  change('write: any conditional update'),
  change('write: any conditional delete'),
  change('write: any conditional patch'),
  change('write: a conditional create looks at all'),
  change('write: any change in a bundle'),
  change('write: any subject by create'),
  change('write: any subject by update'),
  change('write: any subject by patch'),
  change('write: any subject in a bundle'),
  change('write: references are not checked'),
  change('write: documents are not checked'),
  change('write: a reference tells'),
  change('write: the status tells'),
  change('write: the scope is not checked'),
  change('bulk: an export of all'),
  change('bulk: files for anyone'),
];

function withoutDots(target: string): string {
  if (!/\/(?:\.|%2e)/i.test(target)) return target;
  return new URL(target, 'http://host/').href.slice('http://host/'.length);
}

function decodedPath(target: string): string {
  const [path = '', ...rest] = target.split('?');
  try {
    return [decodeURIComponent(path), ...rest].join('?');
  } catch {
    return target;
  }
}

function withCapital(target: string): string {
  return target.replace(/^[a-z]+(?=\/)/, (type) =>
    type === 'metadata' ? type : (['Observation', 'Condition'].find((one) => one.toLowerCase() === type) ?? type),
  );
}

function withLastPatient(target: string): string {
  const patients = target.match(/[?&]patient=[^&]*/g) ?? [];
  return patients.length < 2 ? target : `${target.split('?')[0]}?${patients.at(-1)?.slice(1)}`;
}
