import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productRoot } from '../process/product.js';

export interface Release {
  version: string;
  /** The names of its migrations. */
  migrations: string[];
}

/** The released versions whose schema lacks a migration. */
export function releasesWithout(migration: string): string[] {
  const releases: Release[] = JSON.parse(readFileSync(join(productRoot, 'releases.json'), 'utf8'));
  return releases.filter(({ migrations }) => !migrations.includes(migration)).map(({ version }) => version);
}

/** The release before this one; undefined for the first one. */
export function releaseBefore(): Release | undefined {
  const releases: Release[] = JSON.parse(readFileSync(join(productRoot, 'releases.json'), 'utf8'));
  return releases.at(-1);
}
