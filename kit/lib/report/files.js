// @ts-check
import { countsOf, curlOf, evidenceText } from './texts.js';

/** @import { Report, WayResult } from '../types.js' */

/** The report as JSON. @param {Report} report */
export function jsonOf(report) {
  const { results, ...rest } = report;
  return `${JSON.stringify({ ...rest, counts: countsOf(report), results: results.map(plain) }, null, 2)}\n`;
}

/** @param {WayResult} result */
function plain({ way, findings, ...rest }) {
  const { id, title, why, section, published } = way;
  return {
    id,
    title,
    why,
    section,
    ...(published && { published }),
    ...rest,
    findings: findings.map(({ variant, severity, asks, evidence, actor }) => ({
      severity,
      variant,
      requests: asks.map((ask) => curlOf(ask, actor)),
      evidence,
      summary: evidenceText(evidence),
    })),
  };
}

/** The report for build servers. @param {Report} report */
export function junitOf(report) {
  const { found, untried } = countsOf(report);
  const cases = report.results.map((result) => {
    const name = `${result.way.id}: ${result.way.title}`;
    const open = `  <testcase classname="${xml(`${result.actor}.${result.family}`)}" name="${xml(name)}">`;
    return `${open}${bodyOf(result)}</testcase>`;
  });
  const stopped = report.stopped
    ? [`  <testcase classname="run" name="ran to its end"><error message="${xml(report.stopped)}"/></testcase>`]
    : [];
  const head = `tests="${cases.length + stopped.length}" failures="${found}" skipped="${untried}" errors="${stopped.length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${report.tool}" ${head} time="${report.seconds.toFixed(1)}">\n${[...cases, ...stopped].join('\n')}\n</testsuite>\n`;
}

/** @param {WayResult} result */
function bodyOf({ state, reason, findings, way, actor }) {
  if (state === 'could not be tried') return `<skipped message="${xml(reason ?? '')}"/>`;
  if (state === 'nothing found') return '';
  const text = findings.map((one) =>
    [evidenceText(one.evidence), ...one.asks.map((ask) => curlOf(ask, actor))].join('\n'),
  );
  return `<failure message="${xml(`${way.why} (${way.section})`)}">${xml(text.join('\n\n'))}</failure>`;
}

/** @param {string} text */
const xml = (text) =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no other control characters.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\uFFFD')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; background: #fff }
h1, h2 { line-height: 1.2 } code, pre { font: 13px/1.4 ui-monospace, monospace; background: #f2f2f5; border-radius: 4px }
pre { padding: .7rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
.high { color: #a3001e } .medium { color: #8a4b00 } .low { color: #4a4a00 } .quiet { color: #5c5c66 }
details { margin: .6rem 0; border-left: 3px solid #c9c9d4; padding-left: .8rem } summary { cursor: pointer; font-weight: 600 }
@media (prefers-color-scheme: dark) { body { color: #e8e8ee; background: #17171a } code, pre { background: #26262c } td, th { border-color: #3a3a42 } .high { color: #ff8a9b } .medium { color: #ffbe70 } .low { color: #dcd872 } .quiet { color: #a0a0ac } }
`;

/** The report as one page, without scripts and without anything from elsewhere. @param {Report} report */
export function htmlOf(report) {
  const { found, nothing, untried } = countsOf(report);
  const of = (/** @type {WayResult['state']} */ state) => report.results.filter((one) => one.state === state);
  const actors = report.actors.map(
    ({ name, scope, resources }) =>
      `<tr><td>${xml(name)}</td><td>${xml(scope ?? 'not known')}</td><td>${resources ?? ''}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Enforcement of ${xml(report.base)}</title><style>${STYLE}</style></head><body>
<h1>Enforcement of ${xml(report.base)}</h1>
<p>${xml(report.server.software)}, FHIR ${xml(report.server.fhirVersion)}, ${report.server.types} types. ${xml(report.startedAt)}, ${report.seconds.toFixed(0)} seconds, ${report.requests} requests, ${report.isWriting ? 'with changes' : 'read only'}.</p>
${report.stopped ? `<p class="high"><strong>The run ended early.</strong> ${xml(report.stopped)}</p>` : ''}
<p><strong>${found}</strong> ways found something, <strong>${nothing}</strong> found nothing, <strong>${untried}</strong> could not be tried.</p>
<table><thead><tr><th>Token</th><th>Scopes</th><th>Resources learned</th></tr></thead><tbody>${actors.join('')}</tbody></table>
${report.left.length > 0 ? `<h2>Left behind</h2><p>The kit made these and could not remove them: ${report.left.map((one) => `<code>${xml(one)}</code>`).join(', ')}</p>` : ''}
<h2>Found</h2>${found === 0 ? '<p>Nothing.</p>' : of('found').map(section).join('\n')}
<h2>Could not be tried</h2><table><tbody>${of('could not be tried').map(row).join('')}</tbody></table>
<h2>Nothing found</h2><table><tbody>${of('nothing found').map(row).join('')}</tbody></table>
</body></html>
`;
}

/** @param {WayResult} result */
function section({ way, family, actor, findings }) {
  const list = findings.map(
    ({ severity, variant, evidence, asks }) =>
      `<p><strong class="${severity}">${severity}</strong> ${xml(variant)}<br>${xml(evidenceText(evidence))}</p><pre>${xml(asks.map((ask) => curlOf(ask, actor)).join('\n'))}</pre>`,
  );
  const published = way.published ? `<p>Published: ${xml(way.published)}</p>` : '';
  return `<details open><summary>${xml(way.title)}</summary><p>${xml(way.why)}</p>${published}<p class="quiet">${xml(`${way.id} · ${family} · token ${actor} · ${way.section}`)}</p>${list.join('')}</details>`;
}

/** @param {WayResult} result */
function row({ way, family, actor, reason, tried, unclear }) {
  const told = reason ?? `${tried} requests${unclear > 0 ? `, ${unclear} unclear` : ''}`;
  return `<tr><td>${xml(family)}</td><td>${xml(way.title)}<br><span class="quiet">${xml(way.id)} · ${xml(actor)}</span></td><td>${xml(told)}</td></tr>`;
}
