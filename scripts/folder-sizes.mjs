/** `node scripts/folder-sizes.mjs`: fails if a folder of the working directory has more than 20 files, apart from its folders. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

const most = 20;
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
const isLarge = (folder) => (sizes.get(folder) ?? 0) > most;
const problems = [
  ...[...sizes.keys()]
    .filter((folder) => isLarge(folder) && !lists.has(folder))
    .map(
      (folder) => `${folder} has ${sizes.get(folder)} files, more than ${most}: give its parts folders of their own.`,
    ),
  ...[...lists]
    .filter((folder) => sizes.has(folder) && !isLarge(folder))
    .map((folder) => `${folder} has no more than ${most} files: remove it from the lists in scripts/folder-sizes.mjs.`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
