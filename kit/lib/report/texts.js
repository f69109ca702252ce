// @ts-check
import { tokenVariable } from '../probe/display.js';

/** @import { Ask, Evidence, Finding, Report, WayResult } from '../types.js' */

/**
 * A request as a command line; the base and the token are variables.
 *
 * @param {Ask} ask
 * @param {string} actor
 */
export function curlOf({ method, target, headers, body, authorization, isAbsolute, line }, actor) {
  const quoted = (/** @type {string} */ text) =>
    `"${text.replace(/[\\"`]/g, '\\$&').replace(/\$(?!BASE|TOKEN_)/g, '\\$')}"`;
  const address = isAbsolute ? target : target === '' || target.startsWith('?') ? `$BASE${target}` : `$BASE/${target}`;
  const sent = authorization ?? `Bearer ${tokenVariable(actor)}`;
  return [
    'curl --path-as-is -g',
    ...(line === undefined ? [] : [`--request-target ${quoted(line)}`]),
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : [`-X ${method}`]),
    ...(sent === '' ? [] : [`-H ${quoted(`Authorization: ${sent}`)}`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...(body !== undefined && !headers.some(([name]) => /content-type/i.test(name))
      ? ['-H "Content-Type: application/fhir+json"']
      : []),
    quoted(address),
  ].join(' ');
}

/** The answer, in numbers. @param {Evidence} evidence */
export function evidenceText({ status, resources, references, markers, total, differences, sign }) {
  const parts = [
    resources &&
      `${Object.entries(resources)
        .map(([type, count]) => `${count} ${type}`)
        .join(', ')} that the token may not see`,
    references && `${references} references to another patient's resources`,
    markers && `${markers} texts that only the other record has`,
    total && `a total of ${total.total} where ${total.shown} are shown`,
    differences && `differs from the answer about something that does not exist: ${differences.join('; ')}`,
    sign,
  ];
  return `status ${status}: ${parts.filter(Boolean).join('; ')}`;
}

/** @param {Report} report */
export function countsOf(report) {
  const by = (/** @type {WayResult['state']} */ state) => report.results.filter((one) => one.state === state).length;
  return { found: by('found'), nothing: by('nothing found'), untried: by('could not be tried') };
}

/** 0: nothing was found, 1: something was found, 2: it could not run, or not to the end. @param {Report} report */
export function exitCodeOf(report) {
  if (report.results.some(({ state }) => state === 'found') || report.left.length > 0) return 1;
  return report.stopped !== undefined || report.results.length === 0 ? 2 : 0;
}

/** @param {Report} report @returns {Finding[]} */
export function findingsOf(report) {
  return report.results.flatMap(({ findings }) => findings);
}
