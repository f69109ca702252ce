import { csvHead, csvLine } from '../../contract/rules/csv.js';
import { log } from '../logging/log.js';

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
