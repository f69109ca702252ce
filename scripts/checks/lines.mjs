/**
 * `node scripts/checks/lines.mjs`: checks the length of all lines of Markdown and of comments, and the lines that this
 * branch adds to them for phrases that plain English has a shorter word for.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const longest = 120;
/** Each with the words to write instead. */
const phrases = [
  [/\bbeside\b/i, 'next to, besides'],
  [/(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more)\b)\w/i, 'is not a'],
  [/\bgoes on\b/i, 'continues'],
  [/\bof before\b/i, 'earlier'],
  [/\bthe person\b/i, 'the user'],
];

/** The phrases to replace in a line of Markdown or of a comment, with the words to write instead. */
export function phrasesIn(file, line) {
  // A phrase in quotes or code is mentioned, not used.
  const prose = proseOf(file, line)?.replace(/`[^`]*`|'[^']*'|"[^"]*"/g, '') ?? '';
  return phrases
    .filter(([phrase]) => phrase.test(prose))
    .map(([phrase, better]) => `"${phrase.exec(prose)?.[0]}": write ${better}`);
}

/** True for a line of Markdown or of a comment that could be broken and is too long. */
export function isTooLong(file, line) {
  if (line.length <= longest || proseOf(file, line) === undefined) return false;
  const isTable = /^\s*(?:\* )?\|/.test(line);
  // A link, a path, a command and an instruction to a tool are one word.
  return !isTable && !/\]\(|https?:|<img |^\s*(?:- )?`[^`]*`\.?$|^\s*(?:\/\/|\*) (?:biome-ignore|@import) /.test(line);
}

function proseOf(file, line) {
  return file.endsWith('.md') ? line : commentIn(line);
}

function commentIn(line) {
  const [, whole, after] = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$|(?:^|\s)\/\/ (.*)$/.exec(line) ?? [];
  return whole ?? after;
}

/** The added lines of a diff without context. */
export function addedLines(diff) {
  const added = [];
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice(6);
    else if (line.startsWith('+')) added.push({ file, line: line.slice(1) });
  }
  return added;
}

function git(...parameters) {
  try {
    return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' });
  } catch {
    return undefined;
  }
}

const kinds = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.cjs', '*.js'];
/** Their lines are one entry each, or are written by a command. */
const exempt = /^(?:CHANGELOG|docs\/(?:configuration|conformance|errors|migrations))\.md$/;

function longLines() {
  const files = (git('ls-files', '--', ...kinds) ?? '').split('\n').filter((file) => file !== '' && !exempt.test(file));
  // A file that was removed stays listed until that is committed.
  return files.filter((file) => existsSync(join(root, file))).flatMap(longLinesOf);
}

function longLinesOf(file) {
  let isCode = false;
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (file.endsWith('.md') && line.trimStart().startsWith('```')) isCode = !isCode;
    return !isCode && isTooLong(file, line)
      ? [`${file}:${index + 1}: ${line.length} characters, ${longest} at most`]
      : [];
  });
}

function phrasesAdded() {
  const base = (git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main'))?.trim();
  // A copy without its history has no added lines.
  const diff = base ? git('diff', '-U0', base, '--', ...kinds) : undefined;
  return addedLines(diff ?? '')
    .filter(({ file }) => !exempt.test(file))
    .flatMap(({ file, line }) => phrasesIn(file, line).map((fault) => `${file}: ${fault}\n  ${line.trim()}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = [...longLines(), ...phrasesAdded()];
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
  }
}
