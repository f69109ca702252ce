import { message } from '../../contract/messages/message.js';
import type { ReadinessCheck, ReadinessReport, ReadinessState } from '../../contract/readiness.js';
import { inEnglish } from '../../platform/language/translator.js';

const marks: Record<ReadinessState, string> = {
  pass: 'pass',
  improve: 'TO IMPROVE',
  blocking: 'BLOCKING',
  unknown: 'unknown',
};
const width = Math.max(...Object.values(marks).map(({ length }) => length));
const indent = ' '.repeat(width + 2);

/** The report for a terminal. Checks that pass take one line. */
export function reportAsText(report: ReadinessReport): string {
  const { sections, counts, issuer, version, ready } = report;
  const { blocking, improve, unknown, pass } = counts;
  return [
    `Gatehouse ${version}, ${issuer}`,
    ...sections.map(({ title, checks }) => ['', title.text, ...checks.flatMap(linesOf)].join('\n')),
    '',
    `${pass} pass, ${improve} to improve, ${blocking} blocking, ${unknown} unknown`,
    inEnglish(ready ? message('readiness-ready') : message('readiness-not-ready')),
  ].join('\n');
}

function linesOf({ state, title, finding, why, advice, remedy }: ReadinessCheck): string[] {
  const first = `${marks[state].padEnd(width)}  ${title.text}: ${finding.text}`;
  if (state === 'pass') return [first];
  const step =
    remedy?.kind === 'setting'
      ? [`Configuration: ${remedy.key}`]
      : remedy?.kind === 'command'
        ? [`Command: ${remedy.command}`]
        : remedy?.kind === 'page'
          ? [`Page: ${remedy.to}`]
          : [];
  return [first, ...[why.text, ...(advice ? [advice.text] : []), ...step].map((line) => indent + line)];
}
