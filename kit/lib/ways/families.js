// @ts-check
import { addresses } from './addresses.js';
import { batches } from './batches.js';
import { chains } from './chains.js';
import { collections } from './collections.js';
import { documents } from './documents.js';
import { headers } from './headers.js';
import { includes } from './includes.js';
import { graphs, operations } from './operations.js';
import { paging } from './paging.js';
import { parameters } from './parameters.js';
import { publishedHoles } from './published.js';
import { reads } from './reads.js';
import { references } from './references.js';
import { scopeWays } from './scopes.js';
import { searches } from './searches.js';
import { tokens } from './tokens.js';

/** @import { Way } from '../types.js' */

/** The known ways that change nothing, by family. @type {Readonly<Record<string, readonly Way[]>>} */
export const FAMILIES = {
  tokens,
  reads,
  searches,
  references,
  parameters,
  chains,
  includes,
  paging,
  operations,
  graphql: graphs,
  batches,
  addresses,
  headers,
  documents,
  collections,
  scopes: scopeWays,
  published: publishedHoles,
};
