import { message } from '../../contract/messages/message.js';
import { mostInBulk } from '../../contract/rules/bulk.js';
import { csvHead, csvLine } from '../../contract/rules/csv.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';

/** Rows that are in memory at once. */
const pageLength = 500;

/** The rows of these ids as a CSV file, a page of them at a time; rows that are deleted meanwhile are not in it. */
export async function* csvOf<Row>(
  columns: Record<string, (row: Row) => unknown>,
  ids: readonly string[],
  read: (ids: string[]) => Promise<Row[]>,
): AsyncIterable<string> {
  yield csvHead(Object.keys(columns));
  for (let from = 0; from < ids.length; from += pageLength) {
    const rows = await read(ids.slice(from, from + pageLength)).catch((err: unknown) => {
      log.error({ err }, 'export of a list failed');
      throw err;
    });
    yield rows.map((row) => csvLine(Object.values(columns).map((value) => value(row)))).join('');
  }
}

/** The rows that a call is about; `find` returns no more than one too many. */
export async function chosenIds<Filter>(
  choice: { ids?: string[]; except?: string[]; filter?: Filter; expected?: number },
  find: (filter: Filter, most: number) => Promise<string[]>,
): Promise<string[]> {
  const { ids = [], except = [], filter, expected } = choice;
  if (ids.length > 0 === (filter !== undefined && filter !== null)) {
    throw Problem.invalid([{ field: 'ids', messages: [message('bulk-choice')] }]);
  }
  if (!filter) return ids;
  const left = new Set(except.map((id) => id.toLowerCase()));
  const found = (await find(filter, mostInBulk + left.size + 1)).filter((id) => !left.has(id));
  if (found.length > mostInBulk) throw new Problem('invalid', message('bulk-too-many', { maximum: mostInBulk }));
  if (expected && expected !== found.length) throw new Problem('conflict', message('bulk-list-changed'));
  return found;
}
