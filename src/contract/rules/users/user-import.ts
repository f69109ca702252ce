import type { FieldProblem, Message } from '../../messages/message.js';
import type { Claim } from '../../session.js';
import { createdUserTypes } from './user-form.js';

/** Lines of one file. */
export const mostImported = 5_000;
/** Characters of one file. */
export const longestImport = 1_000_000;

/** The reasons for which an undo of an import keeps a user. */
export const keptReasons = ['used', 'changed'] as const;
/** More kept users are counted only. */
export const mostKeptNamed = 50;

/** The columns that a file must have, as in the export of users. */
export const importColumns = ['name', 'email', 'type', 'fhir_user'] as const;
type ImportColumn = (typeof importColumns)[number];

/** Other names by which the columns are known, without regard to case, spaces and signs. */
const names: Record<ImportColumn, string[]> = {
  name: ['name', 'fullname', 'displayname'],
  email: ['email', 'mail'],
  type: ['type', 'usertype', 'role'],
  fhir_user: ['fhiruser', 'reference'],
};

/** Begins the name of a column with a further claim: `claim:tenant`. */
const claimPrefix = 'claim:';

/** The meanings of the columns of a file, in their order; undefined: the column is not imported. */
export type ImportedColumn = { is: ImportColumn } | { claim: string } | undefined;

export function columnsOf(header: readonly string[]): ImportedColumn[] {
  const taken = new Set<ImportColumn | undefined>();
  return header.map((cell) => {
    const title = cell.trim();
    if (title.toLowerCase().startsWith(claimPrefix)) return { claim: title.slice(claimPrefix.length).trim() };
    const plain = title.toLowerCase().replace(/[\s_.-]/g, '');
    const is = importColumns.find((column) => names[column].includes(plain) && !taken.has(column));
    taken.add(is);
    return is && { is };
  });
}

/** The form of a new user, as an administrator would fill it in. */
export interface ImportedForm {
  fullName: string;
  email: string;
  userType: string;
  claims: Claim[];
}

export function formOf(columns: readonly ImportedColumn[], cells: readonly string[]): ImportedForm {
  const of = (wanted: ImportColumn) => readCell(cells[columns.findIndex((column) => isColumn(column, wanted))] ?? '');
  const type = of('type');
  const further = columns.flatMap((column, index) => {
    const value = readCell(cells[index] ?? '');
    return column && 'claim' in column && value !== '' ? [{ name: column.claim, value }] : [];
  });
  return {
    fullName: of('name'),
    email: of('email'),
    userType: createdUserTypes.find((known) => known.toLowerCase() === type.toLowerCase()) ?? type,
    claims: [{ name: 'fhirUser', value: of('fhir_user') }, ...further],
  };
}

/** The problems of a form by the title of the column in which they are; null: of the whole line. */
export function problemsByColumn(
  problems: readonly FieldProblem[],
  header: readonly string[],
  columns: readonly ImportedColumn[],
): { column: string | null; messages: Message[] }[] {
  const of = { fullName: 'name', email: 'email', userType: 'type', claims: 'fhir_user' } as const;
  const filled = columns.flatMap((column, index) => (column && 'claim' in column ? [index] : []));
  return problems.map(({ field, messages }) => {
    const [member = '', index] = (field ?? '').split('.');
    const wanted = of[member as keyof typeof of];
    const claim = Number(index ?? 0);
    const place =
      member === 'claims' && claim > 0
        ? filled[claim - 1]
        : columns.findIndex((column) => wanted !== undefined && isColumn(column, wanted));
    return { column: header[place ?? -1] ?? null, messages: [...messages] };
  });
}

const isColumn = (column: ImportedColumn, wanted: ImportColumn) =>
  column !== undefined && 'is' in column && column.is === wanted;

/** Our exports begin a text that a spreadsheet would compute with an apostrophe. */
const readCell = (cell: string) => cell.replace(/^'(?=[\s\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠])/u, '').trim();
