import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = ['bench', 'client', 'demo', 'docs', 'migrations', 'scripts', 'src', 'test'];
/** A path from the root of the repository, without a placeholder or a pattern (`<module>`, `*`, `…`). */
const pathFromRoot = new RegExp(
  `(?<![\\w./@-])(?:${folders.join('|')})/(?:[\\w.-]+/)*[\\w.-]*[\\w](?:/(?![\\w<{*…$(\\[]))?(?![\\w/<{*…$(\\[-]|\\.[\\w*<{(\\[])`,
  'g',
);
const link = /\]\((?!\w+:|#)([^)#\s]+)/g;
const sectionLink = /\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)/g;
const comment = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g;

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file)),
);
const documents = [...readdirSync('.'), ...files].filter((file) => file.endsWith('.md'));
const sources = files.filter((file) => /\.[cm]?[jt]sx?$/.test(file));

it.each(documents)('%s names only files that exist', (file) => {
  const text = readFileSync(file, 'utf8');
  const linked = [...text.matchAll(link)].map(([, target = '']) => join(dirname(file), target));
  expect([...linked, ...pathsIn(text)].filter(isMissing)).toEqual([]);
});

it.each(documents)('%s names only sections that exist', (file) => {
  expect(missingSections(file, readFileSync(file, 'utf8'))).toEqual([]);
});

it('the check of sections finds a missing one, in the same document and in another', () => {
  const text = '[a](#here), [b](#gone), [c](README.md#gone), [d](no-such.md#gone)\n\n## Here\n';
  expect(missingSections('CONTRIBUTING.md', text)).toEqual(['#gone', 'README.md#gone']);
});

it('each recipe ends with the suites that prove it, and each of them exists', () => {
  const recipes = readdirSync('docs/recipes').filter((file) => file !== 'release.md');
  expect(recipes.length).toBeGreaterThan(10);
  expect(recipes.flatMap((file) => wrongRuns(readFileSync(join('docs/recipes', file), 'utf8')))).toEqual([]);
});

it('the check of recipes finds one without suites, and a suite that is missing or has no tests', () => {
  const planted = [
    '# Add a\n\nText\n',
    '# Add b\n\nRun: `npx jest test/tags test/no-such.test.ts test/support`\n',
    '# Add c\n\nRun: `npx jest test/<module> test/tags`\n',
  ];
  expect(planted.flatMap(wrongRuns)).toEqual([
    '# Add a: no suites',
    '# Add b: test/no-such.test.ts',
    '# Add b: test/support',
  ]);
});

it('comments name only files that exist', () => {
  const missing = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(comment)]
      .flatMap(([text]) => pathsIn(text))
      .filter(isMissing)
      .map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

/** The text of each class of the server, by its name. */
const classes = new Map(
  sources
    .filter((file) => file.startsWith('src/'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^(?:export )?(?:abstract )?class (\w+)[\s\S]*?^}/gm)])
    .map(([text, name = '']) => [name, text]),
);

it.each(documents)('%s names only members that a class has', (file) => {
  expect(missingMembers(readFileSync(file, 'utf8'))).toEqual([]);
});

it('the check of members finds a missing one, and does not judge what is no class', () => {
  expect(missingMembers('`GatewayBases.find`, `GatewayBases.noSuchMember()`, `Intl.PluralRules`')).toEqual([
    'GatewayBases.noSuchMember',
  ]);
});

it('the index of decisions has each of them', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  const decisions = readdirSync('docs/decisions').filter((file) => /^\d/.test(file));
  expect(decisions.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});

it('the check of file names finds a missing file, and reads no pattern as a file', () => {
  const paths = pathsIn('see `src/no/such.ts`, `src/app.module.ts`, `src/<module>/domain/` and test/**/*.ts');
  expect(paths).toEqual(['src/no/such.ts', 'src/app.module.ts']);
  expect(paths.filter(isMissing)).toEqual(['src/no/such.ts']);
});

function pathsIn(text: string): string[] {
  return text.match(pathFromRoot) ?? [];
}

/** Links to headings that a document does not have. A document that does not exist is found by another check. */
function missingSections(file: string, text: string): string[] {
  return [...text.matchAll(sectionLink)].flatMap(([, path = '', section = '']) => {
    const target = join(dirname(file), path);
    if (path !== '' && (!target.endsWith('.md') || isMissing(target))) return [];
    return anchorsOf(path === '' ? text : readFileSync(target, 'utf8')).includes(section) ? [] : [`${path}#${section}`];
  });
}

/** The anchors of headings as GitHub writes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading.replaceAll('`', '').toLowerCase(),
  );
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N}\- _]/gu, '').replaceAll(' ', '-'));
}

/** `Class.member` in code marks. */
function missingMembers(text: string): string[] {
  return [...text.matchAll(/`([A-Z]\w+)\.([a-z]\w+)(?:\([^`]*\))?`/g)].flatMap(([, name = '', member = '']) => {
    const known = classes.get(name);
    return known === undefined || new RegExp(`\\b${member}\\b`).test(known) ? [] : [`${name}.${member}`];
  });
}

/** The suites after `Run:` that are none, with the title of the recipe. */
function wrongRuns(recipe: string): string[] {
  const [title] = recipe.split('\n');
  const [, command] = /^Run:\s`npx jest (.+)`$/m.exec(recipe) ?? [];
  if (command === undefined) return [`${title}: no suites`];
  const suites = command.split(' ').filter((path) => path !== 'test/<module>');
  return suites.filter((suite) => !hasTests(suite)).map((suite) => `${title}: ${suite}`);
}

function hasTests(suite: string): boolean {
  return sources.some((file) => file.endsWith('.test.ts') && (file === suite || file.startsWith(`${suite}/`)));
}

function isMissing(path: string): boolean {
  return !existsSync(path);
}
