/**
 * `node scripts/checks/sizes.mjs`: fails if a folder of the working directory has more than 20 files, apart from its
 * folders; if a function in its `src` has more than five parameters; or a class there more than five collaborators.
 * Plumbing does not count: a class that stores, audits and limits what it does is not larger for it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const mostParameters = 5;
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

const mostFiles = 20;
/** Folders that are one list of alike files, which their names sort. */
const lists = new Set(['docs/decisions', 'migrations', 'src/platform/mail/templates']);

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
const sizes = new Map();
for (const file of new Set(listed.split('\0'))) {
  const folder = dirname(file);
  // Tools want their files in the root. A file that was removed stays listed until that is committed.
  if (folder !== '.' && existsSync(file)) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
}
const isLarge = (folder) => (sizes.get(folder) ?? 0) > mostFiles;
const problems = [
  ...problemsOfParameters(),
  ...[...sizes.keys()]
    .filter((folder) => isLarge(folder) && !lists.has(folder))
    .map(
      (folder) =>
        `${folder} has ${sizes.get(folder)} files, more than ${mostFiles}: give its parts folders of their own.`,
    ),
  ...[...lists]
    .filter((folder) => sizes.has(folder) && !isLarge(folder))
    .map(
      (folder) =>
        `${folder} has no more than ${mostFiles} files: remove it from the lists in scripts/checks/sizes.mjs.`,
    ),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function problemsOfParameters() {
  if (!existsSync('src')) return [];
  const files = readdirSync('src', { recursive: true }).filter((path) => path.endsWith('.ts'));
  return files.flatMap((path) => problemsIn(join('src', path)));
}

function problemsIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found = [];
  const visit = (node) => {
    const [count, what] = ts.isConstructorDeclaration(node)
      ? [node.parameters.filter((parameter) => !isPlumbing(parameter)).length, 'collaborators']
      : [node.body && ts.isFunctionLike(node) ? node.parameters.length : 0, 'parameters'];
    if (count > mostParameters && !countedElsewhere.has(`${file} ${node.name?.text}`)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push(`${file}:${line} has ${count} ${what}, more than ${mostParameters}.`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isPlumbing({ type }) {
  return type !== undefined && ts.isTypeReferenceNode(type) && plumbing.has(type.typeName.text);
}
