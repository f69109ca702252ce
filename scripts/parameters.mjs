/**
 * `node scripts/parameters.mjs`: fails if a function in `src` of the working directory has more than five parameters, or
 * a class more than five collaborators. What a constructor takes for plumbing does not count: a class that stores, audits
 * and limits what it does is not larger for it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const most = 5;
const plumbing = new Set([
  'Audit',
  'Config',
  'Database',
  'JobRunner',
  'Jobs',
  'Limits',
  'Mail',
  'Secrets',
  'StartLimits',
]);

/** Functions whose parameters a library counts. */
const countedElsewhere = new Set(['src/session/application/external/provider-strategy.ts verify']);

const files = readdirSync('src', { recursive: true }).filter((path) => path.endsWith('.ts'));
const problems = files.flatMap((path) => problemsIn(join('src', path)));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function problemsIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found = [];
  const visit = (node) => {
    const [count, what] = ts.isConstructorDeclaration(node)
      ? [node.parameters.filter((parameter) => !isPlumbing(parameter)).length, 'collaborators']
      : [node.body && ts.isFunctionLike(node) ? node.parameters.length : 0, 'parameters'];
    if (count > most && !countedElsewhere.has(`${file} ${node.name?.text}`)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push(`${file}:${line} has ${count} ${what}, more than ${most}.`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isPlumbing({ type }) {
  return type !== undefined && ts.isTypeReferenceNode(type) && plumbing.has(type.typeName.text);
}
