import { setImmediate as turn } from 'node:timers/promises';
import { message } from '../../../contract/messages/message.js';
import { addressKey } from '../../../contract/rules/users/email.js';
import { userFormProblems } from '../../../contract/rules/users/user-form.js';
import {
  columnsOf,
  formOf,
  type ImportedColumn,
  type ImportedForm,
  importColumns,
  problemsByColumn,
} from '../../../contract/rules/users/user-import.js';
import type { WrongLine } from '../../../contract/users/user-import.js';
import { readCsv, refused } from './csv-records.js';

export interface FileLine {
  /** The line of the file, from 1. */
  line: number;
  form: ImportedForm;
}

export interface ImportFile {
  separator: string;
  header: string[];
  ignored: string[];
  /** In the order of the file. */
  lines: FileLine[];
  wrong: WrongLine[];
}

/** Records that are checked in one turn. */
const checkedAtOnce = 100;

/** Reads the users of a CSV file (RFC 4180) and checks each line as the form of a new user does. */
export async function readImport(csv: string): Promise<ImportFile> {
  const { separator, header, records } = await readCsv(csv);
  const columns = columnsOf(header);
  const missing = importColumns.filter((wanted) => !columns.some((one) => one && 'is' in one && one.is === wanted));
  if (missing.length > 0) throw refused(message('import-columns', { columns: missing.join(', ') }));

  const lines: FileLine[] = [];
  const wrong: WrongLine[] = [];
  const lineOfAddress = new Map<string, number>();
  for (const [index, { line, cells }] of records.entries()) {
    if (index % checkedAtOnce === 0) await turn();
    const problems = problemsOf(cells, header, columns);
    const form = formOf(columns, cells);
    const address = addressKey(form.email);
    const earlier = lineOfAddress.get(address);
    if (problems.length === 0 && earlier !== undefined) {
      const column = header[columns.findIndex((one) => one && 'is' in one && one.is === 'email')] ?? null;
      problems.push({ column, messages: [message('import-same-address', { line: earlier })] });
    }
    if (problems.length > 0) wrong.push({ line, cells, problems });
    else {
      lineOfAddress.set(address, line);
      lines.push({ line, form });
    }
  }
  return { separator, header, ignored: header.filter((_, index) => columns[index] === undefined), lines, wrong };
}

function problemsOf(cells: string[], header: string[], columns: ImportedColumn[]): WrongLine['problems'] {
  if (cells.length === header.length) {
    return problemsByColumn(userFormProblems(formOf(columns, cells)), header, columns);
  }
  const counts = { found: cells.length, expected: header.length };
  return [{ column: null, messages: [message('import-cells', counts)] }];
}
