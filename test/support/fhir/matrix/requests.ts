import type { AppRequest } from './app.js';
import { bundles } from './bundles.js';
import { changes } from './changes.js';
import { documents } from './documents.js';
import { operations } from './operations.js';
import { reads } from './reads.js';
import { searches } from './searches.js';

/** What apps ask for; each has a name of its own. */
export const requests: readonly AppRequest[] = [
  ...reads,
  ...searches,
  ...operations,
  ...documents,
  ...changes,
  ...bundles,
];
