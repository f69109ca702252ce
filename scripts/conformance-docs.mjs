/**
 * `node scripts/conformance-docs.mjs`: writes docs/conformance.md from the rows next to this file and the titles of the
 * tests. `--check` writes no file, and fails when the document is out of date or a title names an unknown row.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { openidNotes, openidPlans, securityGroups, smartBeyond, smartSections } from './conformance-rows.mjs';
import { CommandFailed, exitWith, root } from './prepare.mjs';

const file = 'docs/conformance.md';
const head = `# Conformance

<!-- Written by scripts/conformance-docs.mjs from the titles of the tests; run it again after changing one. -->

The requirements of the public test suites and of the list of security cases, with the tests of this repository that prove them.
The tests send the same requests as the suites, over HTTP, and check the same values. They do not replace a run of the suites
themselves. A row without a test is a **gap**.
`;

try {
  const tests = await readTests();
  refuseUnknownNames(tests);
  const text = [head, smart(tests), openid(tests), security(tests)].join('\n');
  if (!process.argv.includes('--check')) await writeFile(join(root, file), text);
  else if ((await readFile(join(root, file), 'utf8').catch(() => '')) !== text) {
    throw new CommandFailed(`${file} is out of date. Run \`node scripts/conformance-docs.mjs\`.`);
  }
} catch (error) {
  exitWith(error);
}

/** Every test with its file and its sentence, and with the texts of its table, which may contain names of rows. */
async function readTests() {
  const entries = await readdir(join(root, 'test'), { recursive: true });
  const files = entries.filter((name) => /\.test\.tsx?$/.test(name)).sort();
  const found = await Promise.all(
    files.map(async (name) => {
      const path = `test/${name.replaceAll('\\', '/')}`;
      const source = ts.createSourceFile(path, await readFile(join(root, path), 'utf8'), ts.ScriptTarget.Latest);
      return testsIn(source, { names: [], sentence: [] }).map((test) => ({ path, ...test }));
    }),
  );
  return found.flat();
}

function testsIn(node, around) {
  const block = ts.isCallExpression(node) ? blockOf(node) : undefined;
  const here = block
    ? { names: [...around.names, ...block.tableTexts, block.title], sentence: [...around.sentence, block.title] }
    : around;
  if (block?.isTest) return [{ names: here.names.join(' '), sentence: here.sentence.join(' ') }];
  const tests = [];
  ts.forEachChild(node, (child) => {
    tests.push(...testsIn(child, here));
  });
  return tests;
}

/** `it('…')`, `it.each(table)('…')` and the same of `test`, `describe` and `inTurn` (`test/support/runs.ts`). */
function blockOf({ expression, arguments: [title] }) {
  if (!title || !ts.isStringLiteralLike(title)) return undefined;
  const each = ts.isCallExpression(expression) ? expression : undefined;
  const called = each ? each.expression : expression;
  const name = ts.isPropertyAccessExpression(called) ? called.expression : called;
  if (!ts.isIdentifier(name) || !/^(it|test|describe|inTurn)$/.test(name.text)) return undefined;
  return { isTest: name.text !== 'describe', title: title.text, tableTexts: literalsIn(each) };
}

function literalsIn(node) {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  const texts = [];
  ts.forEachChild(node, (child) => {
    texts.push(...literalsIn(child));
  });
  return texts;
}

/** A misspelled name would otherwise show up as a gap at best. */
function refuseUnknownNames(tests) {
  const known = new Set([
    ...Object.values(openidPlans).flatMap(({ modules }) => modules),
    ...Object.values(smartSections)
      .flat()
      .map(([name]) => `SMART ${name}`),
  ]);
  for (const { path, names } of tests) {
    for (const [name] of names.matchAll(/\b(?:oidcc|fapi2)-[\w-]+|\bSMART [a-z][a-z0-9]*-[a-z0-9-]+/g)) {
      if (!known.has(name))
        throw new CommandFailed(`${path}: no row of scripts/conformance-rows.mjs is called ${name}.`);
    }
  }
}

function showing(tests, ...wanted) {
  const pattern = (name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return tests.filter(({ names }) => wanted.every((name) => pattern(name).test(names)));
}

function smart(tests) {
  const sections = Object.entries(smartSections).map(([section, rows]) => {
    const lines = rows.map(([name, says]) => [`\`${name}\``, says, where(showing(tests, `SMART ${name}`))]);
    return `### ${section}\n\n${table(['Row', 'Requirement', 'Tests'], lines)}`;
  });
  const names = Object.values(smartSections).flatMap((rows) => rows.map(([name]) => [`SMART ${name}`]));
  const beyond = smartBeyond.map((line) => `- ${line}`).join('\n');
  return `## SMART App Launch 1.0, 2.0, 2.2 and ONC (g)(10)

${count(tests, names)} Titles of tests name a row as \`SMART <row>\`. Checks of the kits without a row:

${beyond}

${sections.join('\n')}`;
}

function openid(tests) {
  const plans = Object.entries(openidPlans).map(([plan, { modules, also, named = (module) => module }]) => {
    const namesOf = (module) => (also ? [module, also] : [module]);
    const lines = modules.map((module) => [
      `\`${named(module)}\``,
      openidNotes[named(module)] ?? '',
      where(showing(tests, ...namesOf(module))),
    ]);
    return `### ${plan}\n\n${count(tests, modules.map(namesOf))}\n\n${table(['Module', 'Remark', 'Tests'], lines)}`;
  });
  return `## OpenID Foundation\n\n${plans.join('\n')}`;
}

function security(tests) {
  const lines = Object.entries(securityGroups).map(([group, { subject, cases }]) => {
    const numbers = cases.map((number) => `${group}-${String(number).padStart(2, '0')}`);
    const gaps = numbers.filter((number) => showing(tests, number).length === 0);
    return [
      group,
      subject,
      `${numbers.length - gaps.length} of ${numbers.length}`,
      gaps.length === 0 ? '' : `**gap** ${gaps.join(', ')}`,
    ];
  });
  return `## Security cases

\`grep -rn C-02 test\` leads to the tests of a case.

${table(['Group', 'Subject', 'With a test', 'Without'], lines)}`;
}

function count(tests, rows) {
  const gaps = rows.filter((names) => showing(tests, ...names).length === 0).length;
  return `${rows.length - gaps} of ${rows.length} rows have a test.`;
}

/** The tests, as sentences without the names of rows. */
function where(found) {
  if (found.length === 0) return '**gap**';
  const lines = found.map(({ path, sentence }) => {
    const said = sentence
      .replaceAll(/\b((?:oidcc|fapi2)-[\w-]+|SMART [a-z][\w]*-[\w-]+|[A-Z]-\d\d) | \(%\w\)/g, '')
      .replaceAll(/%\w/g, '…')
      .replaceAll('|', '\\|');
    return `[${path.slice('test/'.length)}](../${path}): ${said}`;
  });
  return lines.join('<br>');
}

function table(columns, lines) {
  const cells = [columns, columns.map(() => '---'), ...lines];
  return `${cells.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
