/**
 * `node scripts/checks/added-lines.mjs`: checks the lines that this branch adds to Markdown and to comments: their
 * length, and phrases that plain English has a shorter word for. Older lines are not looked at.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const longest = 120;
/** Each with the words to write instead. */
const phrases = [
  [/\bbeside\b/i, 'next to, besides'],
  [/\b(?:is|are|was|were) no (?!(?:longer|more)\b)\w/i, 'is not a'],
  [/\bgoes on\b/i, 'continues'],
  [/\bof before\b/i, 'earlier'],
  [/\bthe person\b/i, 'the user'],
];

/** The faults of a line that was added to a file; empty for lines of code. */
export function faultsOf(file, line) {
  const isMarkdown = file.endsWith('.md');
  const text = isMarkdown ? line : commentIn(line);
  if (text === undefined) return [];
  // A phrase in quotes or code is mentioned, not used.
  const prose = text.replace(/`[^`]*`|'[^']*'|"[^"]*"/g, '');
  const words = phrases
    .filter(([phrase]) => phrase.test(prose))
    .map(([phrase, better]) => `"${phrase.exec(prose)?.[0]}": write ${better}`);
  const isExempt = isMarkdown && (/^\s*\|/.test(line) || /\]\(|https?:/.test(line));
  return isExempt || line.length <= longest ? words : [...words, `${line.length} characters, ${longest} at most`];
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = (git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main'))?.trim();
  // A copy without its history has no added lines.
  const diff = base
    ? git('diff', '-U0', base, '--', '*.md', '*.ts', '*.tsx', '*.mjs', '*.cjs', ':!CHANGELOG.md')
    : undefined;
  const faults = addedLines(diff ?? '').flatMap(({ file, line }) =>
    faultsOf(file, line).map((fault) => `${file}: ${fault}\n  ${line.trim()}`),
  );
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
  }
}
