/**
 * The table of the modules, their lines and the graph of their imports in docs/architecture.md, found in the sources;
 * with `--check` the document is compared and not written. An import that follows from others is left out of the graph:
 * a module that uses `oidc` reaches what `oidc` uses.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import modules from './modules.cjs';

/** Imported by every module; their arrows would hide the others. */
const foundations = new Set(modules.FOUNDATIONS);

const described = modules.modulesOf('src');
const parts = {
  modules: [
    '| Module | Responsibility |',
    '|---|---|',
    ...described.map(({ name, text }) => `| \`src/${name}\` | ${text} |`),
  ],
  lines: modules
    .linesOf(described)
    .map((names, index) => `${index + 1}. ${names.map((name) => `\`${name}\``).join(', ')}`),
  graph: ['```mermaid', drawing(graphOfSources()), '```'],
};
const document = join('docs', 'architecture.md');
const text = readFileSync(document, 'utf8');
const updated = Object.entries(parts).reduce(withPart, text);
if (!process.argv.includes('--check')) writeFileSync(document, updated);
else if (updated !== text) {
  process.stderr.write(`${document} is not that of the sources; run node scripts/import-graph.mjs.\n`);
  process.exitCode = 1;
}

/** The document with these lines at the place that is marked for the part. */
function withPart(written, [name, lines]) {
  const [begin, end] = [`<!-- ${name}: made by scripts/import-graph.mjs -->`, `<!-- end of ${name} -->`];
  const [before, after] = [written.indexOf(begin), written.indexOf(end)];
  if (before < 0 || after < 0) throw new Error(`${document} has no place for ${name}`);
  return `${written.slice(0, before)}${begin}\n\n${lines.join('\n')}\n\n${written.slice(after)}`;
}

/** Imported modules by module. The formatter leaves one spelling of imports. */
function graphOfSources() {
  const graph = new Map();
  for (const file of readdirSync('src', { recursive: true }).filter((path) => path.endsWith('.ts'))) {
    const source = join('src', file);
    const from = moduleOf(source);
    if (from === undefined) continue;
    const imported = graph.get(from) ?? new Set();
    graph.set(from, imported);
    for (const [, path] of readFileSync(source, 'utf8').matchAll(/(?:\bfrom |\bimport[ (])'(\.[^']+)'/g)) {
      const to = moduleOf(join(dirname(source), path));
      if (to !== undefined && to !== from) imported.add(to);
    }
  }
  return graph;
}

function moduleOf(path) {
  const [, name] = /^src\/([^/]+)\//.exec(path) ?? [];
  return foundations.has(name) ? undefined : name;
}

function drawing(graph) {
  const names = [...graph.keys()].sort();
  const arrows = names.flatMap((from) => {
    const direct = [...(graph.get(from) ?? [])].sort();
    return direct
      .filter((to) => !direct.some((other) => other !== to && reaches(graph, other, to)))
      .map((to) => `  ${from} --> ${to}`);
  });
  return ['flowchart TD', ...names.map((name) => `  ${name}`), ...arrows].join('\n');
}

function reaches(graph, from, to) {
  const next = [...(graph.get(from) ?? [])];
  return next.includes(to) || next.some((name) => reaches(graph, name, to));
}
