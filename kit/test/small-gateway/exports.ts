import { type Holder, refusal, type SmallAnswer } from './answers.js';
import type { SmallRequest } from './request.js';
import type { View } from './search.js';
import type { Rights } from './tokens.js';

/** The forms of exports that mutants do not limit. */
const FORMS: [flaw: string, test: (request: SmallRequest, rights: Rights) => boolean][] = [
  ['bulk: an export of all', () => true],
  ['bulk: an export of the system', ({ parts }) => parts[0] === '$export'],
  ['bulk: an export of all Patients', ({ parts }) => parts[0] === 'Patient' && parts[1] === '$export'],
  ['bulk: an export of a Group', ({ type }) => type === 'Group'],
  ['bulk: an export by POST', ({ method }) => method === 'POST'],
  ['bulk: an export of another patient', ({ parts }, { patient }) => parts.length === 3 && parts[1] !== patient],
  ['bulk: an export with a type', ({ query }) => query.some(([name]) => name === '_type')],
];

/** Answers an export, which has the own record only, and what is asked about it later. */
export function answerExport(gateway: Holder, request: SmallRequest, rights: Rights, view: View): SmallAnswer {
  const { interaction, id, type, parts } = request;
  const isGiven = gateway.mutant.exports?.(request) === true;
  if (interaction === 'export') {
    const isOpen = isGiven || FORMS.some(([flaw, test]) => gateway.has(flaw) && test(request, rights));
    if (!isOpen && !(type === 'Patient' && id === rights.patient))
      return refusal(403, 'Only the own record is exported.');
    const job = `job-${gateway.jobs.size}`;
    const source = isOpen ? gateway.store.current : view;
    gateway.jobs.set(job, { patient: rights.patient, resources: [...source.values()] });
    return { status: 202, headers: { 'Content-Location': `${gateway.base}/$export-status/${job}` } };
  }
  const job = gateway.jobs.get(parts[1] ?? '');
  const isForAnyone =
    isGiven ||
    gateway.has('bulk: files for anyone') ||
    (gateway.has('bulk: the status for anyone') && interaction === 'export status');
  if (!job || (job.patient !== rights.patient && !isForAnyone)) return refusal(404, 'There is no such export.');
  if (interaction === 'export end') {
    gateway.jobs.delete(parts[1] ?? '');
    return { status: 202 };
  }
  if (interaction === 'export file')
    return {
      status: 200,
      headers: { 'Content-Type': 'application/fhir+ndjson' },
      body: job.resources.map((one) => JSON.stringify(one)).join('\n'),
    };
  return {
    status: 200,
    body: { output: [{ type: 'Patient', url: `${gateway.base}/$export-file/${parts[1]}` }] },
    headers: { 'Content-Type': 'application/json' },
  };
}
