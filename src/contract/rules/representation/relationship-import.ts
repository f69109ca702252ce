import { type FieldProblem, message } from '../../messages/message.js';
import { fieldRequired, invalidValue, isDay, lineProblem } from '../text.js';
import { emailProblem } from '../users/email.js';
import { mostOfLevel } from './level-text.js';

/** Lines of one file: the record of each patient is read. */
export const mostRelationships = 1_000;

/** The columns of a file of relationships, which are those of their export. */
export const relationshipColumns = [
  'email',
  'name',
  'tenant',
  'patient',
  'basis',
  'level',
  'relation',
  'start',
  'end',
  'related_person',
  'note',
] as const;
type Column = (typeof relationshipColumns)[number];

/** Columns that a file must have; the others may be left out. */
export const neededColumns: readonly Column[] = ['email', 'patient', 'basis', 'level'];

/** A line of the file; empty cells are left out. */
export type RelationshipLine = Partial<Record<Column, string>>;

const forms: Partial<Record<Column, RegExp>> = {
  patient: /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/,
  related_person: /^(RelatedPerson|Person)\/[A-Za-z0-9.-]{1,64}$/,
};
const longest: Partial<Record<Column, number>> = { name: 200, level: mostOfLevel, note: 1_000 };

/** The line by its columns, which may be written with capitals and spaces. */
export function relationshipLine(header: readonly string[], cells: readonly string[]): RelationshipLine {
  const columns = header.map(columnNamed);
  return Object.fromEntries(
    columns.flatMap((column, index) => {
      const value = (cells[index] ?? '').replace(/^'(?=[=+\-@])/, '').trim();
      return column === undefined || value === '' ? [] : [[column, value]];
    }),
  );
}

/** The column that a title of a file names. */
export function columnNamed(title: string): Column | undefined {
  const plain = title
    .trim()
    .toLowerCase()
    .replace(/[\s.-]+/g, '_');
  return relationshipColumns.find((column) => column === plain);
}

/** Problems of a line by its columns. */
export function relationshipLineProblems(line: RelationshipLine): FieldProblem[] {
  const problemOf = (column: Column) => {
    const value = line[column];
    if (value === undefined) return neededColumns.includes(column) ? fieldRequired : undefined;
    if (column === 'email') return emailProblem(value);
    if ((column === 'start' || column === 'end') && !isDay(value)) return message('day-only');
    if (forms[column] && !forms[column].test(value)) return invalidValue;
    return lineProblem(value, longest[column] ?? 64);
  };
  return relationshipColumns.flatMap((column) => {
    const problem = problemOf(column);
    return problem ? [{ field: column, messages: [problem] }] : [];
  });
}
