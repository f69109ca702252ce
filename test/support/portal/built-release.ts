import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../../../scripts/prepare.mjs';

const run = promisify(execFile);

interface Package {
  version?: string;
  integrity?: string;
  optional?: boolean;
}

/**
 * The last commit with this version, before `package.json` was raised; undefined without a history, or with a shallow
 * one.
 */
export function commitOf(version: string): string | undefined {
  const git = (...command: string[]) =>
    execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const raised = git('log', '-1', '--format=%H', `-S"version": "${version}"`, '--', 'package.json').trim();
    return git('rev-parse', '--verify', `${raised}^`).trim();
  } catch {
    return undefined;
  }
}

/**
 * The folder of a release, built from the history: its server with the pages of this version. It is kept for later
 * runs. The packages are those of this clone if they include the release's; otherwise its own are installed.
 */
export async function builtRelease(commit: string): Promise<string> {
  const folder = resolve('dist/releases', commit);
  if (existsSync(folder)) return folder;
  await mkdir('dist/releases', { recursive: true });
  const draft = await mkdtemp(resolve('dist/releases', 'building-'));
  try {
    await run('sh', ['-c', `git archive ${commit} | tar -x -C "${draft}"`]);
    if (hasPackagesOf(draft)) await symlink(resolve('node_modules'), join(draft, 'node_modules'));
    else await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--prefix', draft], { quiet: true });
    await run(process.execPath, ['scripts/bundle-server.mjs'], { cwd: draft });
    await symlink(resolve('dist/client'), join(draft, 'dist/client'));
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function hasPackagesOf(folder: string): boolean {
  const packages = (file: string) => JSON.parse(readFileSync(file, 'utf8')).packages as Record<string, Package>;
  const present = packages('node_modules/.package-lock.json');
  return Object.entries(packages(join(folder, 'package-lock.json')))
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, { integrity, version, optional }]) => {
      const found = present[path];
      return found ? found.version === version && found.integrity === integrity : optional === true;
    });
}
