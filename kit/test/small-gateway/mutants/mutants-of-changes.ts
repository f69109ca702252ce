import type { Resource } from '../records.js';
import { jsonIn, type SmallRequest } from '../request.js';
import type { Mutant } from './mutant.js';
import { all, change, entry, has, header, on, tells, withHeader, withStatus } from './predicates.js';

type Test = (request: SmallRequest) => boolean;

const frees = (name: string, ...tests: Test[]): Mutant => ({ name: `write: ${name}`, frees: all(...tests) });
const binds = (name: string, test: (resource: Resource) => boolean): Mutant => ({
  name: `write: ${name}`,
  binds: test,
});
const answers = (name: string, test: Test, status: number) => tells(`write: ${name} tells`, test, withStatus(status));
const exported = (name: string, test: Test): Mutant => ({ name: `bulk: ${name}`, exports: test });
const changes =
  (...names: string[]): Test =>
  ({ interaction }) =>
    names.includes(interaction);
const names = (element: string) => (resource: Resource) =>
  JSON.stringify(resource[element] ?? '').includes('Patient/ben');
const subjectOf = ({ subject }: Resource) => String((subject as { reference?: string } | undefined)?.reference);

/** Holes of rare forms of changes, and answers to changes that tell. */
const rareForms: Mutant[] = [
  frees('any patch of a version', changes('patch'), header('if-match', /./)),
  frees('any patch as plain JSON', changes('patch'), header('content-type', /^application\/json\b/)),
  frees('any delete with what refers to it', changes('delete'), has(/^_(?:cascade|expunge|purge|hardDelete)$/)),
  frees('any change with a short answer', changes('update', 'patch'), header('prefer', /minimal/)),
  frees('any conditional update in a bundle', entry, changes('conditional update')),
  frees('any conditional delete in a bundle', entry, changes('conditional delete')),
  frees('any conditional patch by _id', changes('conditional patch'), has('_id')),
  frees(
    'any patch as a Binary in a bundle',
    entry,
    changes('patch'),
    ({ body }) => jsonIn(body)?.resourceType === 'Binary',
  ),
  binds('what is contained may name anything', names('contained')),
  binds('a note may have any author', names('note')),
  binds('any performer', names('performer')),
  binds('any reference in an extension of an extension', ({ extension }) =>
    ((extension ?? []) as Resource[]).some((one) => JSON.stringify(one.extension ?? '').includes('reference')),
  ),
  binds('a subject with a fragment', (resource) => /\/\w+#/.test(subjectOf(resource))),
  binds('a subject with a slash at its end', (resource) => subjectOf(resource).endsWith('/')),
  binds('any member', ({ hasMember }) => hasMember !== undefined),
  binds('any whole', ({ partOf }) => partOf !== undefined),
  binds('any request', ({ basedOn }) => basedOn !== undefined),
  answers('a conditional patch', on('conditional patch'), 412),
  answers('a conditional update', on('conditional update'), 409),
  answers('a conditional create in a bundle', all(entry, on('create')), 200),
  answers('the media type of a patch', all(on('patch'), header('content-type', /text\/plain/)), 415),
  answers(
    'a body that is no resource',
    on('update', ({ body }) => jsonIn(body) === undefined),
    422,
  ),
  answers('a delete of a version', all(on('delete'), header('if-match', /./)), 412),
  answers('a patch in a batch', all(entry, on('patch')), 422),
  answers(
    'an update in a transaction',
    on('update', ({ bundle }) => bundle === 'transaction'),
    409,
  ),
  answers(
    '$meta-add',
    on('operation', ({ parts }) => parts.at(-1) === '$meta-add'),
    403,
  ),
  tells('write: a Location tells', changes('update', 'patch', 'delete'), withHeader('Location', '_history/2')),
  exported('an export since a time', on('export', has('_since'))),
  exported('an export in a form', on('export', has('_outputFormat'))),
  exported(
    'an export of several patients',
    on('export', ({ body }) => body.split('"patient"').length > 2),
  ),
  exported(
    'HEAD of any export',
    on('export status', ({ method }) => method === 'HEAD'),
  ),
  exported('the end of any export', on('export end')),
].map((mutant) => ({ ...mutant, isChange: true }));

/** Holes that show under `--write` only. */
export const mutantsOfChanges: Mutant[] = [
  ...rareForms,
  ...[
    'write: an update that creates is not checked',
    'write: the id of the body is taken',
    'write: a POST with an id updates',
    'write: any merge patch',
    'write: any JSON patch',
    'write: any FHIRPath patch',
    'write: any subject by a merge patch',
    'write: any subject by a JSON patch',
    'write: any subject by a FHIRPath patch',
    'write: a patch that tests a value tells',
    'write: If-Match tells',
    'write: the status of a delete tells',
    'write: the status of an update tells',
    'write: the status of a patch tells',
    'write: a conditional update that creates is not checked',
    'write: a conditional delete tells',
    'write: a subject by identifier',
    'write: an absolute subject',
    'write: a subject with a version',
    'write: a subject by a search',
    'write: a contained subject',
    'write: a List may name anything',
    'write: an Appointment may have any participant',
    'write: a Group may have any member',
    'write: a Provenance may have any target',
    'write: an AuditEvent may be about anything',
    'write: an encounter of another patient',
    'write: a subscription to anything',
    'write: any change in a transaction',
    'write: any subject in a transaction',
    'write: any delete in a batch',
    'write: any update in a batch',
    'write: a refusal shows what is stored',
    'write: an identifier that is taken tells',
    'write: an id that is taken tells',
    'write: $meta-add of anything',
    'write: what was deleted is shown by its version',
    'write: what was deleted is shown by its history',
    'write: a deleted resource is gone for all',
    'bulk: an export of the system',
    'bulk: an export of all Patients',
    'bulk: an export of a Group',
    'bulk: an export by POST',
    'bulk: an export of another patient',
    'bulk: an export with a type',
    'bulk: the status for anyone',
  ].map(change),
];
