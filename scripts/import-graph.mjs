/**
 * The graph of the modules' imports in docs/architecture.md, found in the sources; with `--check`
 * the document is compared and not written. An import that follows from others is left out: a module that uses `oidc`
 * reaches what `oidc` uses.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './prepare.mjs';

const begin = '<!-- made by scripts/import-graph.mjs -->';
const end = '<!-- end of the graph -->';
/** Imported by every module; their arrows would hide the others. */
const foundations = new Set(['contract', 'platform']);

process.chdir(root);
const graph = graphOfSources();
const document = join(root, 'docs', 'architecture.md');
const text = readFileSync(document, 'utf8');
const [before, after] = [text.indexOf(begin), text.indexOf(end)];
if (before < 0 || after < 0) throw new Error('docs/architecture.md has no place for the graph');
const updated = `${text.slice(0, before)}${begin}\n\n\`\`\`mermaid\n${drawing(graph)}\n\`\`\`\n\n${text.slice(after)}`;
if (!process.argv.includes('--check')) writeFileSync(document, updated);
else if (updated !== text) {
  process.stderr.write(
    'The graph in docs/architecture.md is not that of the sources; run node scripts/import-graph.mjs.\n',
  );
  process.exitCode = 1;
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
