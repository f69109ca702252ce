// @ts-check
import { countsOf, curlOf, evidenceText, findingsOf } from './texts.js';

/** @import { Report, WayResult } from '../types.js' */
/** @import { Progress } from '../command/session.js' */

const SHOWN = 3;
const WIDTH = 100;

/**
 * Tells on a terminal what is happening; elsewhere, the phases only.
 *
 * @param {NodeJS.WriteStream} stream
 * @returns {Progress & { end: () => void }}
 */
export function progressOn(stream) {
  const clear = () => stream.isTTY && stream.write(`\r${' '.repeat(WIDTH)}\r`);
  return {
    phase(text) {
      clear();
      stream.write(`${text} …\n`);
    },
    step(done, all, text) {
      if (!stream.isTTY) return;
      stream.write(`\r${`  ${done}/${all}  ${text}`.slice(0, WIDTH).padEnd(WIDTH)}`);
    },
    found({ way, actor, findings }) {
      clear();
      stream.write(`  found: ${way.title} (${way.id}, token ${actor}, ${findings.length})\n`);
    },
    end() {
      clear();
    },
  };
}

/** The end of a run, as text. @param {Report} report */
export function summaryOf(report) {
  const { found, nothing, untried } = countsOf(report);
  const lines = report.results.filter(({ state }) => state === 'found').flatMap(linesOf);
  const reasons = new Map();
  for (const { state, reason, way } of report.results)
    if (state === 'could not be tried') reasons.set(reason, [...(reasons.get(reason) ?? []), way.id]);
  return [
    '',
    ...lines,
    ...(reasons.size > 0 ? ['Could not be tried:'] : []),
    ...[...reasons].map(
      ([reason, ids]) =>
        `  ${ids.length > 4 ? `${ids.slice(0, 4).join(', ')} and ${ids.length - 4} more` : ids.join(', ')}: ${reason}`,
    ),
    ...(reasons.size > 0 ? [''] : []),
    ...(report.left.length > 0 ? [`Left behind, to be removed by hand: ${report.left.join(', ')}`] : []),
    ...(report.stopped ? [report.stopped, 'The report is not complete.'] : []),
    `${report.requests} requests in ${report.seconds.toFixed(0)} seconds. ${found} ways found something (${findingsOf(report).length} requests), ${nothing} found nothing, ${untried} could not be tried.`,
    '',
  ].join('\n');
}

/** @param {WayResult} result */
function linesOf({ way, actor, findings }) {
  return [
    `✗ ${way.title}`,
    `  ${way.id}, token ${actor}. ${way.why}`,
    `  ${way.section}${way.published ? `. Published: ${way.published}` : ''}`,
    ...findings
      .slice(0, SHOWN)
      .flatMap(({ severity, variant, evidence, asks }) => [
        `  [${severity}] ${variant}${variant ? ': ' : ''}${evidenceText(evidence)}`,
        ...asks.map((ask) => `    ${curlOf(ask, actor)}`),
      ]),
    ...(findings.length > SHOWN ? [`  … and ${findings.length - SHOWN} more`] : []),
    '',
  ];
}
