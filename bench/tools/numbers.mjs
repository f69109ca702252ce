import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { goalOfRatio, goalOfRow } from './goals.mjs';

const file = fileURLToPath(new URL('../../docs/numbers.md', import.meta.url));

const head = `# Numbers

<!-- Written by \`npm run bench -- <parts> --write\`, which replaces the sections of these parts. -->

What users and apps get, at the highest rate that two cores give, which the load, the database and the FHIR server
share. The sections below have more rows, the time and the revision of each run, and the same without Gatehouse.
`;

const method = `The figures are the cost of requests, compared with their cost without Gatehouse. Load, database and servers share the
CPU cores of one machine, so trust the ratios of one run, and the CPU time of a request, more than its rate. To repeat
the run on an idle machine (about ten minutes):

\`\`\`sh
npm run bench -- tokens gateway latency start nodes --write
\`\`\`

\`npm run bench -- growth --write\` and \`npm run bench -- keycloak --write\` take longer. The CPU columns are microseconds
per request, of the process that is measured with its workers and of its PostgreSQL. Each row has 16 connections; what
is compared is measured in turn, after as many requests that warm it up. Keycloak 26.7.3 with PostgreSQL is in the
section \`keycloak\`, with our tokens in the same run; it writes nothing for an exchange and a refresh, but in the rows
\`stored\`, where it does the work that Gatehouse does. \`npm run bench -- gateways --write\` sends 30 kinds of requests of
patients' apps to one HAPI FHIR server by five ways, one request at a time; the raw times of each kind and way are in
\`result.json\`, next to \`bench/run.mjs\`. Its CPU is that of programs that have served some thousand requests only and
are still being compiled; \`BENCH_ROUNDS=600\` sends ten times as many. The goals of rows were set on a machine on which
the bare engine issued 5,460 tokens and nginx answered 24,966 reads and 8,269 searches per second; they are scaled by
what these do in the same run.`;

/** The rows of the first table: their words, and the section and the row that they are taken from. */
const requests = [
  ['A user signs in with a password', 'sign-ins', 'sign-in'],
  ['A user signs in with a passkey', 'sign-ins', 'sign-in with a passkey'],
  ['A signed-in user authorizes an app', 'tokens', 'Gatehouse: authorize, signed in'],
  ['An app exchanges its code for tokens', 'tokens', 'Gatehouse: code exchange'],
  ['An app refreshes its tokens', 'tokens', 'Gatehouse: refresh'],
  ['A service gets a token with a secret', 'tokens', 'Gatehouse: secret → ES256'],
  ['A server introspects a reference token', 'tokens', 'Gatehouse: introspection of a reference token'],
  ['An app reads a resource with a token for one patient', 'gateway', 'gateway, one patient: read'],
  ['The same app searches for 50 resources', 'gateway', 'gateway, one patient: search of 50'],
];
const values = [
  ['Start until ready, in ms', 'start', 'Gatehouse: start to ready, ms'],
  ['Memory of a node without load, in MB', 'start', 'Gatehouse: MB resident, idle'],
  ['JavaScript of the sign-in page, in kB', 'pages', 'login: JavaScript in kB'],
  ['JavaScript of the consent page, in kB', 'pages', 'consent: JavaScript in kB'],
];

const columns = ['', 'req/s', 'p50 ms', 'p99 ms', 'Node µs', 'PostgreSQL µs', 'Goal'];

/** Writes the sections of the parts that ran into docs/numbers.md, and keeps the others. */
export async function writeNumbers(parts) {
  const old = await readFile(file, 'utf8').catch(() => '');
  const sections = new Map(
    old
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [/^## (.+)$/m.exec(text)[1], text.trimEnd()]),
  );
  for (const [name, results] of Object.entries(parts)) sections.set(name, section(name, results));
  const history = sections.get('history of the runs');
  // Sections of new parts come before those that explain all of them.
  for (const last of ['history of the runs', 'how it is measured']) sections.delete(last);
  if (history) sections.set('history of the runs', history);
  sections.set('how it is measured', `## how it is measured\n\n${method}`);
  await writeFile(file, `${[head.trimEnd(), ...opening(sections), ...sections.values()].join('\n\n')}\n`);
}

/** The tables that a reader meets first, with the figures that the sections have. */
function opening(sections) {
  const cellsOf = ([words, section, row]) => {
    const line = (sections.get(section) ?? '')
      .split('\n')
      .find((one) => one.startsWith(`| ${row} |`) || one.startsWith(`| ${row} (`));
    return line === undefined ? [] : [[words, ...line.split(' | ').slice(1, 4)]];
  };
  return [
    table(['', 'a second', 'half within ms', '99 % within ms'], requests.flatMap(cellsOf)).join('\n'),
    table(
      ['', 'Value'],
      values.flatMap(cellsOf).map(([words, value]) => [words, String(Math.round(Number(value)))]),
    ).join('\n'),
  ];
}

function section(name, { rows, ratios }) {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`;
  const lines = [
    `## ${name}`,
    '',
    '<!-- cspell:disable-next-line -->',
    `${new Date().toISOString().slice(0, 10)}, revision ${revision()}, Node ${process.versions.node}; ${machine}.`,
  ];
  if (rows.length > 0)
    lines.push(
      '',
      ...table(
        columns,
        rows.map((row) => cells(row, rows)),
      ),
    );
  const others = Object.entries(ratios).map(([ratio, value]) => {
    const { isMet } = goalOfRatio(ratio, value) ?? {};
    return [ratio, value.toFixed(2), isMet === undefined ? '' : isMet ? 'met' : 'not met'];
  });
  if (others.length > 0) lines.push('', ...table(['', 'Value', 'Goal'], others));
  return lines.join('\n');
}

function cells(row, rows) {
  const { name, perSecond, p50, p99, cpu = {} } = row;
  const figures = [whole(perSecond), p50?.toFixed(1), p99?.toFixed(1), whole(cpu.node), whole(cpu.postgres)];
  return [name, ...figures.map((text) => text ?? ''), goalOfRow(row, rows)?.text ?? ''];
}

function whole(value) {
  return value === undefined ? undefined : Math.round(value).toLocaleString('en-US');
}

function table(names, rows) {
  const lines = [names, names.map((_, index) => (index === 0 ? '---' : '--:')), ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`);
}

function revision() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
