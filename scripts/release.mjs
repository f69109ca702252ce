/**
 * `npm run release -- <next version>`: closes the release that `package.json` names. Its changes in CHANGELOG.md get
 * today's date, its migrations go into `releases.json`, and package, lock file and chart get the next version. The
 * commit before is the release. `node scripts/release.mjs --check [file]`: fails if the change notes are not as
 * operators expect it (docs/recipes/release.md).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import './typescript.mjs';
import { CommandFailed, exitWith, root } from './prepare.mjs';

const sections = ['Before you upgrade', 'Security', 'Added', 'Changed', 'Fixed'];
const longestEntry = 160;
const versionNumber = /^\d+\.\d+\.\d+$/;

try {
  const [argument = '', file = 'CHANGELOG.md'] = process.argv.slice(2);
  const problems = changelogProblems(readFileSync(resolve(root, file), 'utf8'), JSON.parse(read('releases.json')));
  if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
  if (argument !== '--check') await release(argument);
} catch (error) {
  exitWith(error);
}

async function release(next) {
  if (!versionNumber.test(next)) throw new CommandFailed('Name the next version: npm run release -- 1.2.3');
  if (execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
    throw new CommandFailed('The working directory has changes. Commit them first: the last commit is the release.');
  const { version } = JSON.parse(read('package.json'));
  const text = read('CHANGELOG.md');
  if (/## Unreleased\n\n## /.test(text)) throw new CommandFailed('CHANGELOG.md has no changes since the last release.');
  const today = new Date().toISOString().slice(0, 10);
  write('CHANGELOG.md', text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`));
  const migrations = Object.values(await import('../migrations/index.ts')).map(({ name }) => name);
  migrations.sort((one, other) => Number(one.slice(-13)) - Number(other.slice(-13)));
  const releases = [...JSON.parse(read('releases.json')), { version, migrations }];
  write('releases.json', `${JSON.stringify(releases, undefined, 2)}\n`);
  raise('package.json', /("version": )"[^"]+"/, next);
  raise('package-lock.json', /("version": )"[^"]+"/g, next, 2);
  raise('deploy/helm/gatehouse/Chart.yaml', /((?:^|\n)(?:version|appVersion): )\S+/g, next, 2, '');
  console.log(
    `${version} is closed. Next: npm run pictures, node scripts/migration-docs.mjs, npm run check, and commit.`,
  );
}

/** Replaces the first `count` matches. */
function raise(file, pattern, next, count = 1, quote = '"') {
  let left = count;
  write(
    file,
    read(file).replace(pattern, (found, before) => (left-- > 0 ? `${before}${quote}${next}${quote}` : found)),
  );
}

/** One line for each place of the change notes that is not as it should be. */
function changelogProblems(text, releases) {
  const problems = [];
  const links = new Map([...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name, target]) => [name, target]));
  for (const [name, target] of links) {
    if (!existsSync(join(root, target.replace(/#.*/, ''))))
      problems.push(`[${name}] leads to ${target}, which does not exist.`);
    if (!text.includes(`[${name}]\n`)) problems.push(`No entry names [${name}].`);
  }
  const lines = text.split('\n').entries();
  const found = [];
  let section = -1;
  for (const [index, line] of lines) {
    const place = `CHANGELOG.md:${index + 1}`;
    if (line.startsWith('## ')) {
      found.push(line.slice(3));
      section = -1;
    } else if (line.startsWith('### ')) {
      const at = sections.indexOf(line.slice(4));
      if (at <= section)
        problems.push(`${place} has no section of a release, or not in the order ${sections.join(', ')}.`);
      section = at;
    } else if (line.startsWith('- ')) {
      const [, name] = /\[([^\]]+)\]$/.exec(line) ?? [];
      if (section < 0) problems.push(`${place} belongs to no section.`);
      if (line.length > longestEntry)
        problems.push(`${place} has ${line.length} characters, more than ${longestEntry}.`);
      if (name === undefined || !links.has(name)) problems.push(`${place} does not end with a link.`);
    } else if (found.length > 0 && line !== '' && !line.startsWith('[')) {
      problems.push(`${place} is not an entry of one line.`);
    }
  }
  const dated = found.slice(1).map((title) => /^(\S+) \(\d{4}-\d\d-\d\d\)$/.exec(title)?.[1]);
  const expected = releases.map(({ version }) => version).reverse();
  if (found[0] !== 'Unreleased' || dated.join() !== expected.join())
    problems.push(`CHANGELOG.md has the releases ${found.join(', ')}; releases.json has ${expected.join(', ')}.`);
  return problems;
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(root, file), text);
}
