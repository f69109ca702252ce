import { setImmediate as turn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { message } from '../../../contract/messages/message.js';
import { mostImported } from '../../../contract/rules/users/user-import.js';
import { Problem } from '../../../platform/errors.js';

interface CsvRecord {
  /** The line of the file, from 1. */
  line: number;
  cells: string[];
}

interface CsvFile {
  separator: string;
  header: string[];
  /** In the order of the file. */
  records: CsvRecord[];
}

const separators = [',', ';', '\t'];
/** Excel reads the separator from such a line and writes it: `sep=;`. */
const separatorLine = /^\uFEFF?"?sep=([,;\t])"?[;,\t]*(?=\r\n?|\n)/i;
/** The longest record in characters; no line of an import is as long. */
const longestRecord = 20_000;
/** Lines of a file, with those that are empty or within a cell. */
const mostLines = 4 * mostImported;
/** Characters that are read in one turn of the event loop: a line of a wrong form takes 0.1 ms. */
const pieceLength = 1024;

/** Reads a CSV file (RFC 4180) with a header and at most `most` lines. Throws `invalid` at `csv`. */
export async function readCsv(csv: string, most = mostImported): Promise<CsvFile> {
  const named = separatorLine.exec(csv)?.[1];
  const separator = named ?? separatorOf(csv);
  // The lines are counted as in the file.
  const [first, ...records] = await recordsOf(named === undefined ? csv : csv.replace(separatorLine, ''), separator);
  if (!first || records.length === 0) throw refused(message('import-empty'));
  if (records.length > most) throw refused(message('import-too-many', { maximum: most }));
  return { separator, header: first.cells.map((cell) => cell.trim()), records };
}

/** The one that the first line has most of. */
function separatorOf(csv: string): string {
  const [first = ''] = csv.replace(/^\uFEFF?\s*/, '').split(/\r\n?|\n/, 1);
  const count = (separator: string) => first.split(separator).length;
  return separators.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * Reads the file in small pieces, so that other requests are answered meanwhile, and no further than a file of allowed
 * length has lines.
 */
async function recordsOf(csv: string, delimiter: string): Promise<CsvRecord[]> {
  // A NUL ends a text for the database, and is in no text file.
  if (csv.includes('\0')) throw refused(message('import-no-text'));
  const text = csv.replace(/\r\n?/g, '\n');
  const found: CsvRecord[] = [];
  let next = 1;
  const parser = parse({
    ...{ bom: true, delimiter, record_delimiter: '\n', relax_column_count: true, relax_quotes: true },
    ...{ skip_empty_lines: true, skip_records_with_empty_values: true },
    max_record_size: longestRecord,
    on_record: (cells: string[], { lines }: { lines: number }) => {
      found.push({ line: lines - (cells.join('').match(/\n/g)?.length ?? 0), cells });
      next = lines + 1;
      return null;
    },
  });
  let failure: Error | undefined;
  parser.on('error', (error) => {
    failure = error;
  });
  // The header, and one more than are allowed, which says that there are too many.
  for (let at = 0; at < text.length && !failure && found.length <= mostImported + 1; at += pieceLength) {
    parser.write(text.slice(at, at + pieceLength));
    await turn();
    if (parser.info.lines > mostLines) throw refused(message('import-too-many-lines', { maximum: mostLines }));
  }
  if (found.length <= mostImported + 1 && !failure) {
    parser.end();
    await turn();
  }
  parser.destroy();
  if (!failure) return found;
  if (!(failure instanceof CsvError)) throw failure;
  const isLong = failure.code === 'CSV_MAX_RECORD_SIZE';
  throw refused(message(isLong ? 'import-line-too-long' : 'import-quotes', { line: next }));
}

export const refused = (text: Parameters<typeof Problem.invalid>[0][number]['messages'][number]) =>
  Problem.invalid([{ field: 'csv', messages: [text] }]);
